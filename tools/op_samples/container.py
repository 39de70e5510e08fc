"""The container: one zstd-compressed file for each aten base name. tests/op_samples/README.md
describes the bytes; tests/op_samples/reader.cpp reads them."""
import json
import struct

import torch
import zstandard

from capture import DTYPES, TensorRef

MAGIC = b"FOPS0001"
NOTHING = 0xFFFFFFFF
NONE, BOOL, INT, FLOAT, STRING, DTYPE, TENSOR, LIST, INTS = range(9)
REQUIRES_GRAD, DENSE = 1, 2
HAS_VALUES, HAS_GRADS, HAS_ERROR = 1, 2, 4


class Table:
    """Items stored once and named by number."""

    def __init__(self):
        self.index, self.items = {}, []

    def add(self, item):
        number = self.index.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


class Writer:
    def __init__(self):
        self.strings, self.blobs, self.tensors = Table(), Table(), Table()
        self.samples, self.seen = [], set()

    def string(self, text):
        return struct.pack("<I", self.strings.add(text))

    def blob(self, raw):
        return NOTHING if raw is None else self.blobs.add(raw.numpy().tobytes())

    def tensor(self, dtype, size, stride, offset, flags, storage, blob):
        item = struct.pack(f"<BBB{2 * len(size)}qqiI", DTYPES.index(dtype), flags, len(size), *size,
                           *stride, offset, storage, blob)
        return struct.pack("<I", self.tensors.add(item))

    def dense(self, tensor):
        if tensor is None:
            return struct.pack("<I", NOTHING)
        return self.tensor(tensor.dtype, tensor.size, tensor.stride, tensor.offset, DENSE, -1,
                           self.blob(tensor.values))

    def value(self, value, call):
        if value is None:
            return bytes([NONE])
        if isinstance(value, bool):
            return struct.pack("<BB", BOOL, value)
        if isinstance(value, int):
            return struct.pack("<Bq", INT, value)
        if isinstance(value, float):
            return struct.pack("<Bd", FLOAT, value)
        if isinstance(value, torch.dtype):
            return struct.pack("<BB", DTYPE, DTYPES.index(value))
        if isinstance(value, TensorRef):
            return struct.pack("<BI", TENSOR, value.index)
        if isinstance(value, list):
            if value and all(type(item) is int for item in value):
                return struct.pack(f"<BH{len(value)}q", INTS, len(value), *value)
            return struct.pack("<BH", LIST, len(value)) + b"".join(self.value(v, call) for v in value)
        text = value if isinstance(value, str) else str(value).removeprefix("torch.")
        return bytes([STRING]) + self.string(text)

    def add(self, call, result, source):
        """False if the file holds this very sample already."""
        flags = (HAS_VALUES * result.has_values | HAS_GRADS * bool(result.grad_outputs) |
                 HAS_ERROR * (result.error is not None))
        body = [self.string(call.op.name()), self.string(str(call.op._schema)), bytes([flags])]
        body.append(struct.pack("<H", len(call.tensors)))
        blobs = [self.blob(storage) for storage in call.storages]
        for meta in call.tensors:
            body.append(self.tensor(meta.dtype, meta.size, meta.stride, meta.offset,
                                    REQUIRES_GRAD * meta.requires_grad, meta.storage,
                                    blobs[meta.storage]))
        body.append(bytes([len(call.args)]))
        for name, value in call.args.items():
            body += [self.string(name), self.value(value, call)]
        body.append(struct.pack("<H", len(result.outputs)))
        for output in result.outputs:
            body.append(struct.pack("<hBB", output.alias_of, output.same_object, output.requires_grad))
            if hasattr(output.value, "stride"):
                body.append(bytes([TENSOR]) + self.dense(output.value))
            else:
                body.append(self.value(output.value, call))
        for pairs in (result.mutated, result.grad_outputs, result.grads):
            body.append(struct.pack("<H", len(pairs)))
            body += [struct.pack("<H", index) + self.dense(tensor) for index, tensor in pairs]
        if result.error is not None:
            body += [self.string(text) for text in result.error]
        body = b"".join(body)
        if body in self.seen:
            return False
        self.seen.add(body)
        self.samples.append(self.string(source) + body)
        return True

    def bytes(self, header):
        text = json.dumps(header, separators=(",", ":")).encode()
        parts = [MAGIC, struct.pack("<I", len(text)), text]
        parts.append(struct.pack("<I", len(self.strings.items)))
        for item in self.strings.items:
            raw = item.encode()
            parts += [struct.pack("<I", len(raw)), raw]
        parts.append(struct.pack("<I", len(self.blobs.items)))
        parts += [struct.pack("<I", len(blob)) for blob in self.blobs.items]
        parts.append(struct.pack("<I", len(self.tensors.items)))
        parts += self.tensors.items
        parts.append(struct.pack("<I", len(self.samples)))
        parts += self.samples
        head = b"".join(parts)
        parts = [head, bytes(-len(head) % 8)]
        for blob in self.blobs.items:
            parts += [blob, bytes(-len(blob) % 8)]
        return b"".join(parts)

    def write(self, path, header):
        raw = self.bytes(header)
        packed = zstandard.ZstdCompressor(level=19).compress(raw)
        path.write_bytes(packed)
        return len(raw), len(packed)
