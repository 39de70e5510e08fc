"""Numbers that change, sizes that are marked, and what recompiles say."""
import frit
import pytest
from frit import _C


def entries(f):
    return _C._explain(f)["entries"]


def recompiles(f):
    return [(r["reason"], r["hint"]) for r in _C._explain(f)["recompiles"]]


def same(a, b):
    assert (a.dtype, a.shape, a.tolist()) == (b.dtype, b.shape, b.tolist())


class Step:
    def __init__(self):
        self.rate, self.count = 0.1, 0


@pytest.mark.parametrize("dtype", [frit.float32, frit.float64])
def test_floats_that_change_are_inputs_of_the_graph(dtype):
    def f(x, rate, s):
        y = x * rate + s.rate
        y = (rate - y) / s.rate
        y += rate
        return frit.where(y > rate, y, s.rate - y), x.shape[0]

    c = frit.compile(f, fullgraph=True)
    x, s = frit.randn(5).to(dtype), Step()
    for i in range(12):
        rate, s.rate = 0.1 + i / 7, 1e-3 + 0.37 ** i
        got, wanted = c(x, rate, s), f(x, rate, s)
        same(got[0], wanted[0])
    found = entries(c)
    assert len(found) == 2 and found[1]["runs"] == 10
    assert recompiles(c) == [("rate was 0.1, now 0.24285714285714285",
                              "nothing: from now on rate may be any number")]


def test_gradients_through_a_float_that_changes():
    def f(x, rate):
        return (x * rate).sum()

    c = frit.compile(f, fullgraph=True)
    for i in range(5):
        x = frit.full((3,), 2.0).requires_grad_()
        y = frit.full((3,), 2.0).requires_grad_()
        c(x, 0.5 + i).backward()
        f(y, 0.5 + i).backward()
        same(x.grad, y.grad)
    assert len(entries(c)) == 2


def test_floats_that_are_branched_on_stay_with_python():
    def f(x, rate):
        return x * rate if rate > 1 else x - rate

    c = frit.compile(f)
    x = frit.randn(3)
    for i in range(8):
        same(c(x, 0.3 * i), f(x, 0.3 * i))


@pytest.mark.parametrize("x", [frit.arange(3), frit.tensor(2.0), frit.ones(2, dtype=frit.float16)])
def test_floats_beside_tensors_that_choose_the_dtype_otherwise(x):
    def f(x, rate):
        return x * rate

    c = frit.compile(f)
    for i in range(5):
        same(c(x, 0.3 * i), f(x, 0.3 * i))


