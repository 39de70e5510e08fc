"""Ops of PyTorch's under compile(): those that have a record, and those that the graph calls torch for. Values, strides,
random streams and gradients are eager's, at the capture and after it."""
import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402

import frit  # noqa: E402
from test_torch_compile import check  # noqa: E402


def R(*sizes):
    return torch.randn(*sizes, requires_grad=True)


def randoms():
    return torch.randn(4, 6), torch.randn(4, 6)


LABELS = torch.tensor([1, 2, 3, 0])


def writes_a_local(x, y):
    z = x.clone()
    z[0] = 1
    z[:, 1] += 2
    z[1:3, 2:4] = y[:2, :2]
    z.mul_(3)
    return z


def writes_an_argument(x, y):
    x.add_(1)
    x[:, 0] = y[:, 1]
    return x * 2


FUNCTIONS = {
    "getitem": lambda x, y: (x[1:], x[:, 0] * 2, x[..., None] + 1, x[0, 1]),
    "index": lambda x, y: x[LABELS] + 1,
    "mask_where": lambda x, y: torch.where(x > 0, x, y).masked_fill(y > 0, -1.0),
    "flatten": lambda x, y: x.flatten() + y.reshape(-1),
    "split": lambda x, y: x.split(2, 1)[1] * y.chunk(3, 1)[0],
    "casts": lambda x, y: x.long().float() + y.double() + x.to(torch.float16),
    "reflected": lambda x, y: (1 - x, 2 / x, 2**x, x // 0.5, x**2, x % 2, 2 % x),
    "inplace": writes_a_local,
    "inplace_argument": writes_an_argument,
    "cat": lambda x, y: torch.cat([x, y], 1) + torch.stack([x, y]).sum(),
    "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
    "cross_entropy": lambda x, y: F.cross_entropy(x, LABELS),
    "max": lambda x, y: x.max(1),
    "topk": lambda x, y: x.topk(2),
    "batch_norm": lambda x, y: F.batch_norm(x, torch.zeros(6), torch.ones(6), training=True),
    "conv1d": lambda x, y: F.conv1d(x[None], y[None, :, :3]),
    "pool": lambda x, y: F.avg_pool1d(x[None], 2).relu(),
    "creation": lambda x, y: torch.zeros(x.shape[0], 3) + torch.arange(3) + torch.ones_like(x)[:, :3],
    "transposed": lambda x, y: x.T @ y + x.mT @ y,
    "dropout": lambda x, y: F.dropout(x, 0.5) * 2 + F.dropout(y, 0.1),
    "random": lambda x, y: x + torch.rand(4, 6) + torch.randn_like(y) + torch.bernoulli(torch.sigmoid(x)),
    "methods": lambda x, y: x.add(y, alpha=2).clamp(min=-1).softmax(dim=-1).std(0),
    "bound_method": lambda x, y: list(map(x.mul, [y, 2])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    f = FUNCTIONS[name]
    g = frit.compile(f)
    for i in range(3):
        args = randoms()
        given = copy.deepcopy(args)
        versions = [t._version for t in given]
        torch.manual_seed(i)
        expected, state = f(*args), torch.get_rng_state()
        torch.manual_seed(i)
        check(g(*given), expected)
        check(given, args)
        assert torch.equal(torch.get_rng_state(), state)
        assert [t._version - v for t, v in zip(given, versions)] == [t._version for t in args]
    found = frit.explain(g)(*randoms())
    if name != "bound_method":
        assert (len(found.entries), found.breaks, found.plain_calls) == (1, [], 0), str(found)


def writes_with_gradient(x):
    y = x * 2
    y[:, 0] = x[:, 1]
    return y.sin()


DIFFERENTIABLE = {
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b).relu().sum((2, 3)), lambda: (R(2, 3, 8, 8), R(4, 3, 3, 3), R(4))),
    "dropout": (lambda x: F.dropout(x, 0.5) * 2, lambda: (R(4, 6),)),
    "batch_norm": (lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, training=True).square(),
                   lambda: (R(4, 6), torch.zeros(6), torch.ones(6), R(6), R(6))),
    "attention": (lambda q, k: F.scaled_dot_product_attention(q, k, k), lambda: (R(2, 4, 8, 16), R(2, 4, 8, 16))),
    "cross_entropy": (lambda x: F.cross_entropy(x, LABELS), lambda: (R(4, 6),)),
    "setitem": (writes_with_gradient, lambda: (R(4, 6),)),
    "group_norm": (lambda x, w: F.group_norm(x, 2, w), lambda: (R(2, 4, 8), R(4))),
    "embedding": (lambda w: F.embedding(LABELS, w).tanh(), lambda: (R(5, 6),)),
    "no_record": (lambda x: x.logcumsumexp(1) + x.cumprod(0) + x.sort(1)[0], lambda: (R(4, 6),)),
    "unused": (lambda x, y: x.sum() + y.detach().sum(), lambda: (R(3), R(3))),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    f, make = DIFFERENTIABLE[name]
    g = frit.compile(f)
    for i in range(3):
        args = make()
        given = [t.detach().clone().requires_grad_(t.requires_grad) for t in args]
        torch.manual_seed(i)
        expected = f(*args)
        torch.manual_seed(i)
        result = g(*given)
        check(result, expected)
        gradient = torch.randn_like(expected)
        for out, ts in ((expected, args), (result, given)):
            out.backward(gradient)
        for a, b in zip(given, args):
            check(a.detach(), b.detach())
            assert (a.grad is None) == (b.grad is None)
            if b.grad is not None:
                torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)
    found = frit.explain(g)(*make())
    assert (len(found.entries), found.breaks, found.plain_calls) == (1, [], 0), str(found)


