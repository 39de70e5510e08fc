"""What runs PyTorch's own engine and state inside of a compiled function: a break, and plain Python's results."""
import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

import frit  # noqa: E402


class Reader:
    def __init__(self):
        self.items = [1, 2]

    def step(self, x):
        for _ in iter(self.items):
            torch._C._get_privateuse1_backend_name()  # a break in each pass
        return torch.is_grad_enabled(), x * 2


def without_gradients(x):
    before = torch.is_grad_enabled()
    try:
        torch.set_grad_enabled(False)
        found = Reader().step(x)
    finally:
        torch.set_grad_enabled(before)
    return found, torch.is_grad_enabled()


def test_gradient_mode_of_frames_below_a_break():
    g = frit.compile(without_gradients)
    x = torch.ones(3, requires_grad=True)
    for _ in range(3):
        (mode, y), after = g(x)
        assert (mode, y.requires_grad, after) == (False, False, True)
    assert not frit.explain(g)(x).recompiles


@pytest.mark.parametrize("make", (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.AdamW(p)))
def test_a_training_step(make):
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    models = plain, copy.deepcopy(plain)

    def step_of(model):
        optimizer = make(model.parameters())

        def step(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.detach()
        return step

    eager, g = step_of(models[0]), frit.compile(step_of(models[1]))
    for _ in range(5):
        x, y = torch.randn(6, 4), torch.randint(0, 2, (6,))
        torch.testing.assert_close(g(x, y), eager(x, y))
    for a, b in zip(*(m.parameters() for m in models)):
        torch.testing.assert_close(a, b)
        torch.testing.assert_close(a.grad, b.grad)
    found = frit.explain(g)(x, y)
    breaks = [b for b in found.breaks if b["kind"] == "backward"]
    assert [b["text"] for b in breaks] == ["torch's Tensor.backward() runs PyTorch's own engine"]
    assert breaks[0]["where"].startswith(__file__)
    assert breaks[0]["hint"] == "it after the compiled call, which it differentiates by compiled code"
    # PyTorch's own code is left once a call, and it imports more of it on the way.
    assert len(found.breaks) < 20, found


def test_tensors_with_a_gradient_of_their_own():
    def f(x):
        w = torch.ones(4, requires_grad=True)
        return torch.autograd.grad((x * w).pow(2).sum(), w)[0], w

    g = frit.compile(f)
    x = torch.randn(4)
    for _ in range(3):
        torch.testing.assert_close(g(x), f(x))
        assert g(x)[1].requires_grad and g(x)[1].is_leaf
    first = frit.explain(g)(x).breaks[0]
    assert first["text"] == "torch.ones makes a tensor that has a gradient of its own"
    assert first["hint"] == "such a tensor as an argument, made before the compiled call"


def test_types_with_parameters():
    """They stand in annotations that run, as in PyTorch's max_pool2d."""
    def f(x):
        kinds = list[int], int | None, dict[str, tuple[int, ...]]
        return F.max_pool2d(x, 2), kinds

    g = frit.compile(f)
    x = torch.randn(1, 2, 4, 4)
    for _ in range(3):
        torch.testing.assert_close(g(x)[0], f(x)[0])
        assert g(x)[1] == f(x)[1]
    found = frit.explain(g)(x)
    assert (len(found.entries), found.breaks) == (1, []), str(found)


def test_a_view_of_a_tensor_that_shows_elements_twice():
    g = frit.compile(lambda x: x.unsqueeze(0))
    for n in (3, 3, 5):
        a, b = (torch.ones(1, 4).expand(n, 4).detach().requires_grad_() for _ in range(2))
        weights = torch.arange(4.0 * n).view(1, n, 4)
        (g(a) * weights).sum().backward()
        (b.unsqueeze(0) * weights).sum().backward()
        torch.testing.assert_close(a.grad, b.grad, rtol=0, atol=0)
