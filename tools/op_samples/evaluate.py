"""Run a recorded call and note everything that can be compared."""
import dataclasses
import zlib

import torch


@dataclasses.dataclass
class Output:
    value: object            # a DenseTensor or a number
    alias_of: int = -1       # the first input that shares its storage
    same_object: bool = False
    requires_grad: bool = False


@dataclasses.dataclass
class DenseTensor:
    """Values row by row, beside the layout PyTorch gave the tensor."""
    dtype: torch.dtype
    size: tuple
    stride: tuple
    offset: int
    values: object           # uint8 tensor, or None where values mean nothing


@dataclasses.dataclass
class Result:
    outputs: list = dataclasses.field(default_factory=list)
    mutated: list = dataclasses.field(default_factory=list)       # (input, DenseTensor)
    grad_outputs: list = dataclasses.field(default_factory=list)  # (output, DenseTensor)
    grads: list = dataclasses.field(default_factory=list)         # (input, DenseTensor or None)
    has_values: bool = True
    error: object = None     # (type name, regex or "", message)


def dense(tensor, values=True):
    tensor = tensor.detach()
    raw = None
    if values:
        raw = tensor.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8)
    return DenseTensor(tensor.dtype, tuple(tensor.size()), tuple(tensor.stride()),
                       tensor.storage_offset(), raw)


def flatten(result):
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in flatten(part)]
    return [] if result is None else [result]


def mutated_arguments(op):
    return {a.name for a in op._schema.arguments if a.alias_info is not None and a.alias_info.is_write}


def has_values(call):
    """Whether two runs must agree: false for uninitialised memory and for random results."""
    name = call.op._schema.name.removeprefix("aten::").removesuffix("_")
    if name.startswith(("empty", "new_empty")):
        return False
    if torch.Tag.nondeterministic_seeded not in call.op.tags:
        return True
    seen = []
    for seed in (1, 2, 3):
        torch.manual_seed(seed)
        tensors, warm = call.thaw()
        results = flatten(call.op(**warm(tensors)))
        seen.append([dense(r).values.tolist() if isinstance(r, torch.Tensor) else r for r in results])
    return seen[0] == seen[1] == seen[2]


def evaluate(call, regex="", gradients=True):
    result = Result()
    try:
        with torch.no_grad():
            result.has_values = has_values(call)
            tensors, warm = call.thaw()
            raw = flatten(call.op(**warm(tensors)))
    except Exception as error:
        result.error = (type(error).__name__, regex, str(error))
        return result
    storages = [t.untyped_storage()._cdata for t in tensors]
    for item in raw:
        if not isinstance(item, torch.Tensor):
            result.outputs.append(Output(item))
            continue
        same = [i for i, t in enumerate(tensors) if item is t]
        shared = [i for i, s in enumerate(storages) if s == item.untyped_storage()._cdata]
        alias = (same + shared + [-1])[0]
        result.outputs.append(Output(dense(item, result.has_values), alias, bool(same)))
    writes = mutated_arguments(call.op)
    written = [ref.index for name, value in call.args.items() if name in writes
               for ref in flatten(value)]
    for index in written:
        result.mutated.append((index, dense(tensors[index], result.has_values)))
    if gradients and result.has_values and any(t.requires_grad for t in call.tensors):
        differentiate(call, result, set(written))
    return result


def differentiate(call, result, written):
    """Gradients for small exact output gradients: multiples of 1/4 between -2 and 2."""
    try:
        leaves, warm = call.thaw(grad=True)
        inputs = [i for i, leaf in enumerate(leaves) if leaf.requires_grad]  # before writes change it
        pool = [leaf.clone() if i in written and leaf.requires_grad else leaf
                for i, leaf in enumerate(leaves)]
        raw = flatten(call.op(**warm(pool)))
        for output, item in zip(result.outputs, raw):
            output.requires_grad = isinstance(item, torch.Tensor) and item.requires_grad
        chosen = [i for i, output in enumerate(result.outputs) if output.requires_grad]
        if not chosen:
            return
        generator = torch.Generator().manual_seed(zlib.crc32(call.op.name().encode()))
        seeds = []
        for i in chosen:
            quarters = torch.randint(-8, 9, raw[i].shape, generator=generator)
            seeds.append((quarters / 4).to(raw[i].dtype))
        grads = torch.autograd.grad([raw[i] for i in chosen], [leaves[i] for i in inputs], seeds,
                                    allow_unused=True)
    except (RuntimeError, NotImplementedError):  # no derivative for this call or dtype
        return
    result.grad_outputs = [(i, dense(seed)) for i, seed in zip(chosen, seeds)]
    result.grads = [(i, None if grad is None else dense(grad)) for i, grad in zip(inputs, grads)]
