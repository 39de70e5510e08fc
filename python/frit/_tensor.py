"""The part of Tensor that needs no speed: conversions, hooks, interchange, pickling."""
from frit import _C
from frit._construct import _check_device, device as _device, memory_format, strided
from frit.autograd import backward as _run_backward

Tensor = _C.Tensor
ops = _C.ops


def _method(function):
    """Makes the function a method of Tensor."""
    function.__qualname__ = f"Tensor.{function.__name__}"
    _C._add_to_tensor(function.__name__, function)
    return function


def _property(function):
    _C._add_to_tensor(function.__name__, property(function))


# --- what a tensor is

_cpu = _device("cpu")


@_property
def device(self):
    return _cpu


@_property
def layout(self):
    return strided


@_method
def get_device(self):
    return -1


# --- gradients

@_method
def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Adds the gradients of this tensor to .grad of the leaves it came from."""
    _run_backward(self, gradient, retain_graph, create_graph, inputs=inputs)


class RemovableHandle:
    """Removes a hook; also as a context manager."""

    def __init__(self, remove):
        self._remove = remove

    def remove(self):
        remove, self._remove = self._remove, None
        if remove is not None:
            remove()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.remove()


@_method
def register_hook(self, hook):
    """Called with the gradient of this tensor when it is computed; may return another."""
    handle = _C._register_hook(self, hook)
    return RemovableHandle(lambda: _C._remove_hook(self, handle))


@_method
def register_post_accumulate_grad_hook(self, hook):
    """Called with this leaf each time its gradient has been added."""
    handle = _C._register_post_accumulate_grad_hook(self, hook)
    return RemovableHandle(lambda: _C._remove_hook(self, handle))


@_method
def zero_grad_(self):
    self.grad = None
    return self


# --- conversions

_to_op = ops["to"]


@_method
def to(self, *args, **kwargs):
    """to(dtype), to(device), to(device, dtype), to(other): this tensor, or a converted copy."""
    dtype = kwargs.pop("dtype", None)
    place = kwargs.pop("device", None)
    args = list(args)
    if args and isinstance(args[0], Tensor):
        dtype = args.pop(0).dtype
    elif args and (args[0] is None or isinstance(args[0], (str, _device))):
        place = args.pop(0)
        if args and (args[0] is None or isinstance(args[0], _C.dtype)):
            dtype = args.pop(0)
    elif args and (isinstance(args[0], _C.dtype) or args[0] in (float, int, bool)):
        dtype = args.pop(0)
    elif args:
        raise TypeError(f"to() received an invalid combination of arguments - got ({args[0].__class__.__name__})")
    _check_device(place)
    if dtype is None:
        dtype = self.dtype
    return _to_op(self, dtype, *args, **kwargs)


def _conversion(name, dtype):
    def convert(self, memory_format=None):
        return _to_op(self, dtype)
    convert.__name__ = name
    _method(convert)


for _name, _dtype in dict(float=_C.float32, double=_C.float64, half=_C.float16, bfloat16=_C.bfloat16,
                          int=_C.int32, long=_C.int64, short=_C.int16, char=_C.int8, byte=_C.uint8,
                          bool=_C.bool).items():
    _conversion(_name, _dtype)


@_method
def cpu(self, memory_format=None):
    return self


@_method
def type(self, dtype=None):
    """The name of its type, or a converted copy."""
    if dtype is None:
        return f"frit.{_NAMES[self.dtype]}Tensor"
    return self.to(dtype)


_NAMES = {_C.float32: "Float", _C.float64: "Double", _C.float16: "Half", _C.bfloat16: "BFloat16",
          _C.int8: "Char", _C.int16: "Short", _C.int32: "Int", _C.int64: "Long", _C.uint8: "Byte",
          _C.bool: "Bool"}


@_method
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    _check_device(device)
    return _C._tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


# --- ops whose Python form differs from the record's

def split(tensor, split_size_or_sections, dim=0):
    """Pieces of that size, or of those sizes, along a dimension."""
    return ops["split"](tensor, split_size_or_sections, dim)


_C._add_to_tensor("split", lambda self, split_size, dim=0: split(self, split_size, dim))


def einsum(equation, *operands):
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    return ops["einsum"](equation, list(operands))


def equal(input, other):
    """Have both the same sizes and the same elements?"""
    return input.shape == other.shape and bool((input == other).all())


def isclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Do they differ by at most atol + rtol * |other|, element by element?"""
    close = input == other
    if equal_nan and input.is_floating_point():
        close = close | (input.isnan() & other.isnan())
    difference = (input - other).abs() if input.dtype != _C.bool else input ^ other
    return close | (difference.isfinite() & (difference <= (rtol * other).abs() + atol))


def allclose(input, other, rtol=1e-5, atol=1e-8, equal_nan=False):
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


_method(isclose)
_method(equal)
_method(allclose)


def is_tensor(obj):
    return isinstance(obj, Tensor)


