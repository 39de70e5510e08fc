#!/bin/bash
# Formatting, the checks of the sources, and clang-tidy, of the files that differ from a commit
# (BASE, or where this branch left origin/main, or the last commit) or with --all of every file.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${1:-} == --all ]]; then
  mapfile -t files < <(git ls-files '*.h' '*.cpp')
else
  base=${BASE:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)}
  mapfile -t files < <({
    git diff --name-only --diff-filter=d "$base" -- '*.h' '*.cpp'
    git ls-files --others --exclude-standard -- '*.h' '*.cpp'
  } | sort -u)
fi
sources=()
for file in "${files[@]}"; do
  # The plugin is built from LLVM's headers, which take tidy minutes.
  [[ $file == src/*.cpp && $file != src/jit/plugin/* ]] && sources+=("$file")
done

failed=()
step() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}
step includes python3 tools/check_includes.py
step files python3 tools/check_files.py
step errors python3 tools/check_errors.py
if ((${#files[@]})); then
  step format clang-format-19 --dry-run --Werror "${files[@]}"
fi
if ((${#sources[@]})); then
  [[ -f build/release/build.ninja ]] || cmake --preset release >/dev/null
  tidy() {
    printf '%s\0' "${sources[@]}" |
      xargs -0 -n 1 -P "$(nproc)" clang-tidy-19 -p build/release --quiet 2> >(grep -v 'warnings generated' >&2)
  }
  step clang-tidy tidy
fi

if ((${#failed[@]})); then
  echo "failed: ${failed[*]}"
  exit 1
fi
echo "${#files[@]} files in format, ${#sources[@]} tidied, all in order"
