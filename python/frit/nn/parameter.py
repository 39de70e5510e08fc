"""Tensors that a module owns and an optimiser changes."""
from frit import _C


class _ParameterType(type):
    """A tensor that says it is a parameter is one, whatever its class."""

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) or (
            isinstance(instance, _C.Tensor) and getattr(instance, "_is_param", False))


class Parameter(_C.Tensor, metaclass=_ParameterType):
    """A tensor that becomes a parameter of the module it is assigned to."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.ops["empty"]((0,))
        made = _C._make_subclass(cls, data.detach(), requires_grad)
        _C._mark_parameter(made)
        return made

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()


class Buffer(_C.Tensor):
    """A tensor that becomes a buffer of the module it is assigned to."""

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _C.ops["empty"]((0,))
        made = _C._make_subclass(cls, data.detach(), False)
        made.persistent = persistent
        return made
