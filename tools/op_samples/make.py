#!/usr/bin/env python3
"""Write tests/op_samples/data: what PyTorch's ops give on PyTorch's own samples of them.

Run it in an environment made from tools/peers.txt, with expecttest and zstandard beside them:
    python tools/op_samples/make.py [aten base name ...]
With names, only those files are written. tests/op_samples/README.md says what is stored.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import sys
import unittest.mock
import warnings
import zlib

os.environ.setdefault("PYTORCH_TEST_WITH_SLOW", "0")
import numpy
import torch
from torch.testing._internal.common_methods_invocations import op_db

import sources
from capture import DTYPES, BackwardCapture, Capture
from container import Writer
from evaluate import evaluate, flatten

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "op_samples" / "data"
SCHEMAS = json.loads(pathlib.Path(__file__).with_name("schemas.json").read_text())["schemas"]

LARGEST = 1 << 20          # elements of a tensor in one of op_db's samples
LARGEST_EXTRA = 300        # the same for reference inputs and other layouts
REFERENCE_DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8, torch.bool)
REFERENCES = 40            # reference inputs for each (entry, dtype)
LAYOUTS = 16               # samples whose other layouts are stored, float32 only
IN_PLACE_ERRORS = 4        # in-place forms that fail, for each (entry, dtype)


def base_name(op):
    name = op._schema.name.removeprefix("aten::")
    plain = name.removesuffix("_")
    return name if name.startswith("__") or "aten::" + plain not in BASES else plain


def is_out_form(op):
    return any(argument.is_out for argument in op._schema.arguments)


BASES = {name.partition(".")[0] for name in SCHEMAS}


class Maker:
    def __init__(self, only):
        self.only = only
        self.capture = Capture(lambda op: op.name() in SCHEMAS and not is_out_form(op))
        self.writers = collections.defaultdict(Writer)
        self.counts = collections.defaultdict(collections.Counter)
        self.account = {}

    def store(self, call, source, regex="", gradients=True, only_errors=False):
        base = base_name(call.op)
        if self.only and base not in self.only:
            return "other"
        result = evaluate(call, regex, gradients)
        if only_errors and result.error is None:
            return result
        fresh = self.writers[base].add(call, result, source)
        words = source.split(" ")
        kind = words[-1].partition("[")[0] if words[0] == "op_db" else words[0]
        self.counts[base][kind] += fresh
        return result

    def in_place(self, call, source, left):
        """The in-place form with the same arguments. Returns how many failures may still be stored."""
        name = call.op._schema.name.removeprefix("aten::")
        overload = call.op._schema.overload_name
        other = f"aten::{name}_" + ("." + overload if overload else "")
        if other not in SCHEMAS or name.endswith("_"):
            return left
        op = getattr(getattr(torch.ops.aten, name + "_"), overload or "default")
        if [a.name for a in op._schema.arguments][:len(call.args)] != \
                [a.name for a in call.op._schema.arguments][:len(call.args)]:
            return left
        if not isinstance(call.thaw()[1](call.thaw()[0])["self"], torch.Tensor):
            return left
        if self.only and base_name(op) not in self.only:
            return left
        result = evaluate(call.with_op(op))
        if result.error is None or left > 0:
            if self.writers[base_name(op)].add(call.with_op(op), result, source + " in place"):
                self.counts[base_name(op)]["in_place"] += 1
                left -= result.error is not None
        return left

    def stored(self):
        return sum(len(writer.samples) for writer in self.writers.values())

    def seed(self, text):
        seed = zlib.crc32(text.encode())
        torch.manual_seed(seed)
        random.seed(seed)
        numpy.random.seed(seed % 2**32)

    def run_op(self, op):
        name = sources.full_name(op)
        account = self.account[name] = {}
        for dtype in DTYPES:
            if dtype not in op.supported_dtypes("cpu"):
                continue
            short = str(dtype).removeprefix("torch.")
            self.seed(f"{name} {short}")
            grad = op.supports_autograd and dtype in op.supported_backward_dtypes("cpu")
            tally = collections.Counter()
            failures = IN_PLACE_ERRORS
            for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=grad)):
                source = f"op_db {name} {short} sample_inputs[{i}]"
                tally["samples"] += 1
                calls, error = self.capture.run(op.op, sample.input, *sample.args, **sample.kwargs)
                tally[self.fate(calls)] += 1
                for call in calls:
                    if call.elements() > LARGEST:
                        continue
                    self.store(call, source)
                    failures = self.in_place(call, source, failures)
                if dtype == torch.float32 and i < LAYOUTS:
                    self.run_layouts(op, sample, source)
            if dtype in REFERENCE_DTYPES and op.reference_inputs_func is not None:
                self.run_references(op, dtype, f"op_db {name} {short} reference_inputs")
            account[short] = dict(tally)
        self.run_errors(op, name)

    def fate(self, calls):
        if self.capture.refused:
            return "not in our dtypes: " + self.capture.refused[0]
        if not calls:
            return "no aten call of the set"
        return "too large" if all(c.elements() > LARGEST for c in calls) else "stored"

    def run_layouts(self, op, sample, source):
        for name, (first, args, kwargs) in sources.layouts(sample):
            calls, error = self.capture.run(op.op, first, *args, **kwargs)
            for call in calls:
                if call.elements() <= LARGEST_EXTRA:
                    self.store(call, f"{source.replace('op_db', 'layout')} {name}")
                    if name != "broadcast":
                        self.in_place(call, f"{source.replace('op_db', 'layout')} {name}", 0)

    def run_references(self, op, dtype, source):
        stored = 0
        for i, sample in enumerate(op.reference_inputs("cpu", dtype)):
            if stored == REFERENCES or i == 2000:
                return
            tensors = [t for t in flatten([sample.input, *sample.args]) if isinstance(t, torch.Tensor)]
            if any(t.numel() > LARGEST_EXTRA for t in tensors):
                continue
            calls, error = self.capture.run(op.op, sample.input, *sample.args, **sample.kwargs)
            for call in calls:
                before = self.stored()
                self.store(call, f"{source}[{i}]")
                stored += self.stored() > before

    def run_errors(self, op, name):
        if op.error_inputs_func is None:
            return
        self.seed(name + " errors")
        tally = collections.Counter()
        # Some are made of uninitialised memory; files must come out the same every time.
        empty = torch.empty
        with unittest.mock.patch.object(torch, "empty", lambda *a, **k: empty(*a, **k).zero_()):
            inputs = list(op.error_inputs("cpu"))
        for i, bad in enumerate(inputs):
            sample = bad.sample_input
            calls, error = self.capture.run(op.op, sample.input, *sample.args, **sample.kwargs)
            tally["samples"] += 1
            if error is None or not calls:
                tally["raised before an aten call of the set"] += 1
                continue
            result = self.store(calls[-1], f"op_db {name} error_inputs[{i}]", bad.error_regex or "",
                                only_errors=True)
            tally["stored" if getattr(result, "error", None) else "raised later, in Python"] += 1
        if tally:
            self.account[name]["errors"] = dict(tally)

    def run_backward(self, op):
        """Calls of backward ops, as the engine makes them."""
        accept = lambda o: o.name() in SCHEMAS and SCHEMAS[o.name()]["group"] == "backward"
        for dtype in (torch.float32, torch.float64):
            self.seed(f"backward {op.name} {dtype}")
            for i, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=True)):
                recorder = BackwardCapture(accept)
                try:
                    results = flatten(op.op(sample.input, *sample.args, **sample.kwargs))
                    results = [r for r in results if r.requires_grad]
                    grads = [(torch.randint(-8, 9, r.shape) / 4).to(r.dtype) for r in results]
                    with recorder:
                        torch.autograd.backward(results, grads)
                except RuntimeError:
                    continue
                for call in recorder.calls:
                    if call.elements() <= 4096:
                        self.store(call, f"backward of {sources.full_name(op)} {dtype} [{i}]")

    def run_lines(self, lines, gradients=True):
        """Programs written out: the last call is the sample, what led to it is not."""
        for source, line in lines:
            calls, error = self.capture.run(line)
            if calls:
                self.store(calls[-1], source, gradients=gradients)
            else:
                print("no call:", source, str(error)[:80], file=sys.stderr)

    def write(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        total = 0
        for base, writer in sorted(self.writers.items()):
            header = {"op": base, "torch": torch.__version__, "counts": dict(self.counts[base]),
                      "origin": "torch.testing._internal op_db and tools/op_samples/sources.py",
                      "caps": {"op_db_elements": LARGEST, "extra_elements": LARGEST_EXTRA,
                               "reference_inputs": REFERENCES, "layouts": LAYOUTS}}
            raw, packed = writer.write(FOLDER / f"{base}.bin.zst", header)
            total += packed
            print(f"{base:40} {len(writer.samples):6} samples {raw:10} -> {packed:8} "
                  f"{dict(self.counts[base])}")
        print(f"{len(self.writers)} files, {self.stored()} samples, {total} bytes")
        if not self.only:
            (FOLDER.parent / "op_db.json").write_text(json.dumps(
                {"torch": torch.__version__, "entries": self.account}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="aten base names")
    parser.add_argument("--entries", nargs="*", help="op_db entries to visit (for trying out)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    maker = Maker(set(arguments.only))
    known = {sources.full_name(op): op for op in op_db}
    for name in arguments.entries if arguments.entries is not None else sources.OP_DB:
        print(name, file=sys.stderr)
        maker.run_op(known[name])
    if arguments.entries is None:
        for name in sources.BACKWARD_OF:
            maker.run_backward(known[name])
        maker.run_lines(sources.special_values())
        maker.run_lines(sources.casts(), gradients=False)
        maker.run_lines(sources.promotion(), gradients=False)
        maker.run_lines(sources.written_out())
        maker.run_lines(sources.errors())
    maker.write()


if __name__ == "__main__":
    main()
