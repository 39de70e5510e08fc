"""Modules: structure, state, hooks, printing."""
import copy
import pickle

import frit
import pytest
from frit import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8, bias=False)
        self.drop = nn.Dropout(0.5)
        self.register_buffer("seen", frit.zeros(()))
        self.register_buffer("scratch", frit.zeros(2), persistent=False)

    def forward(self, x):
        return x + self.drop(self.down(nn.functional.relu(self.up(self.norm(x)))))


def test_names_are_torchs():
    block = Block()
    assert [n for n, _ in block.named_parameters()] == ["norm.weight", "norm.bias", "up.weight", "up.bias", "down.weight"]
    assert list(block.state_dict()) == ["seen", "norm.weight", "norm.bias", "up.weight", "up.bias", "down.weight"]
    assert [n for n, _ in block.named_modules()] == ["", "norm", "up", "down", "drop"]
    assert [n for n, _ in block.named_buffers()] == ["seen", "scratch"]
    assert block.down.bias is None and isinstance(block.up.weight, nn.Parameter)


def test_a_shared_parameter_is_listed_once():
    block = Block()
    other = nn.Linear(8, 16)
    other.weight = block.up.weight
    block.other = other
    names = [n for n, _ in block.named_parameters()]
    assert "up.weight" in names and "other.weight" not in names
    assert "other.weight" in block.state_dict()


def test_state_goes_round(tmp_path):
    frit.manual_seed(1)
    one, two = Block(), Block()
    frit.save(one.state_dict(), tmp_path / "block.safetensors")
    assert str(two.load_state_dict(frit.load(tmp_path / "block.safetensors"))) == "<All keys matched successfully>"
    one.eval(), two.eval()
    x = frit.randn(3, 8)
    assert frit.equal(one(x), two(x))


def test_a_state_that_does_not_fit():
    block = Block()
    state = block.state_dict()
    state["up.weight"] = frit.zeros(2, 2)
    state["extra"] = frit.zeros(1)
    del state["norm.bias"]
    with pytest.raises(RuntimeError) as error:
        block.load_state_dict(state)
    text = str(error.value)
    assert 'Missing key(s) in state_dict: "norm.bias"' in text and 'Unexpected key(s) in state_dict: "extra"' in text
    assert "size mismatch for up.weight: copying a param with shape frit.Size([2, 2]) from checkpoint" in text
    result = block.load_state_dict({}, strict=False)
    assert result.missing_keys == []


def test_hooks_see_and_replace():
    layer, seen = nn.Linear(2, 2), []
    before = layer.register_forward_pre_hook(lambda m, args: seen.append("before") or (args[0] * 0,))
    after = layer.register_forward_hook(lambda m, args, out: seen.append("after") or out + 1)
    y = layer(frit.ones(1, 2))
    assert seen == ["before", "after"] and frit.allclose(y, layer.bias + 1)
    before.remove(), after.remove()
    layer(frit.ones(1, 2))
    assert len(seen) == 2


def test_modes():
    block = Block()
    assert block.training and block.drop.training
    block.eval()
    assert not block.drop.training
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        block.train(1)


def test_conversion_keeps_the_tensors():
    block = Block()
    weight = block.up.weight
    block.double()
    assert block.up.weight is weight and weight.dtype is frit.float64 and block.seen.dtype is frit.float64
    with pytest.raises(TypeError, match="only accepts floating point"):
        block.to(frit.int32)


def test_wrong_assignments():
    block = Block()
    with pytest.raises(TypeError, match="cannot assign 'frit.Tensor' as parameter 'weight'"):
        block.up.weight = frit.ones(2)
    with pytest.raises(AttributeError, match="object has no attribute 'nothing'"):
        block.nothing

    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early()
    with pytest.raises(KeyError, match="attribute 'up' already exists"):
        block.add_module("norm2", nn.LayerNorm(8)), block.register_buffer("up", frit.ones(1))


def test_copies_and_pickles():
    block = Block().eval()
    x = frit.ones(2, 8)
    for other in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert frit.equal(other(x), block(x)) and other.up.weight is not block.up.weight
        assert isinstance(other.up.weight, nn.Parameter) and other.up.weight.requires_grad
        other.up.weight.data.zero_()
        assert not frit.equal(other.up.weight, block.up.weight)


def test_containers():
    row = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(row) == 3 and row(frit.ones(4, 2)).shape == (4, 1)
    assert isinstance(row[:2], nn.Sequential) and row[-1] is row[2]
    with pytest.raises(IndexError, match="index 3 is out of range"):
        row[3]
    many = nn.ModuleList([nn.Linear(1, 1) for _ in range(2)])
    many.append(nn.ReLU())
    assert [n for n, _ in many.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    heads = nn.ModuleDict({"a": nn.Linear(1, 1)})
    heads["b"] = nn.ReLU()
    assert list(heads) == ["a", "b"] and "a" in heads
    values = nn.ParameterList([frit.ones(1), frit.ones(2)])
    assert len(values) == 2 and len(list(values.parameters())) == 2


def test_printing():
    assert repr(nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.1))) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): Dropout(p=0.1, inplace=False)\n)")


@pytest.mark.parametrize("make, text", [
    (lambda: nn.Dropout(2), "dropout probability has to be between 0 and 1, but got 2"),
    (lambda: nn.functional.cross_entropy(frit.ones(1, 2), frit.tensor([0]), reduction="some"), "some is not a valid value"),
])
def test_values_out_of_range(make, text):
    with pytest.raises(ValueError, match=text):
        make()
