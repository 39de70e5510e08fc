"""Every op from Python: of each overload some of PyTorch's stored samples, called as functions and as methods.
(All samples run in C++: tests/op_samples/eager_test.cpp. Here the way from Python and back is looked at.)"""
import re

import frit
import op_samples
import pytest

pytest.importorskip("zstandard")

GOOD, BAD = 6, 3  # samples of an overload: that give results, that raise
TOLERANCE = {frit.float32: 2e-5, frit.float64: 1e-7, frit.bfloat16: 2e-2, frit.float16: 3e-3}


def compare(given, wanted, what):
    assert given.dtype is wanted.dtype and given.shape == wanted.shape, what
    a, b = given.detach().to(frit.float64), wanted.to(frit.float64)
    tolerance = TOLERANCE.get(given.dtype, 0)
    finite = b.isfinite()
    largest = frit.where(finite, b, 0.0).abs().max().item() if b.numel() else 0
    assert frit.allclose(a, b, tolerance, tolerance * (1 + largest), equal_nan=True), f"{what}: {given} is not {wanted}"


def check(reader, sample, function, as_method):
    inputs = reader.inputs(sample)
    positional, keywords = reader.call(sample, inputs)
    if as_method:
        result = getattr(positional[0], function)(*positional[1:], **keywords)
    else:
        result = frit._C.ops[function](*positional, **keywords)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    assert len(results) == len(sample.outputs)
    for given, wanted in zip(results, sample.outputs):
        assert not wanted.same or any(given is x for x in inputs), "the very argument is returned"
        if wanted.alias_of >= 0:
            assert given._shares_storage_with(inputs[wanted.alias_of])
        if sample.has_values and isinstance(given, frit.Tensor):
            compare(given, reader.dense(wanted.value.tensor), sample.source)


def overloads(reader, name):
    """The samples to run, by full name."""
    chosen = {}
    for sample in reader.samples:
        full = sample.op.removeprefix("aten::")
        if full.partition(".")[0] not in frit._C.ops or op_samples.left_out(sample):
            continue
        good, bad = chosen.setdefault(full, ([], []))
        if sample.error is None and len(good) < GOOD:
            good.append(sample)
        elif sample.error is not None and len(bad) < BAD:
            bad.append(sample)
    return chosen


@pytest.mark.parametrize("path", sorted(op_samples.DATA.iterdir()), ids=lambda p: p.name.partition(".")[0])
def test_samples(path):
    reader = op_samples.read(path)
    for full, (good, bad) in overloads(reader, path).items():
        function = full.partition(".")[0]
        takes_self = type(getattr(frit.Tensor, function, None)) is type(frit.Tensor.add)
        for sample in good:
            check(reader, sample, function, False)
            first = sample.args and sample.args[0]
            if takes_self and first and first[0] == "self" and hasattr(first[1], "tensor"):
                check(reader, sample, function, True)
        for sample in bad:
            with pytest.raises(Exception) as error:
                check(reader, sample, function, False)
            kind = error.type.__name__
            assert kind == sample.error[0], f"{sample.source}: {error.value}"
            assert "[" in str(error.value) and re.search(r"at \w+\.py:\d+", str(error.value)), error.value


def test_every_record_is_callable():
    for name, op in frit._C.ops.items():
        assert callable(op) and op.__name__ == name and op.schemas and op.__doc__
        with pytest.raises(TypeError, match=rf"{re.escape(name)}\(\)"):
            op(object(), object(), nonsense=1)
