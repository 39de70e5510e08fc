"""Tensors made of numbers inside of a compiled function, and the standard library's helpers around them."""
import collections
import functools
import itertools

import frit
import pytest

try:
    import torch
except ImportError:
    torch = None

LIBRARIES = [frit, pytest.param(torch, marks=pytest.mark.skipif(torch is None, reason="PyTorch is not installed"))]


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


def reduced(lib, x, n):
    return functools.reduce(lambda a, b: a + b, [x, x * 2, x * n])


def reduced_from(lib, x, n):
    return functools.reduce(lambda a, b: a * b, (x, x + 1), x - n)


def chained(lib, x, n):
    total = x
    for v in itertools.chain([1, 2], (n,), itertools.chain.from_iterable([[4], [5, 6]])):
        total = total * 0.5 + v
    return total


def counted(lib, x, n):
    d = collections.defaultdict(list)
    d["a"].append(x)
    d["a"].append(x + n)
    d["b"].append(x - n)
    return {k: sum(v) for k, v in d.items()}


def same(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a.dtype == b.dtype and tuple(a.shape) == tuple(b.shape) and a.tolist() == b.tolist()


@pytest.mark.parametrize("lib", LIBRARIES, ids=lambda lib: getattr(lib, "__name__", "torch"))
@pytest.mark.parametrize("f", [literal, nested, sizes, of_a_dtype, number, written, reduced, reduced_from,
                               chained, counted])
def test_equals_plain_python_without_a_break(f, lib):
    g = frit.compile(f)
    for n in (3, 3, 4, 5, 3):
        x = lib.tensor([0.5, -1.0, float(n)])
        assert same(g(lib, x, n), f(lib, x, n)), n
    assert not frit.explain(g)(lib, lib.tensor([0.5, 1.0, 2.0]), 3).breaks


@pytest.mark.parametrize("lib", LIBRARIES, ids=lambda lib: getattr(lib, "__name__", "torch"))
def test_each_call_has_a_tensor_of_its_own(lib):
    g = frit.compile(written)
    x = lib.tensor([1.0, 2.0, 3.0])
    first, second = g(lib, x, 0), g(lib, x, 0)
    first += 1
    assert second.tolist() == [1.0, 2.0, 3.0]
    assert g(lib, x, 0).tolist() == [1.0, 2.0, 3.0]


def held(x, d):
    d["k"] += 1
    return x * d["k"]


def test_a_default_of_a_dict_that_is_given():
    g = frit.compile(held)
    d, plain = collections.defaultdict(int), collections.defaultdict(int)
    x = frit.ones(2)
    for _ in range(4):
        assert g(x, d).tolist() == held(x, plain).tolist()
        assert d == plain
    d.pop("k"), plain.pop("k")
    assert g(x, d).tolist() == held(x, plain).tolist()
    none = collections.defaultdict(None)
    with pytest.raises(KeyError, match="k"):
        g(x, none)


def found(x, a, b):
    return x + 1 if a == b else x - 1


def among(x, a, b):
    return x + 1 if a in [b] else x - 1


@pytest.mark.parametrize("f", [found, among])
def test_equal_by_identity_is_guarded(f):
    g = frit.compile(f)
    one, other = object(), object()
    x = frit.ones(2)
    for a, b in ((one, one), (one, other), (other, other), (other, one), (one, one)):
        assert g(x, a, b).tolist() == f(x, a, b).tolist(), (a is b)


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
def test_type_of_pytorch():
    def f(x):
        return x.type(torch.float64) * 2 if x.type() == "torch.FloatTensor" else x

    g = frit.compile(f)
    x = torch.ones(3)
    for _ in range(3):
        assert g(x).dtype == torch.float64 and torch.equal(g(x), f(x))
    assert not frit.explain(g)(x).breaks


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed")
def test_gradients_through_a_written_mask():
    def f(x, w):
        y = x * w
        y[y > 1.0] = 0
        return (y * y).sum()

    g = frit.compile(f)
    for seed in range(3):
        torch.manual_seed(seed)
        x = torch.randn(8)
        mine, plain = (torch.full((8,), 1.5, requires_grad=True) for _ in range(2))
        g(x, mine).backward()
        f(x, plain).backward()
        assert torch.equal(mine.grad, plain.grad)
