#!/usr/bin/env python3
"""Write inplace_reference.json: what PyTorch's in-place ops give, and their gradients, on tensors with a
history. Run it in an environment made from tools/peers.txt."""
import itertools
import json
import math
import pathlib
import re

import torch

HERE = pathlib.Path(__file__).resolve().parent
NAMES = sorted(set(re.findall(r"\b(\w+_)\(const Tensor& self",
                              (HERE.parents[1] / "include/frit/ops/inplace.h").read_text())))
# Where numbers of any size will do; the index ops and random ones have samples of their own.
LEFT_OUT = re.compile(r"index_|scatter_|masked_|squeeze_|unsqueeze_|t_$|transpose_|tril_|triu_|"
                      r"bitwise_|bernoulli_|normal_|uniform_|dropout_|add(mm|mv|bmm)_|baddbmm_|"
                      r"cumsum_|as_strided_|detach_|set_|resize_|requires_grad_|_")
SELVES = [[0.25, 0.5, 0.75], [-1.5, 0.0, 2.5]]
OTHERS = [[0.3, 0.5, -0.7], [1.25, -0.5, 2.0]]
NUMBERS = {"other": 0.5, "exponent": 2.5, "value": 0.75, "min": -0.5, "max": 0.6, "threshold": 0.5,
           "weight": 0.3, "negative_slope": 0.2}


def arguments(schema):
    """Values by argument after self: a list stands for a tensor. None where the script knows none."""
    tensors = itertools.cycle(OTHERS)
    given = []
    for a in schema.arguments[1:]:
        kind = str(a.type)
        if kind == "Tensor" or (kind == "Optional[Tensor]" and a.name in ("min", "max")):
            given.append(next(tensors))
        elif a.name in NUMBERS and kind in ("number", "Optional[number]") and \
                a.default_value in (None, 0.01):
            given.append(NUMBERS[a.name])
        elif a.name == "rounding_mode":
            given.append("floor")
        elif a.has_default_value():
            given.append(a.default_value)
        elif kind == "number":
            given.append(0.5)
        else:
            return None
    return given


def run(op, self_values, given, self_grad, others_grad):
    x = torch.tensor(self_values, dtype=torch.float64, requires_grad=self_grad)
    y = x * 1
    leaves, call = [x], []
    for g in given:
        if isinstance(g, list):
            g = torch.tensor(g, dtype=torch.float64, requires_grad=others_grad)
            leaves.append(g)
        call.append(g)
    op(y, **dict(zip([a.name for a in op._schema.arguments[1:]], call)))
    values, grad = y.tolist(), y.requires_grad
    gradients, error = [None] * len(leaves), ""
    if grad:
        try:
            (y * torch.tensor([1.0, 2.0, -4.0], dtype=torch.float64)).sum().backward()
            gradients = [None if t.grad is None else (t.grad + 0).tolist() for t in leaves]
        except RuntimeError as e:
            error = str(e)
    return values, grad, gradients, error


def plain(v):
    """As JSON has it, which has no infinities."""
    if isinstance(v, list):
        return [plain(e) for e in v]
    if isinstance(v, float) and not math.isfinite(v):
        return str(v)
    return v


def main():
    torch.set_num_threads(1)
    lines = []
    for name in NAMES:
        if LEFT_OUT.match(name):
            continue
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            op = getattr(packet, overload)
            given = arguments(op._schema)
            full = name + ("" if overload == "default" else "." + overload)
            if given is None or full in ("fill_.Tensor", "copy_.Tensor"):
                continue
            grads = [(True, True), (True, False), (False, True)]
            if not any(isinstance(g, list) for g in given):
                grads = [(True, False)]
            for values in SELVES:
                for self_grad, others_grad in grads:
                    out, grad, gradients, error = run(op, values, given, self_grad, others_grad)
                    lines.append(json.dumps(plain([full, values, given, self_grad, others_grad, out,
                                                   grad, gradients, error])))
    head = f'{{"torch": "{torch.__version__.partition("+")[0]}", "cases": ['
    (HERE / "inplace_reference.json").write_text(head + "\n" + ",\n".join(lines) + "\n]}\n")
    print(len(lines), "cases of", len({line.split('"')[1] for line in lines}), "ops")


main()
