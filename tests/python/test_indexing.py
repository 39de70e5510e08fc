"""Indexing and index assignment, against NumPy, and against PyTorch where it is installed."""
import frit
import pytest

np = pytest.importorskip("numpy")

INDICES = [
    "0", "-1", "1:3", "::2", "1:", ":-1", "...", "None", "..., 0", "0, ...", "None, 1", "..., None", "1, 1:2", ":, 0",
    "0, 1, 2", "None, :, None, 1", "[0, 2]", "[0, 2], [1, 0]", "[[0, 1], [1, 2]]", ":, [0, 2]", "[0, 2], :, 1",
    "[0, 2], None, [1, 0]", "True", "False", "None, True", "mask", "mask, 0", "row_mask", "row_mask, :, 1", ":, index",
    "index, index", "index[:, None], index", "..., index", "index, ..., 0", "array", "array, 1:", "[True, False, True]",
    "slice(None)", "()", "1:1", "5:2", "100:", "-100:2", "[]", "...,[1]", "0, mask0", "empty_index",
]


def names(library):
    """What the index texts refer to, for Frit and for NumPy."""
    mask = np.arange(12).reshape(3, 4) % 3 == 0
    row_mask = np.array([True, False, True])
    index = np.array([2, 0])
    found = dict(mask=mask, row_mask=row_mask, index=index, mask0=mask[0], empty_index=np.zeros(0, np.int64))
    if library is not np:
        found = {name: library.tensor(value) for name, value in found.items()}
    return {**found, "array": np.array([1, 1])}


def base(library):
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
    return x if library is np else library.tensor(x)


def evaluate(library, text):
    return eval(f"x[{text}]", {**names(library), "x": base(library)})


def assign(library, text, value):
    scope = {**names(library), "x": base(library), "value": value}
    exec(f"x[{text}] = value", scope)
    return scope["x"]


def outcome(call):
    try:
        return np.array(call())
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("text", INDICES)
def test_reading(text):
    given, wanted = outcome(lambda: evaluate(frit, text)), outcome(lambda: evaluate(np, text))
    if isinstance(wanted, type):
        assert given is wanted
    else:
        np.testing.assert_array_equal(given, wanted)


@pytest.mark.parametrize("text", INDICES)
def test_writing(text):
    given, wanted = outcome(lambda: assign(frit, text, -5.5)), outcome(lambda: assign(np, text, -5.5))
    if isinstance(wanted, type):
        assert given is wanted
    else:
        np.testing.assert_array_equal(given, wanted)
        shown = evaluate(frit, text)
        value = frit.arange(shown.numel(), dtype=frit.float32).reshape(shown.shape) + 100
        if "[1, 0]" not in text and "index, index" not in text:  # else elements may be written twice
            np.testing.assert_array_equal(assign(frit, text, value), assign(np, text, value.numpy()))


# Not a list of lists, which PyTorch takes for a tuple still, as it says with a warning.
AS_PYTORCH = [text for text in INDICES if not text.startswith("[[")]


@pytest.mark.parametrize("text", [*AS_PYTORCH, "3", "0, 0, 0, 0", "1.5", "'a'", "::-1", "::0", "[0, 7]",
                                  "mask, mask", "0, 0, 0, mask", "1j", "{1}"])
@pytest.mark.filterwarnings("ignore:Using a non-tuple")
def test_as_pytorch(text):
    torch = pytest.importorskip("torch")
    given, wanted = outcome(lambda: evaluate(frit, text)), outcome(lambda: evaluate(torch, text))
    if isinstance(wanted, type):
        assert given is wanted, (given, wanted)
    else:
        assert given.shape == wanted.shape
        np.testing.assert_array_equal(given, wanted)


def test_views_share_memory():
    x = frit.zeros(3, 4)
    for view in (x[0], x[1:], x[..., None], x[:, 2], x[None], x[:], x[...]):
        assert view is not x and view._shares_storage_with(x)
    assert not x[[0]]._shares_storage_with(x)
    x[1][2] = 5
    assert x[1, 2] == 5


def test_values_lose_leading_ones():
    x = frit.zeros(2, 3)
    x[0] = frit.ones(1, 1, 3)
    assert x.tolist() == [[1, 1, 1], [0, 0, 0]]


def test_a_tensor_of_no_dimensions():
    x = frit.tensor(3.0)
    assert x[...] == 3 and x[None].shape == (1,) and x[frit.tensor(True)].tolist() == [3.0]
    x[...] = 4
    assert x.item() == 4
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        x[0]
    with pytest.raises(TypeError, match=r"len\(\) of a 0-d tensor"):
        len(x)


def test_wrong_values():
    x = frit.zeros(2, 3)
    with pytest.raises(TypeError, match="can't assign a str"):
        x[0] = "a"
    with pytest.raises(TypeError, match="does not support deleting items"):
        del x[0]
    with pytest.raises(RuntimeError):
        x[0] = frit.ones(4)


def test_iteration():
    x = frit.arange(6).reshape(3, 2)
    assert [r.tolist() for r in x] == [[0, 1], [2, 3], [4, 5]] and len(x) == 3
    assert [r.tolist() for r in reversed(x)][0] == [4, 5]
    assert 3 in x and 7 not in x
    a, b = frit.tensor([1, 2])
    assert (a.item(), b.item()) == (1, 2)
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(frit.tensor(1))
