"""Plain Python in compiled functions: C methods are each type's own, and errors are CPython's."""
import collections
import sys
import warnings

import pytest

import frit


class Text(str):
    def __getitem__(self, k):
        return str.__getitem__(self, k)


class Failure(Exception):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code


class Backwards(dict):
    def keys(self):
        return reversed(list(dict.keys(self)))

    def __iter__(self):
        return self.keys()


class Twice:
    __match_args__ = ("a", "a")
    a = 1


class Numbered:
    __match_args__ = (1, 2)


class Asking:
    def __getattr__(self, name):
        raise AttributeError()


class Base:
    pass


def text():
    return Text("hello")[:4], Text("hello")[1]


def failure():
    try:
        raise Failure("no", 3)
    except Failure as e:
        return e.args, e.code


def again():
    e = ImportError("a", name="b")
    e.__init__()
    return e.args, e.name


def wrong_self():
    return dict.get([], 1)


def wrong_wrapper():
    return str.__len__([])


def too_many():
    return Base.__init__(Base(), 1)


def numbers_as_keywords():
    return dict(**{1: 2})


def backwards():
    return list(dict(Backwards(a=1, b=2)).items()), list(dict(collections.OrderedDict(a=1, b=2)).items())


def nothing_zipped():
    return [x for x in zip()], next(zip(), "end")


def unknown_name():
    try:
        return unknown  # noqa: F821
    except NameError as e:
        return e.name


def unknown_attribute():
    o = Asking()
    try:
        return o.unknown
    except AttributeError as e:
        return e.name, e.obj is o


def unpacked():
    a, b = Base()
    return a, b


def repeated():
    match Twice():
        case Twice(a, b):
            return a, b


def numbered():
    match Numbered():
        case Numbered(a):
            return a


class Deleted(Base):
    def f(self):
        del self
        super()


def deleted():
    Deleted().f()


def raised():
    raise ValueError("here")


def lines():
    try:
        raised()
    except ValueError as e:
        found, tb = [], e.__traceback__
        while tb:
            found.append((tb.tb_lineno, tb.tb_frame.f_lineno if tb.tb_next is None else 0))
            tb = tb.tb_next
        return found


def many():
    return len([0] * 3000000)


class Numbers:
    def __init__(self, numbers):
        self.numbers = numbers

    def __getitem__(self, k):
        return self.numbers[k]


def bound_append():
    found = []
    add, size = found.append, found.__len__
    for a, b in Numbers([(1, 2), (1, 3), (2, 4)]):
        add(a)
        add(b)
        add(size())
    return found


def finished(value):
    yield
    return value


SENT = iter(range(1000))


def argument_of_an_exception():
    g = finished(next(SENT) // 2)
    while True:
        try:
            g.send(None)
        except StopIteration as e:
            return e.args[0]


def test_exceptions_of_others():
    compiled = frit.compile(argument_of_an_exception)
    assert [compiled() for _ in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]


class Early(type):
    def mro(cls):
        if cls.__mro__ is None:
            early_super(cls)
        return type.mro(cls)


EARLY = []


def early_super(cls):
    try:
        super(cls, cls).unknown
    except AttributeError:
        EARLY.append(cls.__name__)


def test_super_of_a_class_that_is_being_made(monkeypatch):
    monkeypatch.setitem(globals(), "early_super", frit.compile(early_super))
    EARLY.clear()
    for name in "abc":
        Early(name, (), {})
    assert EARLY == ["a", "b", "c"]


PROGRAMS = [bound_append, text, failure, again, wrong_self, wrong_wrapper, too_many, numbers_as_keywords, backwards, nothing_zipped, unknown_name,
            unknown_attribute, unpacked, repeated, numbered, deleted, lines, many]


def outcome(function):
    try:
        return function()
    except Exception as e:
        return type(e).__name__, str(e)


@pytest.mark.parametrize("program", PROGRAMS, ids=[p.__name__ for p in PROGRAMS])
def test_as_plain(program):
    compiled = frit.compile(program)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            assert outcome(compiled) == outcome(program)


def test_tracing_begins_inside():
    seen = []

    def trace(frame, event, argument):
        if event == "line":
            seen.append(frame.f_lineno - frame.f_code.co_firstlineno)
        return trace

    def traced():
        a = 1
        return a + 1

    def run():
        sys.settrace(trace)
        traced()
        sys.settrace(None)

    frit.compile(run)()
    assert seen[:2] == [1, 2]
