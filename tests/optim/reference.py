#!/usr/bin/env python3
"""Writes reference.inc: parameters after ten steps of PyTorch's optimisers, in float64.

The parameters are [0.5, -1, 2] and [[0.1, -0.2], [0.3, 0.4]]. The gradient of element i (counted over
both) at step k (from 0) is 0.5 * p + 0.25 * ((i + 2 * k) % 5 - 2). From step 5 on the learning rate is a
tenth.

    python tests/optim/reference.py > tests/optim/reference.inc
"""
import torch

CASES = [
    ("SGD", dict(lr=0.1)),
    ("SGD", dict(lr=0.1, momentum=0.9)),
    ("SGD", dict(lr=0.1, momentum=0.9, weight_decay=0.05)),
    ("SGD", dict(lr=0.1, momentum=0.9, dampening=0.25)),
    ("SGD", dict(lr=0.1, momentum=0.9, nesterov=True)),
    ("SGD", dict(lr=0.1, momentum=0.5, weight_decay=0.01, maximize=True)),
    ("Adam", dict(lr=0.05)),
    ("Adam", dict(lr=0.05, beta1=0.8, beta2=0.95, eps=1e-4, weight_decay=0.1)),
    ("Adam", dict(lr=0.05, weight_decay=0.1, maximize=True)),
    ("AdamW", dict(lr=0.05)),
    ("AdamW", dict(lr=0.05, weight_decay=0)),
    ("AdamW", dict(lr=0.05, beta1=0.8, beta2=0.95, weight_decay=0.3, maximize=True)),
]


def run(kind, options):
    parameters = [torch.tensor([0.5, -1, 2], dtype=torch.float64),
                  torch.tensor([[0.1, -0.2], [0.3, 0.4]], dtype=torch.float64)]
    options = dict(options)
    if "beta1" in options:
        options["betas"] = (options.pop("beta1"), options.pop("beta2"))
    optimizer = getattr(torch.optim, kind)(parameters, foreach=False, **options)
    for k in range(10):
        if k == 5:
            for group in optimizer.param_groups:
                group["lr"] *= 0.1
        first = 0
        for p in parameters:
            i = torch.arange(first, first + p.numel(), dtype=torch.float64).reshape(p.shape)
            p.grad = 0.5 * p + 0.25 * ((i + 2 * k) % 5 - 2)
            first += p.numel()
        optimizer.step()
    return [value for p in parameters for value in p.flatten().tolist()]


print(f"// Written by reference.py with PyTorch {torch.__version__}.")
for kind, options in CASES:
    given = ", ".join(f".{name} = {str(value).lower()}" for name, value in options.items())
    values = ", ".join(repr(v) for v in run(kind, options))
    print(f"REFERENCE({kind}, ({{{given}}}),\n          ({{{values}}}))")
