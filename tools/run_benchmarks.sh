#!/bin/sh
# Runs every benchmark that was built, one after the other.
#   tools/run_benchmarks.sh [--peers PYTHON] [options passed to each]
set -eu
cd "$(dirname "$0")/.."
ran=0
for program in build/release/benchmarks/*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  printf '\n== %s\n' "$(basename "$program")"
  "$program" "$@"
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || {
  echo 'frit: no benchmark was built' >&2
  exit 1
}
