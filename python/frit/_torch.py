"""What compiled entries are on PyTorch's tape. Imported where the process has torch, when it is first needed."""
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from frit import _C


class _Entry(torch.autograd.Function):
    """One run of an entry: all its outputs that require a gradient."""

    forward = staticmethod(_C._torch_forward)

    @staticmethod
    def backward(ctx, *gradients):
        tape, kept = ctx.tape, ctx.saved_tensors
        if not torch.is_grad_enabled():
            return _C._torch_backward(tape, kept, gradients, ctx.needs_input_grad)
        # create_graph=True
        with torch.no_grad():
            found = _C._torch_backward(tape, kept, gradients, ctx.needs_input_grad)
        # They may be read; only differentiating them is an error.
        given = [None if g is None else g.requires_grad_() for g in found]
        marked = iter(_Once.apply(tape.name, *(g for g in given if g is not None)))
        return tuple(None if g is None else next(marked) for g in given)


class _Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, name, *gradients):
        ctx.name = name
        return tuple(g.detach() for g in gradients)

    @staticmethod
    def backward(ctx, *gradients):
        raise RuntimeError(
            f"[compile] gradients of gradients are asked for, through the compiled {ctx.name}\n"
            '  try: call it under frit.compiler.set_stance("force_eager"), or leave create_graph=True out')


# Not the class's own, which looks for transforms of torch.func at each call: entries do not run under them.
apply = super(torch.autograd.Function, _Entry).apply


class Watch(TorchDispatchMode):
    """What an op of torch's is made of, seen op of aten's by op of aten's."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nor is it loaded for that

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return _C._torch_dispatched(function, args, kwargs or {})


def differentiate(function, args, kwargs, written, leaves, gradients):
    """Gradients of what the call gives, and of what it writes, for the leaves: tensors, zeros where there are none."""
    with torch.enable_grad():
        made = function(*args, **kwargs)
    outputs = [t for t in _tensors(made) if not any(t is w for w in written)][:len(gradients) - len(written)] + list(written)
    pairs = [(o, g) for o, g in zip(outputs, gradients) if g is not None and o.requires_grad]
    found = torch.autograd.grad([o for o, _ in pairs], leaves, [g for _, g in pairs], allow_unused=True) \
        if pairs else [None] * len(leaves)
    return tuple(torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found))


def sizes_given(tensors, sizes):
    """Tensors like these, of other sizes and without elements."""
    return [torch.empty(n, dtype=t.dtype, device="meta") for t, n in zip(tensors, sizes)]


def _tensors(o):
    if isinstance(o, torch.Tensor):
        yield o
    elif isinstance(o, (tuple, list)):
        for x in o:
            yield from _tensors(x)
