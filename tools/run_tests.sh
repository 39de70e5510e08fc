#!/bin/sh
# Runs the tests of a preset and prints a summary; what ctest wants beyond that may follow.
#   tools/run_tests.sh PRESET [ctest options]
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p "build/$preset/test_cache"
exec ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
  --parallel "$(nproc)" --timeout 900 "$@" </dev/null
