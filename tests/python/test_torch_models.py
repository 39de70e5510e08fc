"""Modules of torch.nn, unmodified: results, gradients, buffers and the random stream are eager's at the capture, at
cached calls and at another batch size; the counts of nodes are reviewed."""
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch_models as models  # noqa: E402

BATCH_NORM = ["convolution", "native_batch_norm", "max_pool2d_with_indices", "convolution", "native_batch_norm"]
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
    ("convolutions", False): (1, 0, 16, BATCH_NORM),
    ("convolutions", True): (1, 0, 18, BATCH_NORM),
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
