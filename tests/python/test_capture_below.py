"""What is called where a graph ends is captured, too; what is handled is as plain Python has it; rarer ways of
Python's own."""
import bisect
import collections
import itertools
import posixpath
import sys

import pytest

import frit


def t(*values):
    return frit.tensor(list(values))


def graphs(compiled):
    return [e["graph"] for e in frit._C._explain(compiled)["entries"]]


def inner(x):
    return (x * 2 + 1).relu()


def by(a, b):
    return inner(a) + b


def test_callees_of_a_break_are_captured():
    def f(x):
        return list(itertools.accumulate([x, x, x], by))[-1] - 1

    compiled = frit.compile(f, backend="eager")
    for n in (2, 2, 3):
        x = t(*range(n)) * 1.0
        assert compiled(x).tolist() == f(x).tolist()
    assert any("relu" in g for g in graphs(compiled))


def test_not_below_what_is_disabled():
    @frit.compiler.disable
    def off(x):
        return inner(x)

    def f(x):
        return off(x) - 1

    compiled = frit.compile(f, backend="eager")
    for _ in range(3):
        assert compiled(t(1.0)).tolist() == f(t(1.0)).tolist()
    assert not any("relu" in g for g in graphs(compiled))


def test_nor_the_standard_library():
    def f(x):
        bisect.bisect_left(["a", "c"], "b", key=posixpath.basename)
        return x + 1

    compiled = frit.compile(f, backend="eager")
    for _ in range(2):
        assert compiled(t(1.0)).tolist() == [2.0]
    found = frit._C._explain(compiled)
    assert len(found["entries"]) == 2
    assert len(found["breaks"]) == 1


def test_what_is_handled():
    class Hides:
        def __enter__(self):
            return self

        def __exit__(self, *args):
            self.args = repr(args[1])
            return True

    def careful(x, n, seen):
        with Hides() as h:
            x = x * n
            {}[n]
        try:
            [][n]
        except IndexError:
            seen.append((x.sum().item(), type(sys.exc_info()[1])))
            x = x + 1
        return x, h.args

    def f(x, n, seen):
        try:
            raise ValueError
        except ValueError:
            r = careful(x, n, seen)
            seen.append(repr(sys.exc_info()[1]))
        return r

    compiled = frit.compile(f, backend="eager")
    for n in (1, 1, 2, 2):
        a, b = [], []
        want, got = f(t(1.0), n, a), compiled(t(1.0), n, b)
        assert (got[0].tolist(), got[1], b) == (want[0].tolist(), want[1], a)
        assert sys.exc_info() == (None, None, None)


Pair = collections.namedtuple("Pair", "a b")


class Named(Pair):
    def __new__(cls, a, b, c=0):
        return super().__new__(cls, a, b)


def test_named_tuples_are_made_again():
    def f(x, n):
        return Named(x + 1, n), Pair(n, x)

    compiled = frit.compile(f, backend="eager")
    for n in (1, 1, 2, 2):
        made, pair = compiled(t(1.0), n)
        assert (type(made), made.a.tolist(), made.b, type(pair), pair.a) == (Named, [2.0], n, Pair, n)


class Flag:
    def __init__(self, on):
        self.on = on

    def __bool__(self):
        return self.on


def test_a_truth_is_looked_at():
    compiled = frit.compile(lambda x, flag: x + 1 if flag else x - 1, backend="eager")
    for on in (True, True, False, False, True):
        assert compiled(t(0.0), Flag(on)).tolist() == [1.0 if on else -1.0]


class Left:
    def __rfloordiv__(self, other):
        return "Left.__rfloordiv__"

    def __floordiv__(self, other):
        return "Left.__floordiv__"


class Right(Left):
    pass


class Chosen:
    def __new__(cls, n):
        return object.__new__(Derived)


class Derived(Chosen):
    def __init__(self, n):
        self.n = n


class Hooked:
    class Get:
        def __get__(self, o, cls=None):
            return lambda name: name + "!"

    __getattr__ = Get()


def cell_as_self(x):
    class A:
        def go(self):
            return super().__init__, (lambda: self)

    def closed():
        return x

    try:
        A.go(closed.__closure__[0])
    except TypeError as e:
        return str(e)


def lists_that_change(x):
    class Clears:
        def __init__(self, other):
            self.other = other

        def __eq__(self, o):
            self.other.clear()
            return NotImplemented

    b = [1]
    a = [Clears(b)]
    return a == b, len(b)


def dicts_that_change(x):
    class Key:
        def __hash__(self):
            return 1

        def __eq__(self, o):
            other.clear()
            return False

    other = dict.fromkeys(range(100))
    other[Key()] = 0
    mine = {Key(): 0, 1: 1}
    try:
        mine.update(other)
    except RuntimeError as e:
        return str(e)


def line_of_a_frame(x):
    def fails():
        try:
            1 / 0
        except ZeroDivisionError as e:
            {}[1]
            return e

    try:
        fails()
    except KeyError as e:
        tb = e.__traceback__.tb_next
        return tb.tb_lineno, tb.tb_frame.f_lineno


@pytest.mark.parametrize("program", [
    lambda x: Left() // Right(), lambda x: Chosen(3).n, lambda x: Hooked().name, lambda x: getattr(Hooked(), "k"),
    cell_as_self, lists_that_change, dicts_that_change, line_of_a_frame])
def test_rarer_ways(program):
    compiled = frit.compile(program, backend="eager")
    for _ in range(3):
        assert compiled(t(1.0)) == program(t(1.0))


def test_a_class_is_not_changed_through_object():
    def f(x):
        object.__setattr__(str, "foo", 42)

    for g in (f, frit.compile(f, backend="eager")):
        with pytest.raises(TypeError, match="can't apply this __setattr__"):
            g(t(1.0))
