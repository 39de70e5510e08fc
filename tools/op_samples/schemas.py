#!/usr/bin/env python3
"""Write schemas.json: PyTorch's own schema text for every aten overload of the first op set.

Op records are checked against this file. Run it in an environment made from tools/peers.txt:
    python tools/op_samples/schemas.py
"""
import json
import pathlib

import torch

# Base names: a name stands for all its overloads, and for its in-place form (name_).
POINTWISE = """
add sub rsub mul div true_divide neg abs sign reciprocal pow sqrt rsqrt square exp expm1 log log1p log2 sin cos
tanh sigmoid relu gelu silu erf floor ceil round trunc clamp clamp_min clamp_max minimum maximum
where eq ne lt le gt ge isnan logical_and logical_or logical_not logical_xor bitwise_and bitwise_or
bitwise_xor bitwise_not remainder floor_divide lerp addcmul addcdiv masked_fill threshold
leaky_relu hardtanh softplus atan2 fill zero __and__ __or__ __xor__ positive
"""
REDUCTIONS = """
sum mean prod amax amin aminmax max min argmax argmin any all var std var_mean cumsum norm
linalg_vector_norm logsumexp softmax _softmax log_softmax _log_softmax layer_norm
native_layer_norm cross_entropy_loss nll_loss nll_loss_nd nll_loss2d nll_loss_forward
nll_loss2d_forward mse_loss binary_cross_entropy_with_logits
"""
VIEWS = """
view reshape permute transpose t expand expand_as squeeze unsqueeze select slice narrow split
split_with_sizes chunk unbind cat concat stack flatten unflatten as_strided diagonal unfold
movedim moveaxis flip roll repeat clone contiguous to _to_copy copy detach alias view_as
reshape_as _reshape_alias _unsafe_view broadcast_to numpy_T mT select_scatter
slice_scatter as_strided_scatter diagonal_scatter
"""
MATMUL = "matmul mm bmm addmm mv dot linear baddbmm outer ger addmv"
INDEX = """
index_select gather scatter scatter_add index index_put _index_put_impl embedding index_add
index_fill index_copy masked_select masked_scatter nonzero nonzero_numpy topk sort argsort tril triu
one_hot take_along_dim
"""
CREATION = """
arange full zeros ones empty empty_strided zeros_like ones_like full_like empty_like rand randn
rand_like randn_like randint randint_like bernoulli dropout native_dropout normal uniform
scalar_tensor new_empty new_zeros new_ones new_full new_empty_strided item _local_scalar_dense
"""
BACKWARD = """
threshold_backward leaky_relu_backward hardtanh_backward softplus_backward gelu_backward
silu_backward sigmoid_backward tanh_backward _softmax_backward_data _log_softmax_backward_data
native_layer_norm_backward nll_loss_backward nll_loss2d_backward mse_loss_backward
embedding_backward embedding_dense_backward select_backward slice_backward diagonal_backward
unfold_backward index_select_backward native_dropout_backward sum_to_size value_selecting_reduction_backward
"""
GROUPS = {"pointwise": POINTWISE, "reduction": REDUCTIONS, "view": VIEWS, "matmul": MATMUL,
          "index": INDEX, "creation": CREATION, "backward": BACKWARD}


def overloads():
    """Every aten overload that the dispatcher knows (not TorchScript's scalar and list ones)."""
    dispatched = set(torch._C._dispatch_get_all_op_names())
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + ("." + schema.overload_name if schema.overload_name else "")
        if name.startswith("aten::") and name in dispatched:
            yield name, schema


def tags(name):
    packet, _, overload = name.removeprefix("aten::").partition(".")
    op = getattr(getattr(torch.ops.aten, packet), overload or "default")
    return sorted(str(tag).removeprefix("Tag.") for tag in op.tags)


def main():
    group_of = {name: group for group, text in GROUPS.items() for name in text.split()}
    found, seen = {}, set()
    for name, schema in sorted(overloads(), key=lambda pair: pair[0]):
        if any("Dimname" in str(argument.type) for argument in schema.arguments):
            continue
        packet = name.removeprefix("aten::").partition(".")[0]
        base = packet if packet in group_of else packet.removesuffix("_")
        if base not in group_of:
            continue
        seen.add(base)
        found[name] = {"schema": str(schema), "group": group_of[base], "tags": tags(name)}
    missing = sorted(set(group_of) - seen)
    out = {"origin": "torch._C._jit_get_all_schemas(), overloads that the dispatcher knows",
           "torch": torch.__version__, "not_found": missing, "schemas": found}
    path = pathlib.Path(__file__).with_name("schemas.json")
    path.write_text(json.dumps(out, indent=1) + "\n")
    print(f"{len(found)} schemas of {len(seen)} names -> {path.name}; not found: {missing}")


if __name__ == "__main__":
    main()
