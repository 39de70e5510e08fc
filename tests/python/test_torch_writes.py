"""Every op of aten's without a record that the models call: what it leaves of its inputs is what is known of it."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import torch_models as models  # noqa: E402
from frit import _C  # noqa: E402


class Compare(TorchDispatchMode):
    """Compares all inputs of ops without a record before and after."""

    def __init__(self):
        super().__init__()
        self.seen = {}

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        recorded, written = _C._torch_op(function)
        if recorded:
            return function(*args, **kwargs)
        names = [a.name for a in function._schema.arguments]
        given = [(name, t) for name, o in [*zip(names, args), *kwargs.items()] for t in models.tensors(o)]
        before = [(state(t), t.detach().clone()) for _, t in given]
        result = function(*args, **kwargs)
        for (name, t), (layout, values) in zip(given, before):
            now = t.detach()
            same = state(t) == layout and bool(((now == values) | ((now != now) & (values != values))).all())
            if name not in written:
                assert same, f"{function} wrote {name}, which it is not known to write"
        self.seen.setdefault(str(function), set()).update(written)
        return result


def state(t):
    return t.shape, t.stride(), t.dtype, t.data_ptr(), t.storage_offset(), t._is_view()


def check(model, args, train):
    model = model.train(train)
    torch.manual_seed(0)
    with Compare() as compare, torch.set_grad_enabled(train):
        model(*args)  # gradients of ops without a record are torch's own: see frit._torch.differentiate
    return compare.seen


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", models.MODELS)
def test_model(name, train):
    torch.manual_seed(0)
    make, args_of = models.MODELS[name]
    check(make(), args_of(2), train)


def test_what_batch_norm_writes():
    """Its schema does not say it."""
    seen = check(torch.nn.BatchNorm1d(4), (torch.randn(3, 4),), True)
    assert seen["aten.native_batch_norm.default"] == {"running_mean", "running_var"}


TORCHVISION = {"resnet18": 64, "mobilenet_v3_small": 64, "vit_b_16": 224, "swin_t": 64}


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", TORCHVISION)
def test_torchvision(name, train):
    vision = pytest.importorskip("torchvision", reason="torchvision is not installed")
    size = TORCHVISION[name]
    check(getattr(vision.models, name)(), (torch.randn(2, 3, size, size),), train)


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", ["Bert", "GPT2", "Llama"])
def test_transformers(name, train):
    t = pytest.importorskip("transformers", reason="transformers is not installed")
    config = {
        "Bert": lambda: t.BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                     intermediate_size=64),
        "GPT2": lambda: t.GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=2),
        "Llama": lambda: t.LlamaConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                                       intermediate_size=64),
    }[name]()
    check(getattr(t, name + "Model")(config), (torch.randint(0, 100, (2, 8)),), train)
