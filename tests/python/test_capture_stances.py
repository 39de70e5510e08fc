"""What compiled functions do where no entry fits: frit.compiler.set_stance."""
import re

import frit
import pytest
from frit import _C


def entries(f):
    return _C._explain(f)["entries"]


def test_eager_on_recompile_serves_what_there_is_and_captures_nothing():
    ran = []

    def f(x, n):
        if n > 2:
            ran.append(n)
        return x * n

    c = frit.compile(f)
    x = frit.tensor([1.0, 2.0])
    for _ in range(3):
        c(x, 2)
    before = entries(c)
    with frit.compiler.set_stance("eager_on_recompile"):
        assert c(x, 2).tolist() == [2, 4]
        assert [c(x, n).tolist() for n in (3, 4, 5)] == [[3, 6], [4, 8], [5, 10]]
        assert c(frit.ones(2, 2), 2).tolist() == [[2, 2], [2, 2]]
    found = _C._explain(c)
    assert [e["runs"] for e in found["entries"]] == [before[0]["runs"] + 1]
    assert found["plain_calls"] == 4 and not found["recompiles"] and ran == [3, 4, 5]
    c(x, 3)
    assert len(entries(c)) == 2


def test_eager_on_recompile_captures_no_first_call_either():
    c = frit.compile(lambda x: x + 1)
    with frit.compiler.set_stance("eager_on_recompile"):
        assert c(frit.ones(2)).tolist() == [2, 2]
    assert not entries(c)


def scale(x, n):
    return x * n


def test_fail_on_recompile_names_the_guard_both_values_and_what_would_spare_it():
    c = frit.compile(scale)
    x = frit.ones(2)
    with frit.compiler.set_stance("fail_on_recompile"):
        assert [c(x, 3).tolist() for _ in range(3)] == [[3, 3]] * 3  # captured, then served
        line = scale.__code__.co_firstlineno
        with pytest.raises(RuntimeError) as e:
            c(x, 4)
        assert re.sub(r"  at .*[/\\]", "  at ", str(e.value)) == (
            "[compile] fail_on_recompile: none of the entries of scale fits\n"
            f"  at test_capture_stances.py:{line} in scale\n"
            "  scale/0: n was 3, now 4\n"
            "    try: nothing: from now on n may be any number")
        assert e.traceback[-1].name == "scale"
        with pytest.raises(RuntimeError, match=r"scale/0: x had 1 dimensions, now 2\n"
                                               r"    try: tensors of as many dimensions at each call"):
            c(frit.ones(2, 2), 3)
        assert c(x, 3).tolist() == [3, 3]
    assert len(entries(c)) == 1 and not _C._explain(c)["recompiles"]
    assert c(x, 4).tolist() == [4, 4] and len(entries(c)) == 2


def test_fail_on_recompile_is_met_by_the_programs_own_handlers():
    def f(x, n):
        y = x + 1
        print(end="")  # ends the graph
        return y * n

    def g(x, n):
        try:
            return f(x, n)
        except RuntimeError as e:
            return str(e)

    c = frit.compile(g)
    x = frit.ones(2)
    assert c(x, 2).tolist() == [4, 4] == c(x, 2).tolist()
    with frit.compiler.set_stance("fail_on_recompile"):
        assert c(x, 2).tolist() == [4, 4]
        assert "n was 2, now 3" in c(x, 3)
    assert c(x, 3).tolist() == [6, 6]


def test_stances_end_with_their_block_and_others_are_none():
    with frit.compiler.set_stance("fail_on_recompile"):
        with frit.compiler.set_stance("force_eager"):
            c = frit.compile(lambda x, n: x * n)
            assert c(frit.ones(1), 2).tolist() == [2] and not entries(c)
        c(frit.ones(1), 2)
        with pytest.raises(RuntimeError, match="fail_on_recompile"):
            c(frit.ones(1), 3)
    c(frit.ones(1), 3)
    with pytest.raises(ValueError, match=r"^\[compile\] given stance 'x', expected one of default, force_eager, "
                                         "eager_on_recompile, fail_on_recompile$"):
        frit.compiler.set_stance("x")


def test_fail_on_recompile_where_the_limit_is_reached():
    c = frit.compile(lambda x, k: x + 1 if k == "a" else x * len(k), options={"recompile_limit": 2})
    x = frit.tensor([1.0])
    for k in ("a", "bb", "ccc", "dddd"):
        c(x, k)
    with frit.compiler.set_stance("fail_on_recompile"):
        assert c(x, "bb").tolist() == [2]
        with pytest.raises(RuntimeError, match=r"fail_on_recompile: none of the entries of \S+<lambda> fits"):
            c(x, "eeeee")
    assert c(x, "eeeee").tolist() == [5]
