"""PyTorch's stored samples (tests/op_samples/README.md describes the bytes), as calls of Frit."""
import json
import pathlib
import re
import struct
from types import SimpleNamespace

import frit

FOLDER = pathlib.Path(__file__).parent.parent / "op_samples"
DATA = FOLDER / "data"
# What is not as PyTorch has it, for reasons that are given there: op, part of the sample's source.
LEFT_OUT = [line.split("|")[:2] for line in (FOLDER / "left_out.txt").read_text().splitlines() if line[0] != "#"]
DTYPES = [frit.float32, frit.float64, frit.bfloat16, frit.float16, frit.int8, frit.int16, frit.int32, frit.int64,
          frit.uint8, frit.bool]
NOTHING = 0xFFFFFFFF


class Reader:
    def __init__(self, raw):
        self.raw, self.at = raw, 8
        assert raw[:8] == b"FOPS0001"
        self.header = json.loads(self.take_bytes(self.take("I")))
        self.strings = [self.take_bytes(self.take("I")).decode() for _ in range(self.take("I"))]
        sizes = [self.take("I") for _ in range(self.take("I"))]
        self.tensors = [self.tensor() for _ in range(self.take("I"))]
        self.samples = [self.sample() for _ in range(self.take("I"))]
        self.blobs = []
        for size in sizes:
            self.at += -self.at % 8
            self.blobs.append(self.take_bytes(size))

    def take(self, form):
        values = struct.unpack_from("<" + form, self.raw, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def take_bytes(self, n):
        self.at += n
        return self.raw[self.at - n:self.at]

    def string(self):
        return self.strings[self.take("I")]

    def tensor(self):
        dtype, flags, dims = self.take("BBB")
        size = struct.unpack_from(f"<{dims}q", self.raw, self.at)
        stride = struct.unpack_from(f"<{dims}q", self.raw, self.at + 8 * dims)
        self.at += 16 * dims
        offset, storage, blob = self.take("qiI")
        return SimpleNamespace(dtype=DTYPES[dtype], requires_grad=bool(flags & 1), size=size, stride=stride,
                               offset=offset, storage=storage, blob=blob)

    def value(self):
        kind = self.take("B")
        if kind == 0:
            return None
        if kind in (1, 2, 3):
            v = self.take("Bqd"[kind - 1])
            return bool(v) if kind == 1 else v
        if kind == 4:
            return self.string()
        if kind == 5:
            return DTYPES[self.take("B")]
        if kind == 6:
            return SimpleNamespace(tensor=self.take("I"))
        if kind == 7:
            return [self.value() for _ in range(self.take("H"))]
        return [self.take("q") for _ in range(self.take("H"))]

    def pairs(self):
        return [self.take("HI") for _ in range(self.take("H"))]

    def sample(self):
        s = SimpleNamespace(source=self.string(), op=self.string(), schema=self.string())
        flags = self.take("B")
        s.has_values = bool(flags & 1)
        s.inputs = [self.take("I") for _ in range(self.take("H"))]
        s.args = [(self.string(), self.value()) for _ in range(self.take("B"))]
        s.outputs = []
        for _ in range(self.take("H")):
            alias_of, same, requires_grad = self.take("hBB")
            s.outputs.append(SimpleNamespace(alias_of=alias_of, same=bool(same), value=self.value()))
        s.written, s.grad_outputs, s.grads = self.pairs(), self.pairs(), self.pairs()
        s.error = (self.string(), self.string(), self.string()) if flags & 4 else None
        return s

    # --- as tensors and calls

    def dense(self, number):
        t = self.tensors[number]
        return frit._C._from_bytes(self.blobs[t.blob], t.dtype, list(t.size))

    def inputs(self, sample):
        made, storages = [], {}
        for number in sample.inputs:
            t = self.tensors[number]
            if t.storage not in storages:
                raw = self.blobs[t.blob]
                storages[t.storage] = frit._C._from_bytes(raw, t.dtype, [len(raw) // t.dtype.itemsize])
            made.append(storages[t.storage].as_strided(t.size, t.stride, t.offset))
        return made

    def call(self, sample, inputs):
        """Positional and keyword arguments, as a Python program would give them."""
        def real(name, v):
            if isinstance(v, SimpleNamespace):
                return inputs[v.tensor]
            if name in ("layout", "memory_format"):
                return getattr(frit, v) if v is not None else None
            return [real(name, e) for e in v] if isinstance(v, list) else v
        given = {name: real(name, v) for name, v in sample.args}
        positional = []
        for name in places(sample.schema):
            if name not in given:
                break
            positional.append(given.pop(name))
        return positional, given


def places(schema):
    """The names of the arguments that may be given by position."""
    text = schema[schema.index("(") + 1:schema.rindex(") ->")]
    text = re.sub(r"\(.*?\)|\[.*?\]", "", text)  # aliases, sizes, defaults that are lists
    names = []
    for part in text.split(","):
        if part.strip() == "*":
            break
        if part.strip():
            names.append(part.partition("=")[0].split()[-1])
    return names


def left_out(sample):
    op = sample.op.removeprefix("aten::")
    return any(op == name and (part == "*" or part in sample.source) for name, part in LEFT_OUT)


def read(path):
    import zstandard
    return Reader(zstandard.ZstdDecompressor().decompress(path.read_bytes()))
