"""What is read and dropped: that it is there decides, too."""
import frit
import pytest
from frit import _C


class Box:
    pass


class Slotted:
    __slots__ = ("k",)


def attribute(x, box, d, xs):
    try:
        box.k
    except AttributeError:
        return x - 1
    return x + 1


def has(x, box, d, xs):
    return x + 1 if hasattr(box, "k") else x - 1


def has_slot(x, box, d, xs):
    return x + 1 if hasattr(slotted, "k") else x - 1


def deleted(x, box, d, xs):
    try:
        del box.k
    except AttributeError:
        return x - 1
    return x + 1


def of_dict(x, box, d, xs):
    try:
        box.__dict__["k"]
    except KeyError:
        return x - 1
    return x + 1


def key(x, box, d, xs):
    try:
        d["k"]
    except KeyError:
        return x - 1
    return x + 1


def item(x, box, d, xs):
    try:
        xs[1]
    except IndexError:
        return x - 1
    return x + 1


def a_global(x, box, d, xs):
    try:
        there_or_not  # noqa: F821
    except NameError:
        return x - 1
    return x + 1


def two_levels(x, box, d, xs):
    try:
        d["box"].k
    except (KeyError, AttributeError):
        return x - 1
    return x + 1


@pytest.mark.parametrize("f", [attribute, has, has_slot, deleted, of_dict, key, item, a_global, two_levels],
                         ids=lambda f: f.__name__)
def test_whether_it_is_there_decides(f):
    global slotted
    c = frit.compile(f)
    for there in (True, True, False, True, False, False, True):
        box, d, xs, slotted = Box(), {}, [], Slotted()
        globals().pop("there_or_not", None)
        if there:
            box.k = slotted.k = d["k"] = globals()["there_or_not"] = 1
            d["box"] = box
            xs += [1, 2]
        assert c(frit.ones(1), box, d, xs).tolist() == [2 if there else 0]
    assert len(_C._explain(c)["entries"]) == 2


def test_it_is_named():
    c = frit.compile(attribute)
    box = Box()
    box.k = 1
    c(frit.ones(1), box, {}, [])
    assert "box.k is there" in _C._explain(c)["entries"][0]["guards"]
    del box.k
    c(frit.ones(1), box, {}, [])
    assert [r["reason"] for r in _C._explain(c)["recompiles"]] == ["box.k is gone"]
