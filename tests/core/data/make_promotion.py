#!/usr/bin/env python3
"""Write promotion.json: PyTorch's type promotion, every pair of dtypes and every kind of operand.

Run it in an environment made from tools/peers.txt:  python tests/core/data/make_promotion.py
"""
import itertools
import json
import pathlib

import torch

NAMES = "float32 float64 bfloat16 float16 int8 int16 int32 int64 uint8 bool".split()
NUMBERS = {"bool": True, "int": 2, "float": 2.5}


def text(dtype):
    return str(dtype).removeprefix("torch.")


def operand(name, dims):
    return torch.zeros([1] * dims, dtype=getattr(torch, name))


def main():
    pairs = list(itertools.product(NAMES, NAMES))
    out = {
        "origin": "torch.promote_types and torch.result_type",
        "torch": torch.__version__,
        # [a, b, result]
        "types": [[a, b, text(torch.promote_types(getattr(torch, a), getattr(torch, b)))] for a, b in pairs],
        # a with one dimension, b without: [a, b, result]
        "dim_and_zero_dim": [[a, b, text(torch.result_type(operand(a, 1), operand(b, 0)))] for a, b in pairs],
        "two_zero_dim": [[a, b, text(torch.result_type(operand(a, 0), operand(b, 0)))] for a, b in pairs],
        # [dtype, dimensions, kind of number, result]
        "number": [
            [a, dims, kind, text(torch.result_type(operand(a, dims), number))]
            for a in NAMES for dims in (0, 1) for kind, number in NUMBERS.items()
        ],
        # [from, to, may be cast]
        "can_cast": [[a, b, torch.can_cast(getattr(torch, a), getattr(torch, b))] for a, b in pairs],
    }
    path = pathlib.Path(__file__).with_name("promotion.json")
    path.write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
