"""What aten call does a line of PyTorch make? Recorded as data that can be run again."""
import dataclasses

import torch
from torch._subclasses.schema_check_mode import SchemaCheckMode
from torch.utils._python_dispatch import TorchDispatchMode

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int8, torch.int16,
          torch.int32, torch.int64, torch.uint8, torch.bool]


class Unstorable(Exception):
    """The call holds something the container has no form for (complex numbers, generators, ...)."""


@dataclasses.dataclass(frozen=True)
class TensorRef:
    """Stands for tensor number `index` of a Call."""
    index: int


@dataclasses.dataclass
class TensorMeta:
    dtype: torch.dtype
    size: tuple
    stride: tuple
    offset: int
    requires_grad: bool
    storage: int


class Call:
    """One aten call: the overload, its arguments, and copies of the storages behind its tensors.

    Taken before the call runs, so that a mutated argument is stored as it was. Storages are kept
    whole, which keeps overlap between arguments, broadcast strides and storage offsets. Elements
    that no argument shows are set to zero: they may never have been initialised.
    """

    def __init__(self, op, args, kwargs):
        self.op = op
        self.tensors, self.storages = [], []
        self._storage_index, self._shown = {}, []
        named = {}
        for argument, value in zip(op._schema.arguments, args):
            named[argument.name] = value
        named.update(kwargs or {})
        for argument in op._schema.arguments:
            if str(argument.type) == "Optional[Generator]" or "Generator" in str(argument.type):
                if named.pop(argument.name, None) is not None:
                    raise Unstorable("generator")
        self.args = {name: self._freeze(value) for name, value in named.items()}
        for storage, shown in zip(self.storages, self._shown):
            storage[~shown] = 0
        del self._storage_index, self._shown

    def _freeze(self, value):
        if isinstance(value, torch.Tensor):
            return self._freeze_tensor(value)
        if isinstance(value, (list, tuple)):
            return [self._freeze(item) for item in value]
        if value is None or isinstance(value, (bool, int, float, str, torch.dtype, torch.device,
                                               torch.layout, torch.memory_format)):
            if isinstance(value, torch.dtype) and value not in DTYPES:
                raise Unstorable(f"dtype {value}")
            return value
        raise Unstorable(type(value).__name__)

    def _freeze_tensor(self, tensor):
        if tensor.dtype not in DTYPES:
            raise Unstorable(f"dtype {tensor.dtype}")
        if tensor.layout != torch.strided or tensor.device.type != "cpu":
            raise Unstorable(f"{tensor.layout} {tensor.device}")
        storage = tensor.untyped_storage()
        index = self._storage_index.get(storage._cdata)
        if index is None:
            index = self._storage_index[storage._cdata] = len(self.storages)
            flat = torch.empty(0, dtype=torch.uint8).set_(storage, 0, (storage.nbytes(),), (1,))
            self.storages.append(flat.clone())
            self._shown.append(torch.zeros(storage.nbytes(), dtype=torch.bool))
        width = tensor.element_size()
        if tensor.numel():
            mark = torch.arange(width) + width * tensor.storage_offset()
            for size, stride in zip(tensor.size(), tensor.stride()):
                if stride:
                    mark = (mark.unsqueeze(-1) + width * stride * torch.arange(size)).flatten()
            self._shown[index][mark] = True
        self.tensors.append(TensorMeta(tensor.dtype, tuple(tensor.size()), tuple(tensor.stride()),
                                       tensor.storage_offset(), tensor.requires_grad, index))
        return TensorRef(len(self.tensors) - 1)

    def elements(self):
        """Of the largest tensor."""
        return max((torch.Size(t.size).numel() for t in self.tensors), default=0)

    def with_op(self, op):
        """The same arguments for another overload (an in-place form)."""
        other = object.__new__(Call)
        other.__dict__.update(self.__dict__)
        other.op = op
        return other

    def thaw(self, grad=False):
        """Fresh tensors and the arguments by name that hold them."""
        storages = [storage.clone().untyped_storage() for storage in self.storages]
        tensors = []
        for meta in self.tensors:
            tensor = torch.empty(0, dtype=meta.dtype)
            tensor.set_(storages[meta.storage], meta.offset, meta.size, meta.stride)
            tensors.append(tensor.requires_grad_(grad and meta.requires_grad))

        def warm(value, pool):
            if isinstance(value, TensorRef):
                return pool[value.index]
            if isinstance(value, list):
                return [warm(item, pool) for item in value]
            return value

        return tensors, lambda pool: {name: warm(value, pool) for name, value in self.args.items()}


class Capture(SchemaCheckMode):
    """Records the aten calls a program makes, before autograd and before composites are taken apart.

    The dispatcher's topmost key takes a closed list of mode classes; this is one of them with
    everything but the name replaced.
    """

    def __init__(self, accept):
        TorchDispatchMode.__init__(self, _dispatch_key=torch._C.DispatchKey.PreDispatch)
        self.accept, self.calls, self.refused = accept, [], []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if self.accept(op):
            try:
                self.calls.append(Call(op, args, kwargs))
            except Unstorable as reason:
                self.refused.append(str(reason))
        with torch._C._DisablePythonDispatcher():
            return op(*args, **(kwargs or {}))

    def run(self, function, *args, **kwargs):
        """The calls made, and what was raised (or None)."""
        self.calls, self.refused = [], []
        try:
            with torch._C._EnablePythonDispatcher(), torch._C._EnablePreDispatch(), self:
                function(*args, **kwargs)
        except Exception as error:  # the sample's own error
            return self.calls, error
        return self.calls, None


class BackwardCapture(TorchDispatchMode):
    """Records the calls the autograd engine makes (below autograd, so composites are taken apart)."""

    def __init__(self, accept):
        super().__init__()
        self.accept, self.calls = accept, []

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):
        if self.accept(op):
            try:
                self.calls.append(Call(op, args, kwargs))
            except Unstorable:
                pass
        return op(*args, **(kwargs or {}))
