"""What may change between the calls of an entry over PyTorch's tensors: each change is noticed."""
import subprocess
import sys
import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import frit  # noqa: E402


def added(parameters):
    def f(x):
        for p in parameters:
            x = x + p
        return x
    return f


@pytest.mark.parametrize("n", (3, 60))
def test_tensors_that_are_replaced(n):
    parameters = [torch.randn(3) for _ in range(n)]
    f = added(parameters)
    g = frit.compile(f)
    x = torch.randn(3)

    def same():
        torch.testing.assert_close(g(x), f(x), rtol=0, atol=0)
        assert g(x).requires_grad == f(x).requires_grad

    same()
    parameters[1] = torch.randn(3)
    same()
    parameters[1].data = torch.randn(3)
    same()
    parameters[1].requires_grad_()
    same()
    parameters[1] = parameters[0]  # one object twice
    same()
    parameters[1] = torch.randn(6)[::2]
    same()
    parameters[1] = torch.randn(3, dtype=torch.float64)
    same()
    parameters[:] = [torch.randn(3) for _ in range(n)]
    same()
    parameters[2].resize_(1)
    same()


def test_elements_that_are_to_be_negated():
    g = frit.compile(lambda x: x * 2)
    x = torch.view_as_complex(torch.randn(3, 2))
    plain, negated = x.imag, x.conj().imag
    assert negated.is_neg()
    for kind in (lambda t: t, torch.nn.Parameter):
        for t in (kind(plain), kind(negated), kind(plain)):
            torch.testing.assert_close(g(t), t * 2, rtol=0, atol=0)


def test_writes_to_what_shares_memory():
    """Which of the tensors lie in one storage is looked at again at each call."""
    def f(x, y):
        x.add_(1)
        return x * y

    g = frit.compile(f)

    def both(make):
        a, b = make(), make()
        before = a[0]._version
        torch.testing.assert_close(g(*a), f(*b), rtol=0, atol=0)
        torch.testing.assert_close(a, b, rtol=0, atol=0)
        assert a[0]._version - before == 1

    def base(offset):
        b = torch.arange(8.)
        return b[:4], b[offset:offset + 4]

    for _ in range(2):
        both(lambda: (torch.ones(4), torch.ones(4)))
        both(lambda: base(2))
        both(lambda: base(4))
        both(lambda: base(0))
        both(lambda: (torch.ones(4),) * 2)


def test_the_same_storage_with_other_memory():
    def f(x, y):
        x.add_(1)
        return x * y

    g = frit.compile(f)
    x, y = torch.ones(4), torch.ones(4)
    g(x, y)
    kept = torch.zeros(4)
    x.set_(kept)
    torch.testing.assert_close(g(x, y), torch.ones(4), rtol=0, atol=0)
    torch.testing.assert_close(kept, torch.ones(4), rtol=0, atol=0)
    x.untyped_storage().resize_(64)
    x.resize_(8).fill_(1)
    torch.testing.assert_close(g(x, torch.ones(8)), torch.full((8,), 2.), rtol=0, atol=0)


def on_threads(work):
    """Runs work(0) to work(3), each on a thread of its own, to their ends."""
    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def test_one_entry_on_many_threads():
    parameters = [torch.randn(50) for _ in range(40)]
    f = added(parameters)
    g = frit.compile(f)
    g(torch.randn(50))
    wrong = []

    def work(seed):
        random = torch.Generator().manual_seed(seed)
        for _ in range(200):
            x = torch.randn(50, generator=random)
            if not torch.equal(g(x), f(x)):
                wrong.append(seed)

    on_threads(work)
    assert not wrong


def test_gradients_of_gradients_of_a_cached_call():
    g = frit.compile(lambda x: (x * x * x).sum())
    x = torch.randn(4, requires_grad=True)
    g(x)  # captured: torch's own
    for _ in range(3):
        first, = torch.autograd.grad(g(x), x, create_graph=True)
        torch.testing.assert_close(first, 3 * x * x)
        with pytest.raises(RuntimeError, match="gradients of gradients"):
            first.sum().backward()


def test_parallel_work_runs_on_torchs_threads():
    """No second set of threads is started beside torch's."""
    code = """
import os, torch, frit
torch.set_num_threads(2)
x, y = torch.randn(1 << 20), torch.randn(1 << 20)
def f(x, y):
    return torch.relu(x * y + 1)
expected = f(x, y)
threads = len(os.listdir('/proc/self/task'))
g = frit.compile(f)
for _ in range(3):
    assert torch.equal(g(x, y), expected)
found = frit.explain(g)(x, y)
assert found.plain_calls == 0 and len(found.entries) == 1
assert len(os.listdir('/proc/self/task')) == threads, (threads, len(os.listdir('/proc/self/task')))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_long_runs_of_one_entry_on_many_threads():
    g = frit.compile(lambda x, w: (x @ w).relu().sum(0))
    w = torch.randn(64, 64, requires_grad=True)
    g(torch.randn(2048, 64), w).sum().backward()
    wrong = []

    def work(seed):
        random = torch.Generator().manual_seed(seed)
        for _ in range(20):
            x = torch.randn(2048, 64, generator=random)
            found, = torch.autograd.grad(g(x, w).sum(), w)
            expected, = torch.autograd.grad((x @ w).relu().sum(), w)
            if not torch.allclose(found, expected, rtol=1e-3, atol=1e-3):
                wrong.append(seed)

    on_threads(work)
    assert not wrong
