"""Where compile() steps aside over PyTorch's tensors: plain Python's behaviour, and one notice."""
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import frit  # noqa: E402


def run(program):
    """The program's output and notices, in a fresh process."""
    done = subprocess.run([sys.executable, "-c", "import torch, frit\n" + program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_another_device():
    out, notices = run("""
f = frit.compile(lambda x: (x * 2).relu())
for _ in range(5):
    y = f(torch.ones(3, device="meta"))
    assert y.device.type == "meta"
print(f(torch.ones(3)))
""")
    assert out == "tensor([2., 2., 2.])\n"
    assert notices.count("it is on the device meta") == 1, notices
    assert "frit: [compile] x cannot be part of a graph: it is on the device meta; what uses it runs as plain Python" in notices


def test_other_dtypes():
    f = frit.compile(lambda x: x * 2)
    x = torch.tensor([1 + 2j])
    for _ in range(3):
        assert torch.equal(f(x), x * 2)


def test_sparse():
    f = frit.compile(lambda x: x + x)
    x = torch.eye(3).to_sparse()
    for _ in range(3):
        assert torch.equal(f(x).to_dense(), 2 * torch.eye(3))


class Tagged(torch.Tensor):
    calls = 0

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.calls += 1
        return super().__torch_function__(function, types, args, kwargs or {})


def test_subclasses():
    f = frit.compile(lambda x, y: torch.relu(x * 2) + y)
    for _ in range(3):
        before = Tagged.calls
        x = torch.ones(3).as_subclass(Tagged)
        y = f(x, torch.ones(3))
        assert type(y) is Tagged and Tagged.calls - before >= 3
        assert torch.equal(y.as_subclass(torch.Tensor), torch.full((3,), 3.0))


class Seen(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.names.append(function.__name__)
        return function(*args, **(kwargs or {}))


class Dispatched(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(str(function))
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("mode", [Seen, Dispatched])
def test_modes(mode):
    f = frit.compile(lambda x: torch.relu(x * 2))
    for _ in range(2):
        f(torch.ones(3))
    x = torch.ones(3)
    for _ in range(2):
        with mode() as on:
            f(x)
        assert len(on.names) == 2, on.names
    assert any("mode is on" in b["text"] for b in frit.explain(f)(torch.ones(3)).breaks)


def test_autocast():
    f = frit.compile(lambda x, w: x @ w)
    x, w = torch.ones(3, 3), torch.ones(3, 3)
    assert f(x, w).dtype == torch.float32
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert f(x, w).dtype == torch.bfloat16
    assert f(x, w).dtype == torch.float32


def test_transforms():
    f = frit.compile(lambda x: (x * x).sum())
    x = torch.arange(3.0)
    f(x)
    assert torch.equal(torch.func.grad(f)(x), 2 * x)
    assert torch.equal(torch.func.vmap(f)(torch.ones(2, 3)), torch.full((2,), 3.0))


def test_inference_mode():
    f = frit.compile(lambda x: x * 2)
    for _ in range(3):
        with torch.inference_mode():
            y = f(torch.ones(3))
            assert y.is_inference() and torch.equal(y, torch.full((3,), 2.0))
        assert not f(torch.ones(3)).is_inference()


def test_reads_of_values():
    def f(x):
        if x.sum() > 0:
            return x + x.max().item()
        return x.tolist()

    g = frit.compile(f)
    for value in (1.0, -1.0, 1.0, 2.0):
        x = torch.full((3,), value)
        a, b = g(x), f(x)
        assert torch.equal(a, b) if isinstance(b, torch.Tensor) else a == b
    kinds = {b["kind"] for b in frit.explain(g)(x).breaks}
    assert kinds == {"data_read"}  # the float that was read is an input of the rest's graph


def test_errors_are_torchs_own():
    f = frit.compile(lambda x, w: torch.relu(x) @ w)
    x, w = torch.ones(2, 3), torch.ones(3, 2)
    for _ in range(3):
        f(x, w)
        with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
            f(x, torch.ones(2, 2))


def test_an_unsupported_version():
    out, notices = run("""
torch.__version__ = "1.2.3"
for name in ("__dlpack_c_exchange_api__", "__c_dlpack_exchange_api__"):
    setattr(torch.Tensor, name, None)
f = frit.compile(lambda x: (x * 2).relu())
for _ in range(3):
    print(f(torch.ones(2)))
""")
    assert out == "tensor([2., 2.])\n" * 3
    assert notices.count("PyTorch 1.2.3 is not supported: ") == 1, notices
    assert "its tensors have no table of DLPack 1 for the exchange of tensors" in notices
