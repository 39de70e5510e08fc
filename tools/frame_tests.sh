#!/bin/sh
# Runs the tests of frame capture with every Python of 3.11 to 3.13 that the build has an extension for, and CPython's own
# test modules plainly, under the stepper, and while every function of theirs is offered to capture.
# Names the versions it could not run.
#   tools/frame_tests.sh [BUILD] [stdlib modules...]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
[ $# -gt 0 ] && shift
export PYTHONPATH="$PWD/$build/python" PYTHONDONTWRITEBYTECODE=1
missing=
failed=
for version in 3.11 3.12 3.13; do
  tag=$(echo "$version" | tr -d .)
  ls "$build"/python/frit/_C.cpython-"$tag"-*.so >/dev/null 2>&1 || {
    missing="$missing $version(not built)"
    continue
  }
  python=
  for candidate in ${FRIT_PYTHONS:-} "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('{}.{}'.format(*sys.version_info) != '$version')" 2>/dev/null; then
      python=$candidate
      break
    fi
  done
  if [ -z "$python" ]; then
    missing="$missing $version(no interpreter)"
    continue
  fi
  echo "Python $version: $python"
  for test in tests/python/frame_*_test.py; do
    "$python" "$test" || failed="$failed $version:$(basename "$test")"
  done
  if "$python" -c "import test.test_generators" 2>/dev/null; then
    "$python" tests/python/frame_stdlib.py --also captured "$@" || failed="$failed $version:stdlib"
  else
    missing="$missing $version(no test package)"
  fi
done
[ -z "$missing" ] || echo "not run:$missing"
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
