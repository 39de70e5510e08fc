"""Modules, gradients and optimisers in compiled functions."""
import pytest

import frit
from frit import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        h = self.up(self.norm(x)).relu().square()
        return self.head(x + self.drop(self.down(h)))


def world(kind=optim.Adam):
    frit.manual_seed(3)
    net = Net()
    opt = kind(net.parameters(), lr=0.01)

    def step(x, y):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        return loss.detach()
    return net, opt, step


def state(net, opt):
    return [p.tolist() for p in net.parameters()] + [v.tolist() for v in opt.state_dict().values()]


def batches(*sizes):
    frit.manual_seed(9)
    return [(frit.randn(n, 8), frit.randint(4, (n,))) for n in sizes]


def close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    return abs(a - b) <= 1e-5 * max(1, abs(a))


def run(kind, compiled, sizes, change=None):
    data = batches(*sizes)
    net, opt, step = world(kind)
    call = frit.compile(step, fullgraph=True) if compiled else step
    losses = []
    for i, (x, y) in enumerate(data):
        if change:
            change(i, net, opt)
        losses.append(call(x, y).item())
    return losses, state(net, opt), call


def test_a_training_step_is_one_graph():
    plain = run(optim.Adam, False, [6, 6, 6, 5, 7, 6])
    compiled = run(optim.Adam, True, [6, 6, 6, 5, 7, 6])
    assert close(plain[0], compiled[0])
    assert close(plain[1], compiled[1])
    found = frit._C._explain(compiled[2])
    assert len(found["entries"]) == 1 and not found["breaks"] and not found["recompiles"]
    assert found["entries"][0]["runs"] == 5


def test_every_optimizer():
    for kind in (optim.SGD, optim.AdamW):
        plain, compiled = run(kind, False, [6, 6, 5, 6]), run(kind, True, [6, 6, 5, 6])
        assert close(plain[0], compiled[0]) and close(plain[1], compiled[1])


def test_what_changes_between_steps_is_noticed():
    def change(i, net, opt):
        if i == 2:
            net.eval()
        if i == 3:
            net.train()
            net.up.weight = nn.Parameter(net.up.weight.detach() * 0.5)
        if i == 4:
            opt.param_groups[0]["lr"] = 0.002
        if i == 5:
            net.head.register_forward_hook(lambda module, args, out: out * 2)
        if i == 6:
            net.drop = nn.Identity()
    plain = run(optim.Adam, False, [6] * 8, change)
    compiled = run(optim.Adam, True, [6] * 8, change)
    assert close(plain[0], compiled[0])
    assert close(plain[1], compiled[1])


def test_a_compiled_module():
    frit.manual_seed(0)
    net = Net()
    fast = frit.compile(net)
    assert isinstance(fast, Net) and list(fast.state_dict()) == list(net.state_dict())
    x = frit.randn(3, 8)
    net.eval()
    for _ in range(3):
        assert close(fast(x).tolist(), net(x).tolist())
    y = frit.randn(5, 8)
    assert close(fast(y).tolist(), net(y).tolist())
    loss = fast(y).sum()
    loss.backward()
    mine = net.up.weight.grad.tolist()
    net.zero_grad()
    net(y).sum().backward()
    assert close(mine, net.up.weight.grad.tolist())


def test_is_compiling():
    def f(x):
        return x + 1 if frit.compiler.is_compiling() else x - 1
    c = frit.compile(f)
    x = frit.tensor([1.0])
    assert f(x).item() == 0 and c(x).item() == 2 and c(x).item() == 2


def test_explain_says_what_broke():
    def f(x):
        y = x * 2
        if y.sum() > 0:
            y = y + 1
        return y
    found = frit.explain(f)(frit.tensor([1.0, 2.0]))
    assert len(found.breaks) == 1 and len(found.entries) == 2
    assert found.breaks[0]["kind"] == "data_read"
    assert found.breaks[0]["where"].endswith("in test_explain_says_what_broke.<locals>.f")
    assert "break (data_read): a branch depends on a tensor's value" in str(found)


