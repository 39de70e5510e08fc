#!/bin/sh
# Configures a preset where that is needed, and builds a target of it.
#   tools/build.sh PRESET TARGET
set -eu
cd "$(dirname "$0")/.."
preset=$1 target=$2
dir=build/$preset

quietly() { # shows what a command said only if it failed
  mkdir -p build
  "$@" >"build/$preset.log" 2>&1 || {
    cat "build/$preset.log" >&2
    exit 1
  }
}
[ -f "$dir/build.ninja" ] || {
  echo "frit: configuring $dir"
  quietly cmake --preset "$preset"
}
if [ -t 1 ]; then
  cmake --build "$dir" --target "$target"
else
  # No terminal: a line a file helps nobody, so only what matters is printed.
  NINJA_STATUS='[%f/%t] ' cmake --build "$dir" --target "$target" -- --quiet
fi
