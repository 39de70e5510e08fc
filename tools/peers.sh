#!/bin/sh
# Makes .venv/ with the peers that benchmarks compare with: PyTorch's CPU build and numpy, at the
# versions of peers.txt, and what the Python package is tested with (python.txt). Does nothing where
# they are there.
set -eu
cd "$(dirname "$0")/.."

stamp=.venv/peers.txt
cat tools/peers.txt tools/python.txt | cmp -s - "$stamp" && exit 0

python=${PYTHON:-}
if [ -z "$python" ]; then
  for name in python3 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null &&
      "$name" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
        2>/dev/null; then
      python=$name
      break
    fi
  done
fi
[ -n "$python" ] || {
  echo 'frit: PEERS=1 needs Python 3.11, 3.12 or 3.13 with its venv module (python3-venv).' >&2
  exit 1
}

echo 'frit: installing PyTorch and numpy into .venv/; this takes a few minutes the first time'
"$python" -m venv .venv
# Where pip is given PyTorch's CPU index (PIP_EXTRA_INDEX_URL) it takes that build; else the default one,
# which runs the same on the processor and is much larger.
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/peers.txt \
  -r tools/python.txt
.venv/bin/python - <<'PY'
import torch
print("frit: peers: torch", torch.__version__)
PY
cat tools/peers.txt tools/python.txt >"$stamp"
