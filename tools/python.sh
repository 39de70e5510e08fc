#!/bin/sh
# Makes build/python-tools/ with what the Python package is built and tested with (python.txt), for the
# first Python of 3.11 to 3.13 that has its headers. Does nothing where it is there, and where there is
# no such Python says so: everything else builds without.
#
#   tools/python.sh                       makes it
#   tools/python.sh --run BUILD PROGRAM [ARGUMENTS]
#                                         runs a program over the package of a build, where there is one
set -eu
cd "$(dirname "$0")/.."

if [ "${1:-}" = --run ]; then
  [ -f "$2/python/interpreter" ] || exit 0
  build=$2
  shift 2
  printf '\n%s:\n' "$*"
  PYTHONPATH=$build/python exec "$(cat "$build/python/interpreter")" "$@"
fi

tools=build/python-tools
cmp -s tools/python.txt $tools/python.txt && exit 0

usable='import os, sys, sysconfig, venv, ensurepip
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13) and os.path.exists(header)))'
for python in ${PYTHON:-.venv/bin/python python3 python3.13 python3.12 python3.11}; do
  command -v "$python" >/dev/null && "$python" -c "$usable" 2>/dev/null || continue
  mkdir -p build
  log=$(mktemp)
  if { "$python" -m venv $tools && $tools/bin/python -m pip install --quiet \
    --disable-pip-version-check -r tools/python.txt; } >"$log" 2>&1; then
    cp tools/python.txt $tools/python.txt
  else
    tail -n 3 "$log" >&2
    echo "frit: pip failed (above): building without the Python package" >&2
  fi
  rm -f "$log"
  exit 0
done
echo 'frit: no Python 3.11, 3.12 or 3.13 with headers (python3-dev, python3-venv): building without the Python package' >&2
