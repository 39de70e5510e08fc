"""torch.tensor([...]) and its kin inside of a compiled function: part of the graph, and another tensor at each call."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import frit  # noqa: E402
from frit import _C  # noqa: E402


def run(f, *calls, breaks=0):
    """Results and what they are, plain and compiled."""
    c = frit.compile(f)
    for args in calls:
        want, got = f(*args), c(*args)
        for w, g in zip(want, got):
            assert torch.equal(w, g) and w.dtype == g.dtype and w.stride() == g.stride(), (args, w, g)
    found = _C._explain(c)
    assert len(found["breaks"]) == breaks, found["breaks"]
    return found


def test_lists_are_part_of_the_graph():
    def f(x):
        i = torch.tensor([0, 2])
        return x * torch.tensor([1.0, 2.0, 3.0]), x[i], torch.tensor([[1, 2], [3, 4]], dtype=torch.float64) + 1, \
            torch.as_tensor([True, False]), torch.as_tensor(x, dtype=torch.float64)

    found = run(f, *[(torch.rand(3),) for _ in range(3)])
    assert len(found["entries"]) == 1


def test_each_call_has_its_own():
    def f(x):
        return torch.tensor([1.0, 2.0]), x + 1

    c = frit.compile(f)
    for _ in range(3):
        t, _ = c(torch.ones(2))
        assert t.tolist() == [1, 2] and not t.requires_grad and t._version == 0
        t.add_(5)


def test_numbers_that_change_are_filled_in():
    def f(x, k):
        return torch.tensor(k), x + torch.tensor(k), torch.tensor(k, dtype=torch.float64)

    found = run(f, *[(torch.rand(3), k) for k in (3, 4, 5, 6)])
    assert len(found["entries"]) == 2
    found = run(f, *[(torch.rand(3), k) for k in (1.5, 2.5, 0.1, -3.25)])
    assert len(found["entries"]) == 2


def test_sizes_are_filled_in():
    def f(x):
        return torch.tensor(x.shape[0]) + 1, torch.tensor([x.shape[0], x.shape[1], 7])

    found = run(f, *[(torch.rand(n, n + 2),) for n in (3, 4, 5)])
    assert len(found["entries"]) == 1


def test_what_depends_on_values_is_a_break_still():
    run(lambda x: (torch.tensor([x.min(), x.max()]),), *[(torch.rand(3),) for _ in range(3)], breaks=1)
    with pytest.raises(RuntimeError, match="has a gradient of its own"):
        frit.compile(lambda x: torch.tensor([1.0], requires_grad=True) * x, fullgraph=True)(torch.rand(1))


def test_its_errors_are_torchs():
    c = frit.compile(lambda x: torch.tensor([[1, 2], [3]]) + x)
    for _ in range(2):
        with pytest.raises(ValueError, match="expected sequence of length 2 at dim 1"):
            c(torch.rand(1))


def test_type():
    def f(x):
        return x.type(torch.float64), x + 1 if x.type() == "torch.FloatTensor" else x - 1

    found = run(f, (torch.rand(2),), (torch.rand(2),), (torch.rand(2).double(),), (torch.rand(2).double(),))
    assert len(found["entries"]) == 2


def test_finfo():
    run(lambda x: (x.clamp(min=torch.finfo(x.dtype).min), x + torch.iinfo(torch.int8).max), *[(torch.rand(2),)] * 3)


@pytest.mark.parametrize("write", [
    lambda y, m: y.__setitem__(m, 0), lambda y, m: y.__setitem__(y > 0, 0), lambda y, m: y.index_put_((m,), torch.tensor(2.0)),
    lambda y, m: y.masked_scatter_(m[:, None].expand(3, 3), torch.zeros(9))])
def test_gradients_of_what_torch_writes(write):
    """Ops without a record that write: from the second call on, too."""
    def f(x, m):
        y = x * 3
        write(y, m)
        return (y * y).sum()

    c = frit.compile(f)
    m = torch.tensor([True, False, True])
    for seed in range(3):
        torch.manual_seed(seed)
        a = torch.randn(3, 3, requires_grad=True)
        b = a.detach().clone().requires_grad_()
        f(a, m).backward()
        c(b, m).backward()
        assert torch.allclose(a.grad, b.grad) and a.grad.any()
