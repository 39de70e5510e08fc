"""Gradients: grad(), backward(), and the modes they are switched with."""
import functools
import inspect

from frit import _C

__all__ = ["backward", "enable_grad", "grad", "inference_mode", "no_grad", "set_grad_enabled"]


def _given(tensors, gradients):
    """One gradient a tensor, or None where there are none."""
    if gradients is None:
        return None
    count = 1 if isinstance(tensors, _C.Tensor) else len(tensors)
    gradients = [gradients] if isinstance(gradients, _C.Tensor) else list(gradients)
    if len(gradients) != count:
        raise RuntimeError(f"got {count} tensors and {len(gradients)} gradients")
    return None if all(g is None for g in gradients) else gradients


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, *, inputs=None):
    """Adds the gradients of the tensors to .grad of the leaves (or of the inputs)."""
    if inputs is not None and not isinstance(inputs, _C.Tensor) and len(inputs) == 0:
        raise RuntimeError("'inputs' argument to backward() cannot be empty.")
    keep = create_graph if retain_graph is None else retain_graph
    _C._backward(tensors, _given(tensors, grad_tensors), keep, create_graph, inputs)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, allow_unused=None,
         is_grads_batched=False, materialize_grads=False):
    """The gradients of the sum of the outputs with respect to the inputs: a tuple."""
    if is_grads_batched:
        raise RuntimeError("grad(): batched gradients are not supported; call grad() for each")
    if allow_unused is None:
        allow_unused = materialize_grads
    elif materialize_grads and not allow_unused:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, "
                         "but got: allow_unused=False.")
    keep = create_graph if retain_graph is None else retain_graph
    found = _C._grad(outputs, inputs, _given(outputs, grad_outputs), keep, create_graph, allow_unused)
    if materialize_grads:
        ins = [inputs] if isinstance(inputs, _C.Tensor) else inputs
        found = tuple(_C.ops["zeros_like"](x) if g is None else g for x, g in zip(ins, found))
    return found


class _Mode:
    """A mode as a context manager, and as a decorator of functions and generator functions."""

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            @functools.wraps(function)
            def generator(*args, **kwargs):
                running = function(*args, **kwargs)
                try:
                    with self._clone():
                        given = running.send(None)
                    while True:
                        try:
                            request = yield given
                        except GeneratorExit:
                            with self._clone():
                                running.close()
                            raise
                        except BaseException as error:
                            with self._clone():
                                given = running.throw(error)
                        else:
                            with self._clone():
                                given = running.send(request)
                except StopIteration as end:
                    return end.value
            return generator

        @functools.wraps(function)
        def decorated(*args, **kwargs):
            with self._clone():
                return function(*args, **kwargs)
        return decorated

    def _clone(self):
        return type(self)()

    def __exit__(self, kind, value, traceback):
        _C._set_modes(self._grad, self._inference)

    def _enter(self, grad, inference):
        self._grad = _C.is_grad_enabled()
        self._inference = _C.is_inference_mode_enabled()
        _C._set_modes(grad, inference)


def _decorates(cls):
    """@cls, without parentheses, decorates too."""
    plain = cls.__new__

    def __new__(cls, function=None, *args, **kwargs):
        if callable(function) and not isinstance(function, bool):
            return plain(cls)(function)
        return plain(cls)
    cls.__new__ = __new__
    return cls


@_decorates
class no_grad(_Mode):
    """Inside, results do not require gradients."""

    def __enter__(self):
        self._enter(False, _C.is_inference_mode_enabled())


@_decorates
class enable_grad(_Mode):
    """Inside, they do, in a no_grad too."""

    def __enter__(self):
        self._enter(True, _C.is_inference_mode_enabled())


@_decorates
class inference_mode(_Mode):
    """As no_grad, and views are not followed: nothing made inside may be written where gradients are on."""

    def __init__(self, mode=True):
        self.mode = True if callable(mode) else mode

    def _clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        if self.mode:
            self._enter(False, True)
        else:
            self._enter(True, False)


class set_grad_enabled(_Mode):
    """Switches gradients at once; as a context manager, for its block; as a decorator, for each call."""

    def __init__(self, mode):
        self.mode = mode
        self._before = _C.is_grad_enabled()
        _C._set_grad_enabled(mode)

    def __call__(self, function):
        _C._set_grad_enabled(self._before)
        return super().__call__(function)

    def _clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        _C._set_grad_enabled(self.mode)

    def __exit__(self, kind, value, traceback):
        _C._set_grad_enabled(self._before)
