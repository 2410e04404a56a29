# The build proper; run by ../makefile, which has found the stack.
include $(BUILD)/stack.mk
include $(SLEPC_DIR)/lib/slepc/conf/slepc_variables

VERSION := $(shell sed -n 's/^\#define SLEPCNAPI_VERSION *"\(.*\)"/\1/p' include/slepcnapi.h)
# V=1 shows the compiler's command lines
Q        = $(if $(V),,@)
WARN     = -Wall -Wextra $(if $(WERROR),-Werror)
EXTRA    =
COMPILE  = $(MPICC) $(PCC_FLAGS) $(CFLAGS) $(WARN) $(EXTRA) -MMD -MP -Iinclude $(patsubst -I%,-isystem %,$(SLEPC_CC_INCLUDES)) $(CPP_FLAGS) $(CPPFLAGS)
LIB      = $(BUILD)/lib/libslepcnapi.so
LINK     = -L$(BUILD)/lib -Wl,-rpath,'$$ORIGIN/../lib' -lslepcnapi $(SLEPC_EPS_LIB)

sources  = $(wildcard src/$(1)/*.c src/$(1)/*/*.c src/$(1)/*/*/*.c)
LIBSRC   = $(foreach part,sys eps ksp mat pc cca binding,$(call sources,$(part)))
LIBOBJ   = $(LIBSRC:%.c=$(BUILD)/obj/%.o)
# what the programs and the tests share: readers of files, counting of applications
SUPPORT  = $(patsubst %.c,$(BUILD)/obj/%.o,$(call sources,io) $(wildcard src/apps/common/*.c))
COMPILED = $(patsubst src/apps/%.c,$(BUILD)/bin/%,$(wildcard src/apps/*.c))
APPS     = $(COMPILED) $(patsubst src/apps/%.py,$(BUILD)/bin/%,$(wildcard src/apps/*.py))
EXAMPLES = $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
TESTS    = $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/*.c))
ATTACKS  = $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/attack/*.c))
TFILES   = $(foreach np,1 2 3,$(TESTS:%=%.$(np).t))

# the stack's own launcher and compiler, under a path that can be typed
MPITOOLS = $(BUILD)/bin/mpiexec $(BUILD)/bin/mpicc

all: $(LIB) $(BUILD)/lib/pkgconfig/slepcnapi.pc $(APPS) $(MPITOOLS)

$(BUILD)/obj/%.o: %.c $(BUILD)/stack.mk
	@mkdir -p $(@D)
	@echo '  CC $<'
	$(Q)$(COMPILE) -c $< -o $@

$(LIB): $(LIBOBJ)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) -shared $(PCC_FLAGS) $(EXTRA) -Wl,-soname,libslepcnapi.so $^ -o $@ $(SLEPC_EPS_LIB)

$(BUILD)/bin/%: $(BUILD)/obj/src/apps/%.o $(SUPPORT) $(LIB)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $(filter %.o,$^) -o $@ $(LINK)

# a program in parts has a folder of its name for them
$(BUILD)/bin/napi-cca: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/apps/napi-cca/*.c))
$(BUILD)/bin/napi-eps: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/apps/napi-eps/*.c))

$(BUILD)/bin/%: src/apps/%.py
	@mkdir -p $(@D)
	$(Q)install -m 755 $< $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(SUPPORT) $(LIB)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $< $(SUPPORT) -o $@ $(LINK)

$(BUILD)/attack/%: $(BUILD)/obj/tests/attack/%.o $(LIB)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $< -o $@ $(LINK)

$(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(LIB)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $< -o $@ $(LINK)

# Reads data files, which examples otherwise do not.
$(BUILD)/figure1/figure1: $(BUILD)/obj/examples/figure1/figure1.o $(SUPPORT) $(LIB)
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $< $(SUPPORT) -o $@ $(LINK)

# Knows nothing of us: neither our header nor our library.
$(BUILD)/examples/unmodified: $(BUILD)/obj/examples/unmodified.o
	@mkdir -p $(@D)
	@echo '  LINK $@'
	$(Q)$(MPICC) $(PCC_FLAGS) $(EXTRA) $< -o $@ $(SLEPC_EPS_LIB)

# Not links: MPICH looks for its parts beside the name it was called by. OpenMPI refuses root, who is everybody in a container.
$(BUILD)/bin/mpiexec: $(BUILD)/stack.mk src/build.mk
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1' 'exec $(MPIEXEC) "$$@"' >$@ && chmod 755 $@
$(BUILD)/bin/mpicc: $(BUILD)/stack.mk src/build.mk
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'exec $(MPICC) "$$@"' >$@ && chmod 755 $@

# The stack from PyPI is installed beside us (src/stack/bundle.py), any other stays where it is.
ifeq ($(STACK_KIND),pypi)
VENV       = $(patsubst %/bin/,%,$(dir $(MPICC)))
BUNDLE     = lib/slepcnapi
PC_MPI     = $${prefix}/$(BUNDLE)/bin
PC_CFLAGS  = -I$${prefix}/$(BUNDLE)/include
PC_LIBS    = -L$${prefix}/$(BUNDLE)/lib -Wl,-rpath,$${prefix}/$(BUNDLE)/lib $(foreach word,$(SLEPC_EPS_LIB),$(if $(findstring $(VENV)/,$(word)),,$(word))) -lmpi
else
PC_MPI     = $(patsubst %/,%,$(dir $(MPICC)))
PC_CFLAGS  = $(SLEPC_CC_INCLUDES)
PC_LIBS    = $(SLEPC_EPS_LIB)
endif

$(BUILD)/lib/pkgconfig/slepcnapi.pc: include/slepcnapi.h src/build.mk $(BUILD)/stack.mk
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(prefix)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' \
	  'mpicc=$(PC_MPI)/$(notdir $(MPICC))' 'mpiexec=$(if $(BUNDLE),$(PC_MPI)/mpiexec,$(MPIEXEC))' '' \
	  'Name: slepcnapi' 'Description: NAPI eigensolver for SLEPc' 'Version: $(VERSION)' \
	  'Cflags: -I$${includedir} $(PC_CFLAGS)' 'Libs: -L$${libdir} -Wl,-rpath,$${libdir} -lslepcnapi $(PC_LIBS)' >$@

# --- tests: one .t file for each test program and number of ranks, and the scripts -------------------------------

$(BUILD)/tests/%.1.t: $(BUILD)/tests/%
	@printf '%s\n' '#!/bin/sh' 'exec timeout 600 $<' >$@
$(BUILD)/tests/%.2.t: $(BUILD)/tests/%
	@printf '%s\n' '#!/bin/sh' 'exec timeout 600 "$$MPIEXEC" -n 2 $<' >$@
$(BUILD)/tests/%.3.t: $(BUILD)/tests/%
	@printf '%s\n' '#!/bin/sh' 'exec timeout 600 "$$MPIEXEC" -n 3 $<' >$@

# MPICH spins where ranks outnumber cores, unless told otherwise; OpenMPI wants to be asked nicely.
TESTENV = MPIR_CVAR_CH4_PROGRESS_THROTTLE=1 MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=1 OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0 \
  MPIEXEC='$(MPIEXEC)' MPICC='$(MPICC)' PETSC_DIR='$(PETSC_DIR)' PETSC_ARCH='$(PETSC_ARCH)' SLEPC_DIR='$(SLEPC_DIR)' \
  SLEPC_SOURCE='$(SLEPC_SOURCE)' NAPI_BUILD='$(abspath $(BUILD))' NAPI_DATA='$(abspath ../shared/data)' \
  SLEPC_CFLAGS='$(PCC_FLAGS) $(SLEPC_CC_INCLUDES)' SLEPC_LIBS='$(SLEPC_EPS_LIB)'

# TESTS_RUN names files to run instead of all.
check: all $(TESTS) $(ATTACKS) $(EXAMPLES) $(BUILD)/figure1/figure1 $(TFILES)
	@command -v prove >/dev/null || { echo 'make check needs prove, which comes with perl: apt-get install perl'; exit 1; }
	@$(TESTENV) \
	prove --timer --failures --exec sh $(if $(TESTS_RUN),$(TESTS_RUN),$(sort $(TFILES)) $(sort $(wildcard tests/*.sh)))

# the same script as in `make check`, which gives it two minutes, without a limit
attack: all $(ATTACKS)
	@NAPI_ATTACK=full $(MAKE) --no-print-directory -f src/build.mk BUILD=$(BUILD) prefix=$(prefix) check TESTS_RUN=tests/attack.sh

# All of SLEPc's own tests that apply; CONFORMANCE names some, as '*test1_*', and --output shows what they print
conformance: all
	@$(TESTENV) $(PYTHON) tests/conformance/conformance.py $(CONFORMANCE)

# The readers under libFuzzer with address and undefined-behaviour sanitizers: they alone are instrumented. A file that
# fails is left in the build folder and is what to give the program to see it again. The limits are what no file of
# the size that is tried may cost; so small, empty rows have to be cheaper than usual.
FUZZ     ?= 60
CLANG    ?= clang
FUZZDIR   = $(BUILD)/fuzz
FUZZFLAGS = -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DNAPI_SPARSE_FREE=4096 -DNAPI_LONGEST_LINE=65536
FUZZCC    = MPICH_CC=$(CLANG) OMPI_CC=$(CLANG) $(MPICC)

$(FUZZDIR)/read: tests/fuzz/read.c $(call sources,io) $(wildcard src/io/*.h) $(BUILD)/stack.mk
	@echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | $(CLANG) $(FUZZFLAGS) -x c - -o /dev/null 2>/dev/null || { echo 'make fuzz needs clang and its libFuzzer: apt-get install clang libclang-rt-dev, or CLANG=<another clang>'; exit 1; }
	@mkdir -p $(@D)
	@echo '  CLANG $@'
	$(Q)$(FUZZCC) $(FUZZFLAGS) $(WARN) -Iinclude $(patsubst -I%,-isystem %,$(SLEPC_CC_INCLUDES)) $(CPPFLAGS) $(filter %.c,$^) -o $@ $(SLEPC_EPS_LIB)

fuzz: $(FUZZDIR)/read
	@mkdir -p $(FUZZDIR)/corpus
	@OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	$< -max_total_time=$(FUZZ) -max_len=4096 -timeout=20 -malloc_limit_mb=32 -rss_limit_mb=1024 -dict=tests/fuzz/words \
	  -artifact_prefix=$(FUZZDIR)/found- -print_final_stats=1 -verbosity=0 $(FUZZDIR)/corpus tests/fuzz/corpus

DEMO_EPS = -generate fem2d -m 400,300 -modes -eps_nev 6 -st_pc_type gamg -plot $(BUILD)/modes.png
DEMO_CCA = examples/data/lifestyle.csv examples/data/health.csv -scale -permutations 999 -plot $(BUILD)/demo.png
QUIET    = OPENBLAS_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

demo: all
	@echo '1. The lowest modes of a membrane: stiffness matrix K and mass matrix M of 400 x 300 finite elements, K x = omega^2 M x.'
	@echo 'K is never factored: algebraic multigrid and a few steps of block CG take the place of its inverse.'
	@echo
	@echo '$$ $(BUILD)/bin/mpiexec -n 2 $(BUILD)/bin/napi-eps $(DEMO_EPS)'
	@$(QUIET) $(BUILD)/bin/mpiexec -n 2 $(BUILD)/bin/napi-eps $(DEMO_EPS)
	@echo
	@echo 'The membrane itself, as long as 1 and 3/4 of that wide, has omega = 5.23599, 7.55145, 8.94726, 10.3137, 10.4720 and 12.6099.'
	@echo
	@echo '2. Two data sets about the same 200 people (made up by examples/data/make.py): how they live, and how they are. What do'
	@echo 'the two have to do with each other?'
	@echo
	@echo '$$ $(BUILD)/bin/napi-cca $(DEMO_CCA)'
	@$(QUIET) $(BUILD)/bin/napi-cca $(DEMO_CCA)

# --- install -----------------------------------------------------------------------------------------------------

# what a CCA type of one's own needs
PRIVATE = ccaimpl.h napiwindow.h napidense.h napicompat.h

TO      = $(DESTDIR)$(prefix)

# Others shall be able to run it: no search path may lead into a folder that only its builder can enter.
install: all
	@sh src/stack/readable.sh $(STACK_KIND) '$(prefix)' '$(PETSC_DIR)' '$(SLEPC_DIR)' '$(MPICC)'
	install -d $(TO)/lib/pkgconfig $(TO)/include/slepcnapi/private $(TO)/bin
	install -m 644 include/slepcnapi.h $(TO)/include
	install -m 644 $(PRIVATE:%=include/slepcnapi/private/%) $(TO)/include/slepcnapi/private
	install -m 755 $(LIB) $(TO)/lib
	install -m 755 $(APPS) $(TO)/bin
	sed 's|^prefix=.*|prefix=$(prefix)|' $(BUILD)/lib/pkgconfig/slepcnapi.pc >$(BUILD)/slepcnapi.pc
	install -m 644 $(BUILD)/slepcnapi.pc $(TO)/lib/pkgconfig
ifdef BUNDLE
	$(VENV)/bin/python3 src/stack/bundle.py copy $(VENV) $(PETSC_DIR) $(SLEPC_DIR) $(TO)/$(BUNDLE)
	$(VENV)/bin/python3 src/stack/bundle.py runpath '$$ORIGIN/slepcnapi/lib' $(TO)/lib/libslepcnapi.so
	$(VENV)/bin/python3 src/stack/bundle.py runpath '$$ORIGIN/../lib:$$ORIGIN/../$(BUNDLE)/lib' $(COMPILED:$(BUILD)/%=$(TO)/%)
	@echo 'On several ranks: $(prefix)/$(BUNDLE)/bin/mpiexec -n 2 $(prefix)/bin/napi-eps ...'
endif

uninstall:
	rm -f $(TO)/lib/libslepcnapi.so $(TO)/lib/pkgconfig/slepcnapi.pc $(TO)/include/slepcnapi.h
	rm -f $(PRIVATE:%=$(TO)/include/slepcnapi/private/%)
	rm -rf $(TO)/lib/slepcnapi
	-rmdir $(TO)/include/slepcnapi/private $(TO)/include/slepcnapi 2>/dev/null
	rm -f $(APPS:$(BUILD)/%=$(TO)/%)

# --- benchmark ---------------------------------------------------------------------------------------------------

# PYTHON may be one that has matplotlib: then there is a picture, too
PYTHON ?= python3

# napi-eps is what was built for the stack; where there is a SLEPc with PRIMME, that takes the place of the stack's while it runs
bench: all
	$(PYTHON) tests/bench/bench.py $(BUILD) $(MPIEXEC) $(shell sed -n 's/^SLEPC_PRIMME = /--slepc /p' $(BUILD)/stack.found) --data ../shared/data --out $(BUILD)/bench $(BENCH)

bench-cca: all
	$(PYTHON) tests/bench/cca.py $(BUILD) $(MPIEXEC) --data ../shared/data --out $(BUILD)/bench-cca $(BENCH)

$(BUILD)/bench/collectives.so: tests/bench/collectives.c $(BUILD)/stack.mk
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fvisibility=default -shared $< -o $@ $(SLEPC_EPS_LIB)

# BENCH may name --ranks 1,2,4 --pairs 1 --limit 60 (seconds a run)
bench-ranks: all $(BUILD)/bench/collectives.so
	$(PYTHON) tests/bench/ranks.py $(BUILD) $(MPIEXEC) $(BUILD)/bench/collectives.so $(BENCH)

$(BUILD)/bench/cputime.so: tests/bench/cputime.c $(BUILD)/stack.mk
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fvisibility=default -shared $< -o $@

# with the peers from PyPI, in an environment of their own
bench-python: all $(BUILD)/bench/cputime.so
	$(PYTHON) tests/bench/python_cca.py $(BUILD) --data ../shared/data --out $(BUILD)/bench-python-cca
	$(PYTHON) tests/bench/python_eigsh.py $(BUILD) --data ../shared/data --out $(BUILD)/bench-python-eigsh

# --- the paper's Figure 1 ------------------------------------------------------------------------------------------

figure1 figure1-quick: all $(BUILD)/figure1/figure1
	@OPENBLAS_NUM_THREADS=1 $(PYTHON) examples/figure1/figure1.py $(BUILD)/figure1/figure1 --data ../shared/data --out $(BUILD)/figure1 $(if $(filter figure1-quick,$@),--quick)

.PHONY: all check attack conformance fuzz demo bench bench-cca bench-ranks bench-python figure1 figure1-quick install uninstall
.SECONDARY:
-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