def test_fullgraph_raises_where_a_graph_would_end():
    def f(x):
        return x * x.sum().item()
    c = frit.compile(f, fullgraph=True)
    try:
        c(frit.tensor([1.0]))
        raise AssertionError("nothing was raised")
    except RuntimeError as e:
        assert "fullgraph: " in str(e) and "reads a tensor's values" in str(e)


def test_stances_and_reset():
    def f(x):
        if reset:
            frit.compiler.reset()
            print(end="")
        return x + 1
    reset = False
    c = frit.compile(f)
    x = frit.tensor([1.0])
    with frit.compiler.set_stance("force_eager"):
        assert c(x).item() == 2
    assert not frit._C._explain(c)["entries"]
    for _ in range(3):
        assert c(x).item() == 2
    assert len(frit._C._explain(c)["entries"]) == 1
    reset = True
    for _ in range(3):
        assert c(x).item() == 2
    try:
        frit.compiler.set_stance("other")
        raise AssertionError("nothing was raised")
    except ValueError as e:
        assert "given stance 'other'" in str(e)


def test_what_compile_is_given_is_checked():
    for wrong, text in ((dict(backend="inductor"), "given backend 'inductor'"), (dict(mode="fast"), "given mode 'fast'"),
                        (dict(options={"trace": 1}), "given option 'trace'")):
        try:
            frit.compile(lambda x: x, **wrong)
            raise AssertionError("nothing was raised")
        except ValueError as e:
            assert text in str(e)
    try:
        frit.compile(3)
        raise AssertionError("nothing was raised")
    except TypeError as e:
        assert "given int, expected a callable" in str(e)


def test_compiled_in_compiled():
    inner = frit.compile(lambda x: x * 2)

    def f(x):
        return inner(x) + 1
    c = frit.compile(f, fullgraph=True)
    x = frit.tensor([1.0, 2.0])
    assert [c(x).tolist() for _ in range(3)] == [[3.0, 5.0]] * 3


def test_numbers_that_change_are_symbols_at_their_second_value():
    def f(x, n):
        return x * n
    c = frit.compile(f)
    x = frit.tensor([1.0, 2.0])
    for n in (3, 4, 5, 6, 7, 8, 9):
        assert c(x, n).tolist() == [n, 2.0 * n]
    assert len(frit._C._explain(c)["entries"]) == 2


def test_floats_that_change_are_part_of_the_graph():
    def f(x):
        y = x * 2
        n = y.sum().item()
        z = (y / n).relu()
        return z + 1
    c = frit.compile(f)
    for i in range(20):
        x = frit.tensor([1.0, 2.0 + i])
        assert c(x).tolist() == f(x).tolist()
    found = frit._C._explain(c)
    assert len(found["entries"]) <= 4 and found["plain_calls"] == 0
    assert {b["kind"] for b in found["breaks"]} == {"data_read"}
    assert found["breaks"][0]["text"] == "frit.Tensor.item reads a tensor's values"


def test_options_are_checked():
    for options, text in (({"recompile_limit": -3}, "[compile] recompile_limit = -3, expected 1 or more"),
                          ({"disabled_passes": ["no"]}, '[compile] disabled_passes has "no", expected names of passes')):
        with pytest.raises(ValueError) as e:
            frit.compile(lambda x: x, options=options)
        assert str(e.value).startswith(text)


def test_the_recompile_limit():
    def f(x, s):
        return x + len(s)
    c = frit.compile(f, options={"recompile_limit": 3})
    x = frit.tensor([1.0])
    for i in range(6):
        assert c(x, "a" * i).item() == 1 + i
    found = frit._C._explain(c)
    assert len(found["entries"]) == 3 and found["plain_calls"] == 3
