"""What is done to the gradients of all parameters at once, and parameters as one vector."""
import math

from frit import _C
from frit.autograd import no_grad


def _gradients(parameters):
    if isinstance(parameters, _C.Tensor):
        parameters = [parameters]
    return [p.grad for p in parameters if p.grad is not None]


@no_grad()
def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all of them together."""
    norm_type = float(norm_type)
    total = None
    for t in tensors:
        if norm_type == math.inf:
            part = t.abs().max()
            total = part if total is None else total.maximum(part)
        else:
            part = t.square().sum() if norm_type == 2 else t.abs().pow(norm_type).sum()
            total = part if total is None else total + part
    if total is None:
        return _C._tensor(0.0)
    if norm_type != math.inf:
        total = total.sqrt() if norm_type == 2 else total.pow(1 / norm_type)
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
                           "so it cannot be clipped. To disable this error and scale the gradients by the non-finite "
                           "norm anyway, set `error_if_nonfinite=False`")
    return total


@no_grad()
def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales gradients so that their norm is at most max_norm; returns the norm before."""
    grads = _gradients(parameters)
    norm = get_total_norm(grads, norm_type, error_if_nonfinite)
    if grads:
        scale = (max_norm / (norm + 1e-6)).clamp_max(1.0)
        for grad in grads:
            grad.mul_(scale)
    return norm


@no_grad()
def clip_grad_value_(parameters, clip_value, foreach=None):
    """Every element of every gradient into [-clip_value, clip_value]."""
    for grad in _gradients(parameters):
        grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters):
    return _C.ops["cat"]([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    at = 0
    for p in parameters:
        p.data = vec[at:at + p.numel()].view_as(p).data
        at += p.numel()
