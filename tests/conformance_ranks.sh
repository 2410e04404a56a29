#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same as conformance.sh, on 2 ranks, for whatever of it is not made for one.
exec "${PYTHON:-python3}" "$(dirname "$0")/conformance/conformance.py" --ranks 2
