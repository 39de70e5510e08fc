"""Frit: tensors, gradients, and a compiler for programs over them."""
from frit import _C
from frit._C import (
    Generator,
    Size,
    Tensor,
    bfloat16,
    bool,
    default_generator,
    dtype,
    float16,
    float32,
    float64,
    from_numpy,
    get_default_dtype,
    get_num_threads,
    int8,
    int16,
    int32,
    int64,
    is_grad_enabled,
    is_inference_mode_enabled,
    load_metadata,
    load_npy,
    manual_seed,
    promote_types,
    save_npy,
    set_default_dtype,
    set_num_threads,
    uint8,
)

_frame_test = _C._frame_test  # what tests/python/frame_*.py use

__version__ = "0.1.0"

float = float32
double = float64
half = float16
int = int32
long = int64
short = int16

# Every op that makes new tensors is a function here; in-place ones are methods.
globals().update((name, op) for name, op in _C.ops.items() if not name.startswith("_") and not name.endswith("_"))

from frit._construct import (  # noqa: E402  what they use is above
    as_tensor,
    asarray,
    channels_last,
    contiguous_format,
    device,
    from_dlpack,
    get_rng_state,
    initial_seed,
    layout,
    memory_format,
    preserve_format,
    seed,
    set_rng_state,
    strided,
    tensor,
)
from frit._tensor import (  # noqa: E402
    allclose,
    einsum,
    equal,
    isclose,
    is_floating_point,
    is_tensor,
    numel,
    result_type,
    split,
)
from frit._printing import set_printoptions  # noqa: E402
from frit.autograd import enable_grad, inference_mode, no_grad, set_grad_enabled  # noqa: E402
from frit.serialization import load, save  # noqa: E402
from frit import autograd, nn, ops, optim  # noqa: E402
from frit import compiler  # noqa: E402
from frit.compiler import compile, explain  # noqa: E402
