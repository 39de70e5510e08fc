"""Errors: PyTorch's types and words, the op's name, the user's own line, a hint."""
import frit
import pytest

x = frit.ones(2, 3)


@pytest.mark.parametrize("call, kind, text", [
    (lambda: frit.relu(), TypeError, '[relu] relu() missing 1 required positional argument: "input"'),
    (lambda: frit.relu(3), TypeError, "[relu] relu(): argument 'input' (position 1) must be Tensor, not int"),
    (lambda: frit.relu(x, 1), TypeError, "[relu] relu() takes 1 positional argument but 2 were given"),
    (lambda: frit.relu(x, foo=1), TypeError, "[relu] relu() got an unexpected keyword argument 'foo'"),
    (lambda: frit.relu(x, input=x), TypeError, "[relu] relu() got multiple values for argument 'input'"),
    (lambda: x.unsqueeze(1.5), TypeError, "[unsqueeze] unsqueeze(): argument 'dim' (position 2) must be int, not float"),
    (lambda: frit.cat([x, 3]), TypeError, "[cat] cat(): argument 'tensors' (position 1) must be tuple of Tensors, not list of [Tensor, int]"),
    (lambda: frit.add(x, "a"), TypeError, "[add] add() received an invalid combination of arguments - got (Tensor, str), but expected one of:\n"
     " * (Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)\n"),
    (lambda: frit.zeros(2, dtype="float32"), TypeError, "[zeros]"),
    (lambda: frit.zeros(2, device="cuda"), RuntimeError, "[device] there is no device 'cuda'"),
    (lambda: x + frit.ones(4), RuntimeError, "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"),
    (lambda: x.sum(5), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)"),
    (lambda: x[7], IndexError, "index 7 is out of bounds for dimension 0 with size 2"),
    (lambda: x.view(5), RuntimeError, "shape '[5]' is invalid for input of size 6"),
    (lambda: bool(x), RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    (lambda: x.item(), RuntimeError, "a Tensor with 6 elements cannot be converted to Scalar"),
    (lambda: bool(frit.zeros(0)), RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
    (lambda: int(x), ValueError, "only one element tensors can be converted to Python scalars"),
    (lambda: frit.tensor([[1], [1, 2]]), ValueError, "expected sequence of length 1 at dim 1 (got 2)"),
    (lambda: frit.tensor(object()), RuntimeError, "Could not infer dtype of object"),
    (lambda: frit.tensor(300, dtype=frit.uint8), RuntimeError, "value cannot be converted to type uint8 without overflow"),
    (lambda: x.backward(), RuntimeError, "does not require grad"),
    (lambda: frit.arange(3).requires_grad_(), RuntimeError, "only Tensors of floating point dtype can require gradients"),
    (lambda: frit.tensor(1) // 0, (RuntimeError, ZeroDivisionError), "ZeroDivisionError"),
    (lambda: frit.full((2,), 2**70), RuntimeError, "Overflow when unpacking long"),
    (lambda: x.to([1]), TypeError, "to() received an invalid combination of arguments - got (list)"),
    (lambda: frit.zeros(-1), RuntimeError, "negative"),
])
def test_texts(call, kind, text):
    with pytest.raises(kind) as error:
        call()
    assert text in str(error.value), str(error.value)


def test_the_users_own_line():
    def forward(layer):
        return layer(frit.ones(5))  # this one
    with pytest.raises(RuntimeError) as error:
        forward(frit.nn.Linear(3, 2))
    line = forward.__code__.co_firstlineno + 1
    assert f"at test_errors.py:{line} in test_the_users_own_line.<locals>.forward" in str(error.value)


def test_other_types_get_their_turn():
    class Other:
        def __radd__(self, tensor):
            return "added"

        def __rmatmul__(self, tensor):
            return "multiplied"
    assert x + Other() == "added" and x @ Other() == "multiplied"
    with pytest.raises(TypeError, match="unsupported operand type"):
        x + "a"
    assert (x == "a") is False and (x != None) is True  # noqa: E711


def test_out_and_keywords():
    out = frit.zeros(2, 3)
    assert frit.add(x, x, out=out) is out and out[0, 0] == 2
    assert frit.add(input=x, other=x, alpha=2)[0, 0] == 3
    values, indices = frit.zeros(2), frit.zeros(2, dtype=frit.int64)
    result = frit.max(x, 1, out=(values, indices))
    assert result[0] is values and result.indices is indices
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        frit.add(x, x, out=3)
    assert frit.sum(x, axis=1, keepdims=True).shape == (2, 1)


def test_numbers_of_all_kinds():
    np = pytest.importorskip("numpy")
    assert (x * np.float64(2))[0, 0] == 2 and (x * np.int64(2)).dtype is frit.float32
    assert x.sum(np.int64(1)).shape == (2,) and x.view(frit.tensor(6)).shape == (6,)
    assert frit.ones(2, dtype=float).dtype is frit.float64 and frit.ones(2, dtype=int).dtype is frit.int64
    assert (frit.arange(3) * True).dtype is frit.int64 and (frit.arange(3) * 2.0).dtype is frit.float32
