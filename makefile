# slepc-napi: `make help` lists what there is to do.
#
# This file finds (or sets up) PETSc, SLEPc and MPI, and hands every goal over to src/build.mk, which can include
# SLEPc's own makefile variables because they exist by then.
BUILD  ?= build
STACK  ?=
prefix ?= /usr/local

GOALS = all check attack conformance fuzz demo bench bench-cca bench-ranks bench-python figure1 figure1-quick install uninstall

all: ## build the library and the programs under build/
check: ## run all tests, on 1, 2 and 3 MPI ranks
attack: ## thousands of random pairs, failing operators and odd input: is any answer wrong? (half an hour)
conformance: ## SLEPc's own EPS tests and tutorials with -eps_type napi, against SLEPc's own output (a minute)
fuzz: ## read random files with the readers under libFuzzer and sanitizers (needs clang; FUZZ=60 seconds)
demo: ## find what two small data sets share; solve a finite-element problem with more than 100,000 unknowns
bench: ## compare with SLEPc's other solvers and PRIMME, which is set up once (90 minutes at most; BENCH=--quick takes a few)
bench-cca: ## compare the types of canonical correlation analysis (a few minutes)
bench-ranks: ## count messages and collective operations on 1 to 64 ranks (an hour on two cores)
bench-python: ## compare with scikit-learn, cca-zoo, SciPy and PRIMME from Python (an hour at most)
figure1: ## run the experiment of the paper's Figure 1 and draw it (20 minutes at most on two cores)
figure1-quick: ## the same on a tenth of the data (2 minutes at most)
docs: ## the manual page of every function and type as HTML, build/docs/index.html (needs Python 3)
install: ## install under prefix=/usr/local (DESTDIR is honoured)
uninstall: ## remove what install put there
stack-info: ## say which PETSc, SLEPc and MPI are used, and why
clean: ## remove everything that was built (the stack stays)
help: ## this list

.DEFAULT_GOAL = all
# `make -j all check` must not run two sub-makes in one build folder; each of them runs in parallel itself.
.NOTPARALLEL:
PYTHON ?= python3
.PHONY: $(GOALS) stack stack-info docs clean help

# stack.mk changes only when the stack does, so that a change of stack rebuilds everything and nothing else does.
stack:
	@mkdir -p $(BUILD)
	@sh src/stack/stack.sh $(STACK) > $(BUILD)/stack.found
	@grep -v '^STACK_WHY\|^SLEPC_PRIMME' $(BUILD)/stack.found > $(BUILD)/stack.new
	@cmp -s $(BUILD)/stack.new $(BUILD)/stack.mk && rm $(BUILD)/stack.new || mv $(BUILD)/stack.new $(BUILD)/stack.mk

# SLEPc's own tests come with its sources, which nothing else needs
conformance: export STACK_SOURCES = yes
# a peer of the benchmark, which nothing else uses
bench: export STACK_PRIMME = yes

$(GOALS): stack
	@$(MAKE) --no-print-directory -f src/build.mk BUILD=$(BUILD) prefix=$(prefix) $@

stack-info: stack
	@sed 's/^override //' $(BUILD)/stack.found

# needs no stack, only the comments
docs:
	@$(PYTHON) src/docs/manpages.py $(BUILD)/docs

clean:
	rm -rf $(BUILD)

help:
	@sed -n 's/^\([a-z0-9-]*\): ## /\1 /p' makefile | while read goal text; do printf 'make %-14s %s\n' $$goal "$$text"; done
	@echo 'STACK=env|pypi|debian|debian-complex|debian-64 forces a stack; BUILD=dir builds elsewhere than in build/.'
