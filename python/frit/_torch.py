"""What compiled entries are on PyTorch's tape. Imported where the process has torch, when it is first needed."""
import torch

from frit import _C


class _Entry(torch.autograd.Function):
    """One run of an entry: all its outputs that require a gradient."""

    @staticmethod
    def forward(ctx, *inputs):
        ctx.set_materialize_grads(False)
        made = _C._torch_forward()
        if made is None:
            raise _Failed
        outputs, kept, ctx.tape = made
        ctx.save_for_backward(*kept)
        return outputs

    @staticmethod
    def backward(ctx, *gradients):
        tape, kept = ctx.tape, ctx.saved_tensors
        twice = torch.is_grad_enabled()  # create_graph=True
        with torch.no_grad():
            found = _C._torch_backward(tape, kept, gradients, ctx.needs_input_grad)
        if not twice:
            return tuple(found)
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


class _Failed(Exception):
    """A check of the graph failed: nothing was done, and eager raises."""


apply = _Entry.apply