FLOATS = (0.1, 0.3, 1 / 3, 2.0, -1.7, 0.0, -0.0, float("inf"), float("nan"), 1e-300)
OPERATORS = {
    "add": lambda x, s: (x + s, s + x), "sub": lambda x, s: (x - s, s - x), "mul": lambda x, s: (x * s, s * x),
    "div": lambda x, s: (x / s, s / x), "floor": lambda x, s: (x // s, s // x), "mod": lambda x, s: (x % s, s % x),
    "compare": lambda x, s: (x < s, s < x, x == s, s != x, s >= x),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_a_float_that_changes_are_eagers_to_the_last_bit(name):
    f = OPERATORS[name]
    c = frit.compile(lambda x, s: f(x, s))
    for dtype in (frit.float32, frit.float64):
        x = frit.tensor([0.1, -2.5, 3.0, 7.7, 1e-3, 0.0, 1 / 3]).to(dtype)
        for s in FLOATS:
            for a, b in zip(c(x, s), f(x, s), strict=True):
                assert (a.dtype, repr(a.tolist())) == (b.dtype, repr(b.tolist())), s


def test_a_float_that_is_operated_on_in_place_is_not_written():
    def f(x, s):
        t = s
        s *= x
        t /= x
        return s, t

    c = frit.compile(f, fullgraph=True)
    for i in range(5):
        x = frit.rand(3) + 1
        for a, b in zip(c(x, 0.3 * i), f(x, 0.3 * i), strict=True):
            same(a, b)
    assert len(entries(c)) == 2


def test_powers_of_floats_that_change():
    def f(x, p):
        return x ** p

    c = frit.compile(f)
    x = frit.rand(4)
    for p in (2.0, 0.5, 3.0, -1.0, 1.7):
        same(c(x, p), f(x, p))


class Holder:
    def __init__(self, n):
        self.table = frit.ones(n, 2)


def test_marked_sizes_are_symbols():
    def f(h):
        return h.table * 2 + h.table.shape[0]

    plain, marked = frit.compile(f), frit.compile(f)
    h = Holder(3)
    plain(h)
    h.table = frit.ones(4, 2)
    same(plain(h), f(h))
    assert recompiles(plain) == [("h.table.size(0) was 3, now 4", "frit.compiler.mark_dynamic(h.table, 0)")]
    for n in range(2, 9):
        h.table = frit.ones(n, 2)
        frit.compiler.mark_dynamic(h.table, 0)
        same(marked(h), f(h))
    assert len(entries(marked)) == 1


def test_sizes_marked_as_fixed():
    def f(x):
        return x * 2

    c = frit.compile(f)
    for n in (3, 4, 3):
        x = frit.ones(n, n)
        frit.compiler.mark_static(x, 0)
        same(c(x), f(x))
    assert recompiles(c) == [("x.size(0) was 3, now 4", "frit.compiler.mark_dynamic(x, 0)")]


def test_what_cannot_be_marked():
    with pytest.raises(TypeError, match=r"^\[mark_dynamic\] given int, expected a tensor$"):
        frit.compiler.mark_dynamic(3, 0)
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 2"):
        frit.compiler.mark_static(frit.ones(3), 2)


@pytest.mark.parametrize("first, second, reason, hint", [
    ((1.5, "a"), (1.5, "b"), "how was a, now b", "the same how at each call, or a compiled function for each of its "
                                                "values"),
    ((3, "a"), (4, "a"), "n was 3, now 4", "nothing: from now on n may be any number"),
    ((3, "a"), (None, "a"), "n was not None, now it is", "the same object as n at each call"),
])
def test_recompiles_name_guard_values_and_knob(first, second, reason, hint):
    def f(x, n, how):
        if how == "a" and n is not None and n > 1:
            return x + 1
        return x - 1

    c = frit.compile(f)
    x = frit.ones(2)
    c(x, *first)
    c(x, *second)
    assert recompiles(c) == [(reason, hint)]
    assert f"recompile 1: {reason}\n  try: {hint}" in str(frit.explain(c)(x, *second))


@pytest.mark.parametrize("other, reason, hint", [
    (frit.ones(2, dtype=frit.float64), "x's dtype was float32, now float64", "tensors of one dtype at each call"),
    (frit.ones(2).requires_grad_(), "x.requires_grad was false, now true",
     "tensors that require gradients at each call, or at none"),
    (frit.ones(2, 2), "x had 1 dimensions, now 2", "tensors of as many dimensions at each call"),
    ([1], "type(x) was frit.Tensor, now list", "a value of one type as x at each call"),
])
def test_recompiles_of_tensors(other, reason, hint):
    c = frit.compile(lambda x: x * 2)
    c(frit.ones(2))
    c(other)
    assert recompiles(c) == [(reason, hint)]


def test_the_limit_of_recompiles_is_said_once(capfd):
    def limited(x, s):
        return x if s == "never" else x + 1

    c = frit.compile(limited)
    x = frit.ones(2)
    for i in range(20):
        same(c(x, str(i)), limited(x, str(i)))
    found = _C._explain(c)
    assert len(found["entries"]) == 8 and found["plain_calls"] == 12
    assert capfd.readouterr().err.count("8 entries were made here: it runs as plain Python from now on") == 1
