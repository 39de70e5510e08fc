"""Runs these tests with the interpreter that runs this file, over the package of a build.

    python run.py BUILD [pytest options]

Exit code 77 (skipped) where the interpreter has no pytest.
"""
import importlib.util
import os
import sys

build = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
if importlib.util.find_spec("pytest") is None:
    print(f"{sys.executable} has no pytest; for the one of build/python-tools, tools/python.sh installs it")
    sys.exit(77)
os.environ["PYTHONPATH"] = os.path.join(build, "python")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", here, *sys.argv[2:]])
