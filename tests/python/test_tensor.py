"""The Tensor object: identity, attributes, lifetimes."""
import gc
import weakref

import frit
import pytest


class Tagged(frit.Tensor):
    pass


def test_in_place_ops_return_the_very_object():
    x = frit.ones(3)
    assert x.add_(1) is x
    y = x
    y += 1
    assert y is x and x.tolist() == [3.0, 3.0, 3.0]


def test_the_gradient_is_one_object():
    x = frit.ones(3, requires_grad=True)
    (x * 2).sum().backward()
    assert x.grad is x.grad
    grad = x.grad
    grad.note = "kept"
    del grad
    gc.collect()
    assert x.grad.note == "kept"


def test_an_object_survives_while_the_tape_holds_its_tensor():
    x = frit.ones(3, requires_grad=True)
    x.note = "kept"
    y = x * 2
    address = id(x)
    del x
    gc.collect()
    leaf = y.grad_fn.next_functions[0][0].variable
    assert id(leaf) == address and leaf.note == "kept"
    for _ in range(3):  # and again
        del leaf
        gc.collect()
        leaf = y.grad_fn.next_functions[0][0].variable
        assert leaf.note == "kept"


def test_a_subclass_survives():
    x = frit._C._make_subclass(Tagged, frit.ones(3), True)
    y = x * 2
    del x
    assert type(y.grad_fn.next_functions[0][0].variable) is Tagged


def test_an_object_dies_with_its_tensor():
    x = frit.ones(3, requires_grad=True)
    x.note = Tagged((1.0,))
    inner = weakref.ref(x.note)
    y = x * 2
    del x
    assert inner() is not None
    del y
    gc.collect()
    assert inner() is None


def test_a_weak_reference_lives_as_long_as_the_tensor():
    x = frit.ones(3, requires_grad=True)
    r = weakref.ref(x)
    y = x * 2
    del x
    assert r() is not None
    found = r()
    del y
    assert found.tolist() == [1.0, 1.0, 1.0] and found.requires_grad
    del found
    assert r() is None


def test_cycles_are_collected():
    x = frit.ones(3)
    x.me = x
    r = weakref.ref(x)
    del x
    gc.collect()
    assert r() is None


def test_a_cycle_whose_tensor_the_tape_holds_stays():
    x = frit.ones(3, requires_grad=True)
    x.me = x
    y = x * 2
    del x
    gc.collect()
    leaf = y.grad_fn.next_functions[0][0].variable
    assert leaf.me is leaf


def test_hash_is_by_identity():
    x, y = frit.ones(2), frit.ones(2)
    assert len({x, y, x}) == 2


def test_sizes():
    x = frit.ones(2, 3)
    assert x.shape == (2, 3) and isinstance(x.shape, frit.Size) and x.shape.numel() == 6
    assert repr(x.shape) == "frit.Size([2, 3])"
    assert isinstance(x.shape[:1], frit.Size) and isinstance(x.shape + (1,), frit.Size)
    assert x.size(-1) == 3 and x.stride() == (3, 1)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x.size(2)


def test_attributes_of_a_plain_tensor():
    x = frit.zeros(2)
    assert x.dtype is frit.float32 and repr(x.dtype) == "frit.float32"
    assert str(x.device) == "cpu" and not x.requires_grad and x.is_leaf and x.grad_fn is None
    x.requires_grad = True
    assert x.requires_grad
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = 3
