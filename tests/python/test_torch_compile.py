"""compile() over PyTorch's tensors: values, sizes, gradients, modules."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import frit  # noqa: E402


def compiled(f, *args, times=3, **settings):
    """What f has become, after `times` calls that each equal eager's."""
    g = frit.compile(f, **settings)
    for _ in range(times):
        check(g(*args), f(*args))
    return frit.explain(g)(*args)


def check(found, expected):
    if isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for a, b in zip(found, expected):
            check(a, b)
        return
    if not isinstance(expected, torch.Tensor):
        assert type(found) is type(expected) and found == expected
        return
    assert type(found) is type(expected)
    assert (found.dtype, found.shape, found.requires_grad) == (expected.dtype, expected.shape, expected.requires_grad)
    assert found.stride() == expected.stride()
    torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-6)


def one_graph(found):
    assert (len(found.entries), found.breaks, found.plain_calls) == (1, [], 0), str(found)


def test_pointwise():
    x, y, z = (torch.randn(4, 5) for _ in range(3))
    found = compiled(lambda x, y, z: torch.relu(x * y + z), x, y, z)
    one_graph(found)
    assert found.entries[0]["ops"] == 3


def test_other_sizes_use_the_same_graph():
    f = frit.compile(lambda x, w: F.linear(x, w).softmax(-1) @ w + x.shape[0])
    w = torch.randn(5, 5)
    for n in (3, 3, 4, 9):
        x = torch.randn(n, 5)
        check(f(x, w), F.linear(x, w).softmax(-1) @ w + n)
    one_graph(frit.explain(f)(torch.randn(6, 5), w))


def test_gradients():
    def f(x, w):
        return (F.gelu(x @ w) * x).sum()

    g = frit.compile(f)
    for n in (4, 4, 7):
        x, w = torch.randn(n, 5, requires_grad=True), torch.randn(5, 5, requires_grad=True)
        expected = torch.autograd.grad(f(x, w), (x, w))
        check(list(torch.autograd.grad(g(x, w), (x, w))), list(expected))
    assert len(frit.explain(g)(x, w).entries) == 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(64)
        self.up, self.down, self.head = nn.Linear(64, 256), nn.Linear(256, 64), nn.Linear(64, 10)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = torch.relu(self.up(self.norm(x))).square()
        return self.head(x + self.drop(self.down(h)))


def test_module_in_eval_mode():
    net = Net().eval()
    one_graph(compiled(lambda x: net(x), torch.randn(8, 64)))