def is_floating_point(input):
    return input.is_floating_point()


def numel(input):
    return input.numel()


def result_type(tensor1, tensor2):
    """The dtype of an arithmetic op on both."""
    def operand(x):
        return x if isinstance(x, Tensor) else None
    a, b = operand(tensor1), operand(tensor2)
    if a is None and b is None:
        return (_C._tensor(tensor1) + _C._tensor(tensor2)).dtype
    # An op on nothing answers: tensors of the same ranks without elements, or the number itself.
    def sample(x):
        return x if not isinstance(x, Tensor) else ops["empty"]((0,) * x.dim(), dtype=x.dtype)
    return ops["mul"](*((sample(a), sample(tensor2)) if a is not None else (sample(b), sample(tensor1)))).dtype


# --- sequences

@_method
def __reversed__(self):
    return self if self.dim() == 0 else self.flip(0)


@_method
def __format__(self, spec):
    if self.dim() == 0 and Tensor is self.__class__:
        return self.item().__format__(spec)
    return object.__format__(self, spec)


# --- other libraries' arrays

_TYPES = {_C.float32: "<f4", _C.float64: "<f8", _C.float16: "<f2", _C.int8: "|i1", _C.int16: "<i2",
          _C.int32: "<i4", _C.int64: "<i8", _C.uint8: "|u1", _C.bool: "|b1"}


class _Memory:
    """What NumPy makes an array over; it keeps the tensor."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__array_interface__ = {
            "version": 3, "shape": tuple(tensor.shape), "typestr": _TYPES[tensor.dtype],
            "strides": tuple(s * tensor.itemsize for s in tensor.stride()), "data": (tensor.data_ptr(), False)}


@_method
def numpy(self, *, force=False):
    """A NumPy array over the same memory."""
    import numpy as np
    if force:
        self = self.detach()
    if self.requires_grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self.dtype not in _TYPES:
        raise TypeError(f"Got unsupported ScalarType {_NAMES[self.dtype]}: NumPy has no such type; to(frit.float32) first")
    if self.numel() == 0:
        return np.empty(tuple(self.shape), _TYPES[self.dtype])
    return np.asarray(_Memory(self))


@_method
def __array__(self, dtype=None, copy=None):
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError(f"a copy is needed to convert {array.dtype} to {dtype}")
        return array.astype(dtype)
    return array.copy() if copy else array


@_method
def __array_wrap__(self, array, context=None, return_scalar=False):
    return _C.from_numpy(array) if array.shape else _C._tensor(array)


_C._add_to_tensor("__array_priority__", 1000)


@_method
def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """A capsule with this tensor's memory."""
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError(f"the tensor is on the processor, not on device {tuple(dl_device)}")
    if copy:
        self = self.clone()
    return _C._to_dlpack(self, max_version is not None and max_version[0] >= 1)


@_method
def __dlpack_device__(self):
    return 1, 0


# --- copies and pickling

def _plain(t):
    """The values alone: what a copy or a pickle of it starts from."""
    return t.detach()


def _rebuild(cls, data, strides, requires_grad, attributes):
    made = data
    if data.stride() != strides and data.numel():
        span = 1 + sum((n - 1) * s for n, s in zip(data.shape, strides))
        if span == data.numel():  # the same elements in another order
            made = ops["empty_strided"](tuple(data.shape), strides, dtype=data.dtype)
            made.copy_(data)
    if cls is not Tensor:
        made = _C._make_subclass(cls, made, requires_grad)
    elif requires_grad:
        made.requires_grad_()
    for name, value in attributes.items():
        setattr(made, name, value)
    return made


@_method
def __deepcopy__(self, memo):
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                           "protocol at the moment: detach() it first.")
    if id(self) in memo:
        return memo[id(self)]
    import copy
    # Dense tensors keep their layout; what overlaps becomes dense.
    made = _rebuild(self.__class__, _plain(self).clone(), self.stride(), self.requires_grad, {})
    memo[id(self)] = made
    if self.grad is not None:
        made.grad = copy.deepcopy(self.grad, memo)
    for name, value in self.__dict__.items():
        setattr(made, name, copy.deepcopy(value, memo))
    return made


@_method
def __copy__(self):
    return _rebuild(self.__class__, _plain(self), self.stride(), self.requires_grad and self.is_leaf, dict(self.__dict__))


@_method
def __reduce_ex__(self, protocol):
    if not self.is_leaf:
        raise RuntimeError("Only leaf tensors can be pickled: detach() it first.")
    return _unpickle, (self.__class__, self.dtype, tuple(self.shape), self.stride(),
                       _C._to_bytes(self), self.requires_grad, dict(self.__dict__))


def _unpickle(cls, dtype, sizes, strides, raw, requires_grad, attributes):
    return _rebuild(cls, _C._from_bytes(raw, dtype, sizes), strides, requires_grad, attributes)
