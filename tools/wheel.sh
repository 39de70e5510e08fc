#!/bin/sh
# Proves `pip install .`: in a fresh virtual environment a wheel is made and installed, and the digits example runs
# from the installed package.
#   tools/wheel.sh [PYTHON]
set -eu
cd "$(dirname "$0")/.."
python=${1:-build/python-tools/bin/python}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/venv"
pip="$folder/venv/bin/python -m pip --disable-pip-version-check --quiet"
$pip wheel . --no-deps --wheel-dir "$folder"
$pip install --no-deps "$folder"/frit-*.whl
root=$PWD
cd "$folder" # away from the sources
env -u PYTHONPATH venv/bin/python -c 'import frit; print("installed:", frit.__version__, frit._C.__name__)'
env -u PYTHONPATH venv/bin/python "$root/examples/digits.py" --threads 2
