"""Small models of torch.nn, unmodified, and what each becomes under compile().

    python torch_models.py       prints the table, with the models of published_models.py that can be imported
"""
import copy
import re

import torch
from torch import nn

import frit
import published_models


class GRULoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(8, 16)

    def forward(self, x):
        h = torch.zeros(x.shape[1], 16)
        for t in range(x.shape[0]):
            h = self.cell(x[t], h)
        return h


def convnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2),
                         nn.Conv2d(8, 16, 3, groups=2), nn.BatchNorm2d(16), nn.Hardswish(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(16, 5))


def perceptron():
    return nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.GroupNorm(4, 16), nn.GELU(), nn.Dropout(0.2),
                         nn.Linear(16, 8), nn.LogSoftmax(-1))


def self_attention(batch):
    x = torch.randn(batch, 6, 32)
    return x, x, x


# name: the module, and its arguments for a batch.
MODELS = {
    "LSTM": (lambda: nn.LSTM(8, 16, 2, batch_first=True), lambda n: (torch.randn(n, 5, 8),)),
    "GRU": (lambda: nn.GRU(8, 16), lambda n: (torch.randn(5, n, 8),)),
    "GRUCell in a loop": (GRULoop, lambda n: (torch.randn(6, n, 8),)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(32, 4, batch_first=True), self_attention),
    "TransformerEncoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2),
                           lambda n: (torch.randn(n, 6, 32),)),
    "TransformerDecoder": (lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(32, 4, 64), 1),
                           lambda n: (torch.randn(5, n, 32), torch.randn(7, n, 32))),
    "convolutions": (convnet, lambda n: (torch.randn(n, 3, 12, 12),)),
    "perceptron": (perceptron, lambda n: (torch.randn(n, 8),)),
}


def tensors(o):
    if isinstance(o, torch.Tensor):
        return [o]
    if isinstance(o, dict):
        o = o.values()
    return [t for x in o for t in tensors(x)] if o is not None and not isinstance(o, (int, float, str, bool)) else []


def run(model, args, train, seed):
    """What a call gives, then gradients and buffers."""
    model.zero_grad(set_to_none=True)
    torch.manual_seed(seed)
    with torch.set_grad_enabled(train):
        out = tensors(model(*args))
        if train:
            sum(t.square().mean() for t in out if t.requires_grad).backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    return [t.detach() for t in out] + gradients + [b.clone() for b in model.buffers()] + [torch.get_rng_state()]


def compare(make, args_of, train, batches=(2, 2, 3)):
    """Runs the model as it is and compiled; gives (graphs, breaks, nodes, calls of torch) and the largest relative
    difference."""
    torch.manual_seed(0)
    plain = make().train(train)
    other = copy.deepcopy(plain)
    compiled = frit.compile(other)
    worst = 0.0
    for seed, batch in enumerate(batches):
        args = args_of(batch)
        expected, found = run(plain, args, train, seed), run(compiled, args, train, seed)
        assert len(expected) == len(found)
        for a, b in zip(expected, found):
            assert (a.shape, a.stride(), a.dtype) == (b.shape, b.stride(), b.dtype)
            if a.numel():
                difference = (a.double() - b.double()).abs().max() / max(a.double().abs().max().item(), 1e-3)
                worst = max(worst, difference.item())
    with torch.set_grad_enabled(train):
        found = frit.explain(compiled)(*args)
    first = found.entries[0] if found.entries else {"ops": 0, "graph": ""}
    hosts = re.findall(r"= torch_(\w+)_\d+\(", first["graph"])
    return (len(found.entries), len(found.breaks) + found.plain_calls, first["ops"], sorted(hosts)), worst, found


if __name__ == "__main__":
    print(f"{'':22}{'':12}{'graphs':>7}{'breaks':>7}{'nodes':>7}{'torch':>7}  difference")
    for name, (make, args_of) in {**MODELS, **published_models.MODELS}.items():
        for train in (False, True):
            (graphs, breaks, nodes, hosts), worst, _ = compare(make, args_of, train)
            print(f"{name:22}{'training' if train else 'inference':12}{graphs:7}{breaks:7}{nodes:7}{len(hosts):7}"
                  f"  {worst:.1e}  {' '.join(dict.fromkeys(hosts))}")
