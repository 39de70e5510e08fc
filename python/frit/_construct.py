"""Tensors from data, and the little there is to say about devices and layouts."""
import secrets

from frit import _C


class device:
    """Where a tensor is: always the processor."""

    __slots__ = ("type", "index")

    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        name, _, number = type.partition(":")
        if name != "cpu":
            raise RuntimeError(f"there is no device '{type}': Frit's tensors are on the processor")
        object.__setattr__(self, "type", name)
        object.__setattr__(self, "index", int(number) if number else index)

    def __setattr__(self, name, value):
        raise AttributeError(f"device's attribute '{name}' is read-only")

    def __repr__(self):
        return f"device(type='{self.type}'" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, (self.type, self.index)


class _Named:
    """The values of an enumeration, printed as frit.<name>."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"frit.{self.name}"

    def __reduce__(self):
        return self.name


class layout(_Named):
    __slots__ = ()


class memory_format(_Named):
    __slots__ = ()


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")


def _check_device(place):
    if place is not None and not isinstance(place, device):
        device(place)


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of the data's own: numbers, nested lists of them, arrays, other tensors. It is copied."""
    _check_device(device)
    return _C._tensor(data, dtype=dtype, requires_grad=requires_grad)


def as_tensor(data, dtype=None, device=None):
    """The data as a tensor, which shares its memory where it can."""
    _check_device(device)
    if isinstance(data, _C.Tensor):
        return data if dtype is None or data.dtype == dtype else data.to(dtype)
    if hasattr(data, "__array_interface__") and getattr(data, "shape", ()) != ():
        made = _C.from_numpy(data)
        return made if dtype is None else made.to(dtype)
    return _C._tensor(data, dtype=dtype)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    made = tensor(obj, dtype=dtype) if copy else as_tensor(obj, dtype, device)
    return made.requires_grad_() if requires_grad else made


def from_dlpack(ext_tensor):
    """A tensor over the memory of another library's array, or of a DLPack capsule."""
    return _C._from_dlpack(ext_tensor)


def construct(*args, dtype=None, device=None):
    """Tensor(...): of these sizes, not set, or of this data, in the default type."""
    _check_device(device)
    if dtype is None:
        dtype = _C.get_default_dtype()
    if not args:
        return _C.ops["empty"]((0,), dtype=dtype)
    if len(args) == 1 and isinstance(args[0], _C.Tensor):
        return args[0].detach()
    if len(args) == 1 and isinstance(args[0], _C.Size):
        return _C.ops["empty"](args[0], dtype=dtype)
    if all(isinstance(a, int) and not isinstance(a, bool) for a in args):
        return _C.ops["empty"](args, dtype=dtype)
    if len(args) != 1:
        raise TypeError(f"Tensor() takes sizes or one sequence of data, not {len(args)} arguments")
    if not hasattr(args[0], "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
    return _C._tensor(args[0], dtype=dtype)


def get_rng_state():
    """The default generator's seed and offset, as a tensor."""
    return _C._tensor(list(_C.default_generator.get_state()), dtype=_C.int64)


def set_rng_state(new_state):
    _C.default_generator.set_state(tuple(int(v) for v in new_state.tolist()))


def initial_seed():
    return _C.default_generator.initial_seed()


def seed():
    """A seed that nobody chose; returns it."""
    number = secrets.randbits(63)
    _C.manual_seed(number)
    return number


def find_op(name, method):
    """The op or the method of that name: what a pickle of it holds."""
    return vars(_C.Tensor)[name] if method else _C.ops[name]
