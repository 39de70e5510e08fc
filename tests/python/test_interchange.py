"""Data from and to Python, NumPy and DLPack; pickles and copies."""
import copy
import gc
import pickle

import frit
import pytest

np = pytest.importorskip("numpy")

DTYPES = [frit.float32, frit.float64, frit.float16, frit.int8, frit.int16, frit.int32, frit.int64, frit.uint8, frit.bool]


def test_data():
    assert frit.tensor(3).dtype is frit.int64 and frit.tensor(3.0).dtype is frit.float32
    assert frit.tensor([True, False]).dtype is frit.bool and frit.tensor([True, 2]).dtype is frit.int64
    assert frit.tensor([1, 2.5]).tolist() == [1.0, 2.5]
    assert frit.tensor([]).shape == (0,) and frit.tensor([[], []]).shape == (2, 0)
    assert frit.tensor([frit.tensor(1.5), 2]).tolist() == [1.5, 2.0]
    assert frit.tensor(range(3)).tolist() == [0, 1, 2]
    assert frit.tensor([[1, 2], [3, 4]], dtype=frit.bfloat16).dtype is frit.bfloat16
    assert frit.tensor(2**62).item() == 2**62 and frit.tensor(-(2**63)).item() == -(2**63)
    assert frit.Tensor([1, 2]).dtype is frit.float32 and frit.Tensor(2, 3).shape == (2, 3)
    source = frit.ones(2)
    assert not frit.tensor(source)._shares_storage_with(source)
    assert frit.as_tensor(source) is source


@pytest.mark.parametrize("dtype", DTYPES, ids=repr)
def test_numpy_shares_memory(dtype):
    x = frit.arange(6).reshape(2, 3).to(dtype)
    array = x.numpy()
    assert array.dtype == np.dtype(repr(dtype).removeprefix("frit."))
    array[0, 1] = 0
    assert x[0, 1] == 0
    back = frit.from_numpy(array)
    assert back.dtype is dtype and back.data_ptr() == x.data_ptr()
    np.testing.assert_array_equal(x.T.numpy(), array.T)
    np.testing.assert_array_equal(frit.from_numpy(array[:, ::2]), array[:, ::2])


def test_numpy_arrays_keep_their_memory():
    array = np.arange(1000.0)
    x = frit.from_numpy(array)
    view = frit.arange(1000.0).numpy()
    del array
    gc.collect()
    assert x.sum() == 499500 and view.sum() == 499500


def test_numpy_refusals():
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        frit.ones(2, requires_grad=True).numpy()
    with pytest.raises(TypeError, match="Got unsupported ScalarType BFloat16"):
        frit.ones(2, dtype=frit.bfloat16).numpy()
    with pytest.raises(ValueError, match="strides in the given numpy array is negative|stride in the given numpy array is negative"):
        frit.from_numpy(np.arange(3)[::-1])
    with pytest.raises(TypeError, match="can't convert an array of type"):
        frit.from_numpy(np.zeros(2, np.complex64))
    with pytest.raises(TypeError, match="expected np.ndarray"):
        frit.from_numpy([1, 2])


def test_numpy_functions_take_tensors():
    x = frit.tensor([1.0, 4.0])
    assert np.asarray(x).tolist() == [1, 4] and np.sum(x.numpy()) == 5
    assert np.asarray(frit.zeros(0, 3)).shape == (0, 3)
    assert frit.tensor(np.float32(2.5)).item() == 2.5


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack(versioned):
    x = frit.arange(6.0).reshape(2, 3).T
    capsule = x.__dlpack__(max_version=(1, 0) if versioned else None)
    y = frit.from_dlpack(capsule)
    assert y.data_ptr() == x.data_ptr() and y.stride() == x.stride() and frit.equal(x, y)
    with pytest.raises(RuntimeError, match="consumed before"):
        frit.from_dlpack(capsule)
    array = np.from_dlpack(x)
    np.testing.assert_array_equal(array, x.numpy())
    z = frit.from_dlpack(array)
    assert z.data_ptr() == x.data_ptr()
    del capsule, x
    gc.collect()
    assert z.sum() == 15


def test_a_capsule_that_nobody_takes():
    x = frit.ones(1000)
    x.__dlpack__(), x.__dlpack__(max_version=(1, 1))
    with pytest.raises(RuntimeError):
        frit.ones(2, requires_grad=True).__dlpack__()
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0))


def test_pytorch_shares_memory():
    torch = pytest.importorskip("torch")
    x = frit.arange(4.0)
    t = torch.from_dlpack(x)
    t[0] = 7
    assert x[0] == 7
    y = frit.from_dlpack(torch.ones(2, 3, dtype=torch.bfloat16))
    assert y.dtype is frit.bfloat16 and y.shape == (2, 3)


@pytest.mark.parametrize("dtype", [*DTYPES, frit.bfloat16], ids=repr)
def test_pickles(dtype):
    x = frit.arange(6).reshape(2, 3).to(dtype)
    x.note = [1]
    for y in (pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x.T)).T, copy.deepcopy(x)):
        assert y.dtype is dtype and y.stride() == x.stride() and frit.equal(x, y)
        assert not y._shares_storage_with(x)
    assert pickle.loads(pickle.dumps(x)).note == [1]


def test_pickles_of_other_objects():
    for o in (frit.float32, frit.Size([1, 2]), frit.device("cpu"), frit.add, frit.Tensor.add, frit.contiguous_format):
        back = pickle.loads(pickle.dumps(o))
        assert back == o and type(back) is type(o)
    p = frit.nn.Parameter(frit.ones(2))
    q = pickle.loads(pickle.dumps(p))
    assert type(q) is frit.nn.Parameter and q.requires_grad


def test_copies():
    x = frit.ones(2, requires_grad=True)
    x.grad = frit.ones(2)
    y = copy.deepcopy([x, x])
    assert y[0] is y[1] and y[0].requires_grad and y[0].grad.tolist() == [1, 1]
    assert copy.copy(x)._shares_storage_with(x)
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_printing():
    assert repr(frit.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert f"{frit.tensor(2.5):.2f}" == "2.50" and str(frit.tensor(True)) == "tensor(True)"


@pytest.mark.parametrize("text", [
    "tensor(1.5)", "tensor([1, 2, 3])", "tensor([1.0, 2.0])", "tensor([0.5, 1e-9])", "tensor([[1.0, -2.5], [3.25, 4.0]])",
    "ones(2, dtype=@.float64)", "zeros(0)", "zeros(2, 0)", "arange(2000)", "zeros(3, 400)", "tensor([float('nan'), 1.0, float('inf')])",
    "ones(2, requires_grad=True)", "ones(2, requires_grad=True) * 2", "tensor([True, False])", "tensor([1e10, 1.0])",
    "ones(2, 2, 2)", "tensor(3, dtype=@.int32)", "tensor([1.0, 2.0], dtype=@.bfloat16)", "tensor([-1.0, 2.0])", "tensor([100000.5, 0.25])",
])
def test_printing_as_pytorch(text):
    torch = pytest.importorskip("torch")
    given = repr(eval("frit." + text.replace("@", "frit"), {"frit": frit}))
    wanted = repr(eval("torch." + text.replace("@", "torch"), {"torch": torch}))
    assert given == wanted.replace("torch.", "frit.")
