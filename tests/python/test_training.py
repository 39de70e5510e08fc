"""Optimisers and schedules against PyTorch; modules, initial values and training against C++."""
import json
import pathlib

import frit
import pytest
from frit import nn

OPTIMIZERS = [
    ("SGD", dict(lr=0.1)), ("SGD", dict(lr=0.1, momentum=0.9)), ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.5)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1)), ("SGD", dict(lr=0.1, maximize=True)),
    ("Adam", dict(lr=0.1)), ("Adam", dict(lr=0.1, betas=(0.8, 0.9), eps=1e-3, weight_decay=0.1)),
    ("AdamW", dict(lr=0.1)), ("AdamW", dict(lr=0.1, weight_decay=0.5, maximize=True)),
]
SCHEDULES = [
    ("StepLR", dict(step_size=3, gamma=0.5)), ("MultiStepLR", dict(milestones=[2, 5], gamma=0.1)),
    ("ExponentialLR", dict(gamma=0.9)), ("LinearLR", dict(start_factor=0.5, total_iters=4)),
    ("ConstantLR", dict(factor=0.5, total_iters=3)), ("CosineAnnealingLR", dict(T_max=7, eta_min=0.01)),
    ("LambdaLR", dict(lr_lambda=lambda step: 1 / (step + 1))),
]


def trajectory(library, name, options):
    x = library.tensor([1.0, -2.0, 3.0], dtype=library.float64, requires_grad=True)
    unused = library.ones(2, dtype=library.float64, requires_grad=True)
    optimizer = getattr(library.optim, name)([x, unused], **options)
    seen = []
    for _ in range(6):
        optimizer.zero_grad()
        (x**3 - 2 * x).sum().backward()
        optimizer.step()
        seen.append(x.tolist())
    return seen


@pytest.mark.parametrize("name, options", OPTIMIZERS, ids=str)
def test_optimizers(name, options):
    torch = pytest.importorskip("torch")
    for given, wanted in zip(trajectory(frit, name, options), trajectory(torch, name, options)):
        assert given == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("name, options", SCHEDULES, ids=lambda v: v if isinstance(v, str) else "")
def test_schedules(name, options):
    torch = pytest.importorskip("torch")

    def rates(library):
        optimizer = library.optim.SGD([library.ones(1, requires_grad=True)], lr=0.1)
        schedule = getattr(library.optim.lr_scheduler, name)(optimizer, **options)
        seen = []
        for _ in range(10):
            seen.append(float(optimizer.param_groups[0]["lr"]))
            optimizer.step()
            schedule.step()
        return seen
    assert rates(frit) == pytest.approx(rates(torch), rel=1e-12)


def test_groups_and_state():
    a, b = frit.ones(2, requires_grad=True), frit.ones(2, requires_grad=True)
    optimizer = frit.optim.AdamW([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1)
    assert [g["lr"].item() for g in optimizer.param_groups] == [0.1, 0.5]
    rate = optimizer.param_groups[0]["lr"]
    optimizer.param_groups[0]["lr"] = 0.25
    assert rate.item() == 0.25 and optimizer.param_groups[0]["lr"] is rate
    (a * b).sum().backward()
    optimizer.step()
    state = {k: v.clone() for k, v in optimizer.state_dict().items()}
    assert set(state) == {f"{i}.{n}" for i in (0, 1) for n in ("step", "lr", "exp_avg.0", "exp_avg_sq.0")}
    other = frit.optim.AdamW([{"params": [a]}, {"params": b}], lr=1)
    other.load_state_dict(state)
    assert other.param_groups[1]["lr"].item() == 0.5 and frit.equal(other.state[a]["exp_avg"], optimizer.state[a]["exp_avg"])
    del state["0.lr"]
    with pytest.raises(ValueError, match="missing: 0.lr"):
        other.load_state_dict(state)


@pytest.mark.parametrize("make, kind, text", [
    (lambda p: frit.optim.SGD([], lr=1), ValueError, "empty parameter list"),
    (lambda p: frit.optim.SGD([p], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda p: frit.optim.SGD([p, p]), ValueError, "more than one parameter group, or twice"),
    (lambda p: frit.optim.SGD([p * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda p: frit.optim.SGD(p), TypeError, "should be an iterable of Tensors or dicts"),
    (lambda p: frit.optim.SGD([p], nesterov=True), ValueError, "Nesterov momentum requires"),
    (lambda p: frit.optim.AdamW([p], betas=(0.9, 1.0)), ValueError, "Invalid beta parameter at index 1: 1.0"),
    (lambda p: frit.optim.lr_scheduler.StepLR(frit.optim.SGD([p]), 0), ValueError, "step_size is 0"),
])
def test_refusals(make, kind, text):
    with pytest.raises(kind, match=text):
        make(frit.ones(2, requires_grad=True))


def test_clipping():
    torch = pytest.importorskip("torch")

    def norms(library):
        x = library.tensor([3.0, -4.0], requires_grad=True)
        (x * x).sum().backward()
        norm = library.nn.utils.clip_grad_norm_([x], 1.0)
        clipped = x.grad.tolist()
        library.nn.utils.clip_grad_value_([x], 0.25)
        return [norm.item(), *clipped, *x.grad.tolist()]
    assert norms(frit) == pytest.approx(norms(torch), rel=1e-6)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 6)
        self.norm = nn.LayerNorm(6)
        self.up = nn.Linear(6, 12)
        self.drop = nn.Dropout(0.25)
        self.tail = nn.Sequential(nn.GELU(), nn.Linear(12, 4, bias=False))

    def forward(self, x):
        return self.tail(self.drop(self.up(self.norm(self.table(x)))))


def test_as_in_cpp():
    """tests/nn/python_reference.cpp writes this file: the same network, seed, data and ten steps."""
    reference = json.loads((pathlib.Path(__file__).parent / "cpp_training.json").read_text())
    frit.manual_seed(7)
    net = Net()
    assert list(net.state_dict()) == [name for name, _ in reference["initial"]]
    for (name, wanted), given in zip(reference["initial"], net.state_dict().values()):
        assert given.reshape(-1)[:4].tolist() == wanted, name
    optimizer = frit.optim.AdamW(net.parameters(), lr=0.01)
    x = frit.arange(10)
    y = x.remainder(4)
    losses = []
    for _ in range(10):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == reference["losses"]
    assert [p.sum().item() for p in net.parameters()] == reference["sums"]
