#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# SLEPc's own EPS tests and tutorials, unmodified, with our library loaded by -dll_append and -eps_type napi: what they print
# is what SLEPc's reference files say, or stands in tests/conformance/known.txt. `make conformance` runs the same.
command -v "${PYTHON:-python3}" >/dev/null || { echo "1..0 # SKIP no Python 3"; exit; }
exec "${PYTHON:-python3}" "$(dirname "$0")/conformance/conformance.py"
