"""Layers as functions, with PyTorch's names and arguments."""
import math

from frit import _C

_ops = _C.ops

relu = _ops["relu"]
relu6 = _ops["relu6"]
sigmoid = _ops["sigmoid"]
tanh = _ops["tanh"]
gelu = _ops["gelu"]
hardsigmoid = _ops["hardsigmoid"]
linear = _ops["linear"]
logsigmoid = _ops["log_sigmoid"] if "log_sigmoid" in _ops else None
one_hot = _ops["one_hot"]
softplus = _ops["softplus"]


def _reduction(name):
    try:
        return ("none", "mean", "sum").index(name)
    except ValueError:
        raise ValueError(f"{name} is not a valid value for reduction") from None


def silu(input, inplace=False):
    return input.silu_() if inplace else _ops["silu"](input)


def hardswish(input, inplace=False):
    return input.hardswish_() if inplace else _ops["hardswish"](input)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return input.leaky_relu_(negative_slope) if inplace else _ops["leaky_relu"](input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    return input.elu_(alpha) if inplace else _ops["elu"](input, alpha)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return input.hardtanh_(min_val, max_val) if inplace else _ops["hardtanh"](input, min_val, max_val)


def _relu(input, inplace=False):
    return input.relu_() if inplace else _ops["relu"](input)


def softmax(input, dim=None, dtype=None):
    return _ops["softmax"](input, _softmax_dim("softmax", input, dim), dtype=dtype)


def log_softmax(input, dim=None, dtype=None):
    return _ops["log_softmax"](input, _softmax_dim("log_softmax", input, dim), dtype=dtype)


def softmin(input, dim=None, dtype=None):
    return softmax(-input, dim, dtype)


def _softmax_dim(name, input, dim):
    return dim if dim is not None else 0 if input.dim() in (0, 1, 3) else 1


def dropout(input, p=0.5, training=True, inplace=False):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    return input.dropout_(p, training) if inplace else _ops["dropout"](input, p, training)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        raise NotImplementedError("embedding(): max_norm is not supported; normalise the weight before")
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    return _ops["embedding"](weight, input, padding_idx, scale_grad_by_freq, sparse)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return _ops["layer_norm"](input, normalized_shape, weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return _ops["div"](input, input.norm(p, dim, True).clamp_min(eps).expand_as(input), out=out)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _ops["mse_loss"](*_same_sizes("mse_loss", input, target), _reduction(reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _ops["l1_loss"](*_same_sizes("l1_loss", input, target), _reduction(reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    return _ops["smooth_l1_loss"](*_same_sizes("smooth_l1_loss", input, target), _reduction(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0):
    return _ops["huber_loss"](*_same_sizes("huber_loss", input, target), _reduction(reduction), delta)


def _same_sizes(name, input, target):
    if input.shape != target.shape:
        import warnings
        warnings.warn(f"{name}: the target's sizes {tuple(target.shape)} differ from the input's "
                      f"{tuple(input.shape)}; they are broadcast, which is often a mistake", stacklevel=3)
        return _ops["broadcast_tensors"]([input, target])
    return input, target


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _ops["nll_loss_nd"](input, target, weight, _reduction(reduction), ignore_index)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    return _ops["cross_entropy_loss"](input, target, weight, _reduction(reduction), ignore_index, label_smoothing)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    if input.shape != target.shape:
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) "
                         "is deprecated. Please ensure they have the same size.")
    return _ops["binary_cross_entropy"](input, target, weight, _reduction(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    if input.shape != target.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return _ops["binary_cross_entropy_with_logits"](input, target, weight, pos_weight, _reduction(reduction))


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if reduction == "batchmean":
        return _ops["kl_div"](input, target, 2, log_target=log_target) / input.size(0)
    return _ops["kl_div"](input, target, _reduction(reduction), log_target=log_target)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """softmax(query key^T * scale + mask) value."""
    if is_causal and attn_mask is not None:
        raise RuntimeError("scaled_dot_product_attention: explicit attn_mask should not be set when is_causal=True")
    factor = 1 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = _ops["matmul"](query, key.transpose(-2, -1)) * factor
    if is_causal:
        attn_mask = _ops["ones"](query.size(-2), key.size(-2), dtype=_C.bool).tril()
    if attn_mask is not None:
        if attn_mask.dtype == _C.bool:
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    weights = softmax(scores, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return _ops["matmul"](weights, value)