def test_undefined_gradients():
    def f(x, y):
        return x * 2, y * 3

    g = frit.compile(f)
    for _ in range(2):
        x, y = R(3), R(3)
        a, _ = g(x, y)
        a.sum().backward()
        check(x.grad, torch.full((3,), 2.0))
        assert y.grad is None


def test_gradients_of_gradients_are_an_error():
    g = frit.compile(lambda x: (x**3).sum())
    g(R(3))
    x = R(3)
    first, = torch.autograd.grad(g(x), x, create_graph=True)
    torch.testing.assert_close(first, 3 * x.detach()**2)
    with pytest.raises(RuntimeError, match=r"(?s)\[compile\] gradients of gradients are asked for.*try: .*force_eager"):
        first.sum().backward()


def test_backward_twice_and_stale_inputs():
    g = frit.compile(lambda x: (x.exp() * x).sum())
    g(R(3))
    y = g(x := R(3))
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()
    x = R(3)
    z = x * 1
    y = g(z)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_no_grad_and_views():
    def f(x):
        with torch.no_grad():
            y = x * 2
        return y, x.view(-1), x[0], x

    g = frit.compile(f)
    for _ in range(3):
        x = R(2, 3)
        got = g(x)
        check(got, f(x))
        assert got[3] is x and got[1]._base is x and got[1].data_ptr() == x.data_ptr()
        assert not got[0].requires_grad


def test_detached_results():
    def f(x, y):
        z = x * y
        return x.detach(), x.detach()[0], z, z.detach(), z.detach()[1:]

    g = frit.compile(f)
    for _ in range(3):
        x, y = R(2, 3), R(2, 3)
        got = g(x, y)
        check(got, f(x, y))
        assert [t.requires_grad for t in got] == [False, False, True, False, False]
        assert got[0].data_ptr() == x.data_ptr() and got[3].data_ptr() == got[2].data_ptr()
        assert got[0]._base is None


def test_shared_memory_is_told_apart():
    def f(a, b):
        a.add_(1)
        return b * 2

    g = frit.compile(f)
    for _ in range(2):
        check(g(torch.zeros(4), torch.ones(4)), torch.full((4,), 2.0))
        base = torch.zeros(6)
        check(g(base[:4], base[1:5]), torch.full((4,), 2.0) * torch.tensor([1, 1, 1, 0]))
        x = torch.zeros(4)
        check(g(x, x), torch.full((4,), 2.0))
