"""Other sizes and strides at later calls: sizes that PyTorch's own C++ computes from them must not be taken for numbers."""
import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402

import frit  # noqa: E402
from test_torch_compile import check  # noqa: E402

R = torch.randn


def images():
    return [(R(2, 3, 4, 4),), (R(2, 3, 5, 4),), (R(3, 3, 5, 5),)]


def rows():
    return [(R(3, 4),), (R(5, 4),), (R(2, 4),)]


PROGRAMS = {
    "diff": (torch.diff, [(R(2),), (R(3),), (R(5),), (R(2),)]),
    "conv2d": (F.conv2d, [(R(2, 3, 8, 8), R(4, 3, 3, 3)), (R(2, 3, 9, 8), R(4, 3, 3, 3)), (R(5, 3, 9, 7), R(6, 3, 2, 2))]),
    "conv2d_same": (lambda x, w: F.conv2d(x, w, padding="same"),
                    [(R(2, 3, 8, 8), R(4, 3, 3, 3)), (R(2, 3, 8, 8), R(4, 3, 5, 5)), (R(3, 3, 6, 6), R(4, 3, 3, 3))]),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2), images()),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), images()),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), [(R(2, 4, 4, 4),), (R(3, 4, 5, 4),), (R(2, 8, 3, 3),)]),
    "reflect": (lambda x: F.pad(x, (1, 2), mode="reflect"), [(R(2, 3, 4),), (R(2, 3, 6),), (R(4, 3, 6),)]),
    "group_norm": (lambda x: F.group_norm(x, 2), [(R(4, 4, 3),), (R(2, 4, 3),), (R(4, 4, 12),)]),
    "tensordot": (lambda x, y: torch.tensordot(x, y, 1), [(R(2, 3), R(3, 4)), (R(5, 3), R(3, 2)), (R(3, 3), R(3, 3))]),
    "cdist": (torch.cdist, [(R(2, 3), R(4, 3)), (R(5, 3), R(2, 3)), (R(3, 2), R(3, 2))]),
    "strides": (lambda x: (x + 1, x.contiguous() * 2, x.reshape(-1)),
                [(R(3, 4),), (R(4, 3).t(),), (R(6, 8)[::2, ::2],), (R(3, 4),)]),
    "dropout_in_place": (lambda x: F.dropout(x, 0.5, True, True) * 2, rows()),
    "repeats": (lambda x: x.repeat_interleave(2, 0) + x.tile(2, 1), rows()),
    "order": (lambda x: x.kthvalue(2, 0)[0] + x.median(), rows()),
    "windows": (lambda x: x.unfold(0, 2, 1).sum(-1), rows()),
    "made": (lambda x: torch.eye(x.shape[0]) @ x + torch.linspace(0, 1, x.shape[1]), rows()),
    "transform": (lambda x: torch.fft.rfft(x).abs(), [(R(8),), (R(6),)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes(name):
    f, calls = PROGRAMS[name]
    g = frit.compile(f if f.__class__.__name__ == "function" else lambda *args: f(*args))
    for _ in range(2):
        for args in calls:
            given, wanted = copy.deepcopy(args), copy.deepcopy(args)
            torch.manual_seed(1)
            expected = f(*wanted)
            torch.manual_seed(1)
            check(g(*given), expected)
            check(given, wanted)


def test_errors_at_other_sizes():
    f = frit.compile(lambda x, y: torch.cat([x, y]) @ x)
    f(R(3, 3), R(3, 3))
    with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension 0"):
        f(R(3, 4), R(3, 3))
    check(f(torch.ones(3, 3), torch.ones(2, 3)), torch.full((5, 3), 3.0))


class Holder:
    def __init__(self, n):
        self.table = torch.ones(n, 2)


def test_marked_sizes_are_symbols():
    def f(h):
        return h.table * 2 + h.table.shape[0]

    c = frit.compile(f)
    for n in range(2, 9):
        h = Holder(n)
        frit.compiler.mark_dynamic(h.table, 0)
        check(c(h), f(h))
    assert len(frit._C._explain(c)["entries"]) == 1


def test_sizes_marked_as_fixed():
    c = frit.compile(lambda x: x * 2)
    for n in (3, 4, 3):
        x = torch.ones(n, n)
        frit.compiler.mark_static(x, -2)
        check(c(x), x * 2)
    assert [(r["reason"], r["hint"]) for r in frit._C._explain(c)["recompiles"]] == [
        ("x.size(0) was 3, now 4", "frit.compiler.mark_dynamic(x, 0)")]
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 2"):
        frit.compiler.mark_static(torch.ones(3), 2)


def same(a, b):
    assert (a.dtype, a.shape, repr(a.tolist())) == (b.dtype, b.shape, repr(b.tolist()))


FLOATS = (0.1, 0.3, 1 / 3, 2.0, -1.7, 0.0, -0.0, float("inf"), float("nan"), 1e-300)
OPERATORS = {
    "add": lambda x, s: (x + s, s + x), "sub": lambda x, s: (x - s, s - x), "mul": lambda x, s: (x * s, s * x),
    "div": lambda x, s: (x / s, s / x), "floor": lambda x, s: (x // s, s // x), "mod": lambda x, s: (x % s, s % x),
    "compare": lambda x, s: (x < s, s < x, x == s, s != x, s >= x),
    "power": lambda x, s: (x ** s,),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.int64])
@pytest.mark.parametrize("name", OPERATORS)
def test_operators_with_a_float_that_changes_are_eagers_to_the_last_bit(name, dtype):
    f = OPERATORS[name]
    c = frit.compile(lambda x, s: f(x, s))
    x = torch.tensor([0.1, -2.5, 3.0, 7.7, 1e-3, 0.0, 1 / 3]).to(dtype)
    for s in FLOATS:
        for a, b in zip(c(x, s), f(x, s), strict=True):
            same(a, b)


def test_a_float_that_changes_is_an_input_of_the_graph():
    def f(x, s):
        y = x * s
        y += s
        s /= x
        return (y - s).sum()

    c = frit.compile(f, fullgraph=True)
    for dtype in (torch.float32, torch.float64):
        for i in range(6):
            x = (torch.rand(5) + 1).to(dtype).requires_grad_()
            y = x.detach().clone().requires_grad_()
            a, b = c(x, 0.1 + i / 7), f(y, 0.1 + i / 7)
            assert a.dtype == b.dtype
            a.backward()
            b.backward()
            torch.testing.assert_close(a, b)
            torch.testing.assert_close(x.grad, y.grad)
    found = frit._C._explain(c)
    assert len(found["entries"]) == 3 and found["recompiles"][0]["reason"] == "s was 0.1, now 0.24285714285714285"


def test_a_float_that_changes_beside_a_scalar_tensor_stays_a_number():
    c = frit.compile(lambda x, s: x * s)
    for dtype in (torch.float32, torch.float16, torch.int64):
        x = torch.tensor(3).to(dtype)
        for i in range(5):
            same(c(x, 0.3 * i), x * (0.3 * i))
