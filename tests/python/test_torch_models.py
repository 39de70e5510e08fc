"""Modules of torch.nn, unmodified: results, gradients, buffers and the random stream are eager's at the capture, at
cached calls and at another batch size; the counts of nodes are reviewed."""
import importlib.metadata
import importlib.util

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import published_models  # noqa: E402
import torch_models as models  # noqa: E402

CONVOLUTIONS = ["convolution", "max_pool2d_with_indices", "convolution"]
ATTENTION = ["bernoulli_", "_safe_softmax", "bernoulli_", "bernoulli_", "bernoulli_"]

# graphs, breaks, nodes of the first graph, and which of them call torch
GOLDEN = {
    ("LSTM", False): (2, 0, 19, ["mkldnn_rnn_layer"] * 2),
    ("LSTM", True): (2, 0, 25, ["mkldnn_rnn_layer"] * 2),
    ("GRU", False): (2, 0, 194, []),
    ("GRU", True): (2, 0, 254, []),
    ("GRUCell in a loop", False): (2, 0, 229, []),
    ("GRUCell in a loop", True): (2, 0, 301, []),
    ("MultiheadAttention", False): (1, 0, 1, ["_native_multi_head_attention"]),
    ("MultiheadAttention", True): (1, 0, 29, []),
    ("TransformerEncoder", False): (1, 0, 2, ["_transformer_encoder_layer_fwd"] * 2),
    ("TransformerEncoder", True): (2, 0, 139, ATTENTION * 2),
    ("TransformerDecoder", False): (1, 0, 93, []),
    ("TransformerDecoder", True): (2, 0, 124, ["bernoulli_"] * 6 + ["_safe_softmax"] * 2),
    ("convolutions", False): (1, 0, 30, CONVOLUTIONS),
    ("convolutions", True): (1, 0, 52, CONVOLUTIONS),
    ("perceptron", False): (2, 0, 6, ["native_group_norm"]),
    ("perceptron", True): (2, 0, 14, ["bernoulli_", "native_group_norm"]),
}


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", models.MODELS)
def test_model(name, train):
    make, args_of = models.MODELS[name]
    counts, worst, found = models.compare(make, args_of, train)
    graphs, breaks, nodes, hosts = GOLDEN[name, train]
    assert counts == (graphs, breaks, nodes, sorted(hosts)), str(found)
    assert worst < 1e-4


WITH = {"torch": "2.14", "torchvision": "0.29", "transformers": "5.24"}  # what counts below were reviewed with
SWIN = ["constant_pad_nd"] * 5 + ["convolution"]
DROPOUT = ["_safe_softmax"] * 2 + ["bernoulli_"] * 7
PUBLISHED = {
    ("ResNet-18", False): (1, 0, 269, ["convolution"] * 20 + ["max_pool2d_with_indices"]),
    ("ResNet-18", True): (1, 0, 489, ["convolution"] * 20 + ["max_pool2d_with_indices"]),
    ("MobileNetV3", False): (1, 0, 496, ["convolution"] * 52),
    ("MobileNetV3", True): (1, 0, 876, ["bernoulli_"] + ["convolution"] * 52),
    ("ViT", False): (2, 0, 153, ["convolution"]),
    ("ViT", True): (2, 0, 205, ["convolution"]),
    ("Swin", False): (2, 0, 307, SWIN),
    ("Swin", True): (2, 0, 347, ["bernoulli_"] * 6 + SWIN),
    ("BERT", False): (1, 0, 95, []),
    ("BERT", True): (2, 0, 143, DROPOUT),
    ("GPT-2", False): (2, 0, 173, []),
    ("GPT-2", True): (2, 0, 219, DROPOUT),
    ("Llama", False): (2, 0, 218, []),
    ("Llama", True): (2, 0, 218, []),
}


def installed():
    return {name: ".".join(importlib.metadata.version(name).split(".")[:2]) for name in WITH
            if importlib.util.find_spec(name)}


@pytest.mark.parametrize("train", [False, True], ids=["inference", "training"])
@pytest.mark.parametrize("name", sorted({name for name, _ in PUBLISHED}))
def test_published_model(name, train):
    if name not in published_models.MODELS:
        pytest.skip("torchvision or transformers is not installed")
    make, args_of = published_models.MODELS[name]
    counts, worst, found = models.compare(make, args_of, train)
    graphs, breaks, nodes, hosts = PUBLISHED[name, train]
    if installed() == WITH:
        assert counts == (graphs, breaks, nodes, sorted(hosts)), str(found)
    assert len(found.breaks) <= 1 and found.plain_calls == 0, str(found)
    if name in ("BERT", "GPT-2", "Llama", "ViT"):
        assert len(counts[3]) <= counts[2] / 10
    if name in ("ResNet-18", "MobileNetV3"):
        assert set(counts[3]) <= {"convolution", "max_pool2d_with_indices", "bernoulli_"}
    assert worst < 1e-4
