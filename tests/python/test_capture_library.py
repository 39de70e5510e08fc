"""Of the standard library: what is followed without a break."""
import collections
import enum
import functools
import itertools
import operator
from typing import NamedTuple

import frit
import pytest
from frit import _C

t = frit.tensor


class Kind(enum.Enum):
    A = 1
    B = 2


class Pair(NamedTuple):
    x: frit.Tensor
    k: int


def same(f, *calls, breaks=False):
    c = frit.compile(f)
    for args in calls:
        assert str(f(*args)) == str(c(*args)), args
    found = _C._explain(c)["breaks"]
    assert breaks or not found, found
    return c


def equal(x, kind):
    return x + 1 if kind == Kind.A else x - 1


def among(x, kind):
    return x + 1 if kind in (Kind.A, Kind.A) else x - 1


def in_lists(x, kind):
    return x + 1 if [kind, 1] == [Kind.A, 1] else x - 1


def matched(x, kind):
    match kind:
        case Kind.A:
            return x + 1
        case _:
            return x - 1


@pytest.mark.parametrize("f", [equal, among, in_lists, matched])
def test_what_is_equal_because_it_is_the_same_is_guarded(f):
    same(f, *[(t([1.0]), k) for k in (Kind.A, Kind.A, Kind.B, Kind.A, Kind.B)])


def test_what_is_equal_because_it_is_the_same_of_two_arguments():
    class Thing:
        pass

    a, b = Thing(), Thing()

    for f in (lambda x, p, q: x + 1 if p == q else x - 1, lambda x, p, q: x + 1 if p in [q] else x - 1):
        same(f, *[(t([1.0]), p, q) for p, q in ((a, a), (a, a), (a, b), (b, b), (b, a), (a, a))])


def test_reduce():
    def f(xs, n):
        return functools.reduce(operator.add, xs), functools.reduce(lambda p, q: p * q, xs, n), \
            functools.reduce(operator.mul, xs[0].shape, 1)

    same(f, *[([t([1.0, k]), t([2.0, 3.0])], t([1.0, 1.0])) for k in (1.0, 2.0, 3.0)])
    for bad in ([], 3):
        c = frit.compile(lambda x, b: functools.reduce(operator.add, b) + x)
        for _ in range(2):
            with pytest.raises(TypeError) as told:
                c(t(1.0), bad)
            with pytest.raises(TypeError) as plain:
                functools.reduce(operator.add, bad)
            assert str(told.value) == str(plain.value)


def test_chain():
    def f(x, xs):
        out = [a * 2 for a in itertools.chain(xs, [x], (x + 1 for _ in range(2)))]
        return out, list(itertools.chain.from_iterable([xs, [x]])), list(itertools.chain())

    same(f, *[(t([k]), [t([2.0]), t([3.0])]) for k in (1.0, 2.0, 3.0)])


def test_a_break_in_a_loop_over_a_chain():
    def f(x, xs):
        total = 0.0
        for a in itertools.chain(xs, [x]):
            total += (a * 2).sum().item()
        return total, x + 1

    same(f, *[(t([k]), [t([2.0]), t([3.0])]) for k in (1.0, 2.0, 3.0)], breaks=True)


def test_defaultdict():
    def f(x, n):
        d = collections.defaultdict(list, {9: [x]})
        for i in range(n):
            d[i % 2].append(x * i)
        return d, d.default_factory, sorted(d), 5 in d

    c = same(f, *[(t([1.0]), n) for n in (3, 3, 3)])
    assert c(t([1.0]), 3)[0][7] == []  # a defaultdict it is still


def test_a_defaultdict_of_the_callers():
    def f(x, d, key):
        d[key] += x
        return d[key] * 2

    plain, compiled = collections.defaultdict(lambda: t([0.0])), collections.defaultdict(lambda: t([0.0]))
    c = frit.compile(f)
    for key in "aabbab":
        assert str(f(t([1.0]), plain, key)) == str(c(t([1.0]), compiled, key))
        assert str(dict(plain)) == str(dict(compiled))
    nothing = collections.defaultdict(None)
    for _ in range(2):
        with pytest.raises(KeyError):
            c(t([1.0]), nothing, "z")


def test_a_number_by_default():
    def f(x, d):
        d["k"] += 1
        return x * d["k"]

    plain, compiled = collections.defaultdict(int), collections.defaultdict(int)
    c = frit.compile(f)
    for i in range(5):
        if i == 4:  # it is missing again
            del plain["k"], compiled["k"]
        assert str(f(t([1.0]), plain)) == str(c(t([1.0]), compiled))
        assert plain == compiled


def test_missing():
    class Table(dict):
        def __missing__(self, key):
            return len(key)

    same(lambda x, d, key: x + d[key], *[(t([1.0]), Table(a=5), k) for k in ("a", "bcd", "bcd", "a")])


def test_fields_of_named_tuples():
    same(lambda p: Pair(p.x * p.k, p.k + 1), *[(Pair(t([1.0]), k),) for k in (1, 1, 2, 3)])


def test_operators():
    same(lambda x, y: (operator.mul(x, y), operator.sub(x, 1), operator.lt(x, y), operator.getitem(x, 0),
                       operator.matmul(x, y)), *[(t([1.0, 2.0]), t([3.0, k])) for k in (1.0, 2.0)])
