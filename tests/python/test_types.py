"""The stubs, by mypy."""
import os
import pathlib
import runpy
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
WRONG = '''
import frit
x = frit.ones(2)
frit.relu("a")
x.sum(dim="a")
x.nothing
frit.no_such_op(x)
'''


def mypy(tmp_path, *files):
    pytest.importorskip("mypy")
    package = os.environ["PYTHONPATH"].partition(os.pathsep)[0]
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--follow-imports=silent", f"--cache-dir={tmp_path}", *files],
        env={**os.environ, "MYPYPATH": package, "PYTHONPATH": ""}, capture_output=True, text=True)


def test_programs(tmp_path):
    done = mypy(tmp_path, HERE / "types_sample.py", HERE.parent.parent / "examples" / "digits.py")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mistakes_are_seen(tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    lines = [line for line in mypy(tmp_path, tmp_path / "wrong.py").stdout.splitlines() if "error:" in line]
    assert [line.split(":")[1] for line in lines] == ["4", "5", "6", "7"], lines


def test_the_sample_runs():
    runpy.run_path(str(HERE / "types_sample.py"))


def test_every_name_is_there():
    """What the stubs declare exists."""
    import frit
    for name in (HERE.parent.parent / "python/frit/_functions.pyi").read_text().split("import ")[1:]:
        assert hasattr(frit, name.split()[0])
    for line in (HERE.parent.parent / "python/frit/_tensor_ops.pyi").read_text().splitlines():
        if line.startswith("    def "):
            assert hasattr(frit.Tensor, line.split()[1].partition("(")[0]), line
