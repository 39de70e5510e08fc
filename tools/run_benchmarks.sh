#!/bin/sh
# Runs every benchmark that was built, one after the other; their figures go to build/release/figures/.
#   tools/run_benchmarks.sh [--peers PYTHON]
set -eu
cd "$(dirname "$0")/.."
peers=
case "${1:-}" in
--peers) peers=$2 ;;
?*)
  echo "run_benchmarks: $1 is not known; usage: tools/run_benchmarks.sh [--peers PYTHON]" >&2
  exit 2
  ;;
esac
figures=build/release/figures
mkdir -p "$figures"
ran=0
for program in build/release/benchmarks/*; do
  [ -f "$program" ] && [ -x "$program" ] || continue
  name=$(basename "$program")
  peer=benchmarks/peers/${name}_torch.py
  printf '\n== %s\n' "$name"
  set -- --json "$figures/$name.json"
  if [ -z "$peers" ]; then
    "$program" "$@"
  elif "$program" --help 2>&1 | grep -q -e --peers; then
    "$program" "$@" --peers "$peers"
  elif [ -f "$peer" ]; then
    "$peers" "$peer" --frit "$program" "$@"
  else
    "$program" "$@"
  fi
  ran=$((ran + 1))
done
# Those in Python, with the interpreter the package was built for first.
if [ -f build/release/python/interpreter ]; then
  python=$(cat build/release/python/interpreter)
  for script in overhead capture; do
    printf '\n== %s.py\n' "$script"
    "$python" "benchmarks/$script.py" --json "$figures/${script}_python.json" ${peers:+--peers "$peers"}
  done
fi
[ "$ran" -gt 0 ] || {
  echo 'frit: no benchmark was built' >&2
  exit 1
}
