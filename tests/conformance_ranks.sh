#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same as conformance.sh, on 2 ranks, for whatever of it is not made for one.
command -v "${PYTHON:-python3}" >/dev/null || { echo "1..0 # SKIP no Python 3"; exit; }
exec "${PYTHON:-python3}" "$(dirname "$0")/conformance/conformance.py" --ranks 2
