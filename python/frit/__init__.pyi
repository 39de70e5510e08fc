from frit import autograd as autograd, compiler as compiler, nn as nn, ops as ops, optim as optim
from frit._C import (
    Generator as Generator,
    Size as Size,
    Tensor as Tensor,
    bfloat16 as bfloat16,
    bool as bool,
    default_generator as default_generator,
    dtype as dtype,
    float16 as float16,
    float32 as float32,
    float64 as float64,
    from_numpy as from_numpy,
    get_default_dtype as get_default_dtype,
    get_num_threads as get_num_threads,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled,
    load_metadata as load_metadata,
    load_npy as load_npy,
    manual_seed as manual_seed,
    promote_types as promote_types,
    save_npy as save_npy,
    set_default_dtype as set_default_dtype,
    set_num_threads as set_num_threads,
    uint8 as uint8,
)
from frit._construct import (
    as_tensor as as_tensor,
    asarray as asarray,
    channels_last as channels_last,
    contiguous_format as contiguous_format,
    device as device,
    from_dlpack as from_dlpack,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    layout as layout,
    memory_format as memory_format,
    preserve_format as preserve_format,
    seed as seed,
    set_rng_state as set_rng_state,
    strided as strided,
    tensor as tensor,
)
from frit._functions import *
from frit._printing import set_printoptions as set_printoptions
from frit._tensor import (
    allclose as allclose,
    einsum as einsum,
    equal as equal,
    is_floating_point as is_floating_point,
    is_tensor as is_tensor,
    isclose as isclose,
    numel as numel,
    result_type as result_type,
)
from frit._tensor import split as split  # type: ignore[no-redef]  # also an op
from frit.autograd import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from frit.compiler import compile as compile, explain as explain
from frit.serialization import load as load, save as save

__version__: str

float = float32
double = float64
half = float16
int = int32
long = int64
short = int16

