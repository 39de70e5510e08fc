"""Tensors made of numbers inside of a compiled function, over each library."""
import frit
import pytest

LIBRARIES = ["frit", "torch"]


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return pytest.importorskip(request.param)


def literal(lib, x, n):
    return x * lib.tensor([1.0, 2.0, 3.0])


def nested(lib, x, n):
    return x.sum() + lib.tensor([[1, 2], [3, n]])


def sizes(lib, x, n):
    return lib.tensor([x.shape[0], n])


def of_a_dtype(lib, x, n):
    return x.to(lib.float64) + lib.tensor(2, dtype=lib.float64)


def number(lib, x, n):
    return x + lib.tensor(float(n))


def written(lib, x, n):
    t = lib.tensor([0.0, 0.0, 0.0])
    t += x
    return t


@pytest.mark.parametrize("f", [literal, nested, sizes, of_a_dtype, number, written])
def test_equals_plain_python_without_a_break(f, lib):
    g = frit.compile(f)
    for n in (3, 3, 4, 5, 3):
        x = lib.tensor([0.5, -1.0, float(n)])
        a, b = g(lib, x, n), f(lib, x, n)
        assert (a.dtype, tuple(a.shape), a.tolist()) == (b.dtype, tuple(b.shape), b.tolist()), n
    assert not frit.explain(g)(lib, lib.tensor([0.5, 1.0, 2.0]), 3).breaks


def test_each_call_has_a_tensor_of_its_own(lib):
    g = frit.compile(written)
    x = lib.tensor([1.0, 2.0, 3.0])
    first, second = g(lib, x, 0), g(lib, x, 0)
    first += 1
    assert second.tolist() == [1.0, 2.0, 3.0]
    assert g(lib, x, 0).tolist() == [1.0, 2.0, 3.0]


def test_one_with_a_gradient_of_its_own_is_a_leaf(lib):
    def f(lib, x):
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        return w, (w * x).sum()

    g = frit.compile(f)
    for k in (3.0, 4.0, 5.0):
        w, y = g(lib, lib.tensor([k, 4.0]))
        y.backward()
        assert w.is_leaf and w.grad.tolist() == [k, 4.0]
    breaks = frit.explain(g)(lib, lib.tensor([3.0, 4.0])).breaks
    assert len(breaks) == 1 and "makes a tensor that has a gradient of its own" in str(breaks[0])
