#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# readable.sh KIND PREFIX FOLDER...: may what is installed below PREFIX need these folders? Not where they can be entered by their
# owner alone and PREFIX by everybody; the stack from PyPI, though, is copied.
kind=$1 prefix=$2
shift 2
# the first folder on the way to a path that others cannot enter; what does not exist yet will be open
closed() {
  path=$1
  while [ "$path" != / ] && [ "$path" != . ]; do
    if [ -d "$path" ]; then case $(stat -L -c %A "$path") in *[xt]) ;; *) echo "$path" && return ;; esac; fi
    path=$(dirname "$path")
  done
  return 1
}
if [ "$kind" = pypi ] || closed "$prefix" >/dev/null; then exit 0; fi
for folder; do
  door=$(closed "$(readlink -f "$folder")") || continue
  echo "install: nobody else could run what is installed in $prefix: it needs $folder, and others cannot enter $door. Open that to them (chmod a+x $door), install to a prefix of your own, or take STACK=pypi, whose libraries are installed along." >&2
  exit 1
done
