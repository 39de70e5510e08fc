"""Operators with tensors and numbers on either side, against Python's and PyTorch's."""
import operator

import frit
import pytest

BINARY = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift",
          "lt", "le", "eq", "ne", "gt", "ge"]
UNARY = ["neg", "pos", "abs", "invert"]
DTYPES = ["float32", "float64", "int64", "int32", "bool"]
NUMBERS = [2, 2.5, True]


def results(library, name, dtype):
    x = library.tensor([[1, 2], [3, 4]]).to(getattr(library, dtype))
    y = library.tensor([[2, 1], [1, 3]]).to(getattr(library, dtype))
    call, seen = getattr(operator, name), []
    for a, b in [(x, y), *((x, n) for n in NUMBERS), *((n, x) for n in NUMBERS)]:
        try:
            r = call(a, b)
            seen.append((str(r.dtype).partition(".")[2], r.tolist()))
        except Exception as error:
            seen.append(type(error).__name__)
    in_place = getattr(operator, "i" + name.rstrip("_"), None)
    for b in [y, *NUMBERS] if in_place else []:
        z = x.clone()
        try:
            r = in_place(z, b)
            seen.append((r is z, z.tolist()))
        except Exception as error:
            seen.append(type(error).__name__)
    return seen


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BINARY)
def test_binary_as_pytorch(name, dtype):
    torch = pytest.importorskip("torch")
    for i, (given, wanted) in enumerate(zip(results(frit, name, dtype), results(torch, name, dtype))):
        if wanted == "RuntimeError" and given == "NotImplementedError":
            continue  # one of them: which of two things that are wrong is said first
        if isinstance(wanted, str):
            assert given == wanted, i
        else:
            assert given[0] == wanted[0] and frit.allclose(frit.tensor(given[1]), frit.tensor(wanted[1]), 1e-14), i


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", UNARY)
def test_unary_as_pytorch(name, dtype):
    torch = pytest.importorskip("torch")

    def outcome(library):
        try:
            r = getattr(operator, name)(library.tensor([-1, 0, 2]).to(getattr(library, dtype)))
            return str(r.dtype).partition(".")[2], r.tolist()
        except Exception as error:
            return type(error).__name__
    assert outcome(frit) == outcome(torch)


@pytest.mark.parametrize("name", BINARY)
def test_binary_as_python(name):
    x, y = 6, 2
    if name == "matmul":
        return
    wanted = getattr(operator, name)(x, y)
    for a, b in [(frit.tensor(x), frit.tensor(y)), (frit.tensor(x), y), (x, frit.tensor(y))]:
        assert getattr(operator, name)(a, b).item() == wanted


def test_conversions():
    assert int(frit.tensor(2.7)) == 2 and float(frit.tensor(2)) == 2.0 and not frit.tensor(0.0)
    assert [10, 20, 30][frit.tensor(1)] == 20
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an index"):
        [1, 2][frit.tensor(1.0)]


def test_a_number_does_not_widen_what_it_is_divided_by():
    for number, dtype, wanted in [(-1, frit.int32, frit.int32), (True, frit.uint8, frit.uint8),
                                  (2.5, frit.int32, frit.float32), (300, frit.float16, frit.float16)]:
        assert (number // frit.tensor(1, dtype=dtype)).dtype == wanted
