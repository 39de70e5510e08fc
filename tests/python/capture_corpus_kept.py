"""Programs of the corpus: containers, iterators and callables of the standard library that are made, kept over a break,
and given back."""
import collections
import enum
import functools
import inspect
import types

from capture_corpus import program, t


class Action(str, enum.Enum):
    NONE = "none"
    RAISE = "raise"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Kind(enum.Enum):
    A = 0
    B = 1


class Fields(collections.OrderedDict):
    """Attributes and items at once, as results of models are."""

    def __init__(self, **fields):
        super().__init__()
        for name, value in fields.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if value is not None:
            super().__setitem__(name, value)
        super().__setattr__(name, value)

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setattr__(key, value)


class Counted(dict):
    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        super().__setitem__("count", self.get("count", 0) + 1)


@program
def ordered_dicts_made_here():
    def f(x, given):
        made = collections.OrderedDict([("b", x), ("a", 2)], c=x * 2)
        made["d"] = 1
        del made["a"]
        made["a"] = x
        made.update(e=3)
        given["later"] = x + 1
        del given["first"]
        given["first"] = 0
        return made, list(made), collections.OrderedDict()

    def given():
        return collections.OrderedDict(first=1, second=2)
    return f, [(t(2), given()), (t(2), given()), (t(3), given())]


@program
def dicts_with_attributes():
    def f(x, given):
        made = Fields(last=x * 2, hidden=None)
        made["more"] = x + 1
        made["again"] = given["a"]
        given["again"] = x
        return made, made.more, list(made), given, Fields(given=given, x=x)
    return f, [(t(2), Fields(a=1)), (t(2), Fields(a=1)), (t(3), Fields(a=1, b=2))]


@program
def dict_methods_of_a_subclass():
    def f(x):
        made = Counted()
        made["a"] = x
        made.update(b=1, c=2)
        dict.__setitem__(made, "d", 3)
        return list(made.items()), made["count"], made
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def members_of_enums():
    def f(x, action, level, kind):
        if action == Action.RAISE or action == "other":
            raise ValueError(action.value)
        names = {Kind.A: "a", Level.HIGH: "high"}
        if level >= Level.HIGH and action in (Action.NONE, Action.RAISE):
            x = x * 2
        if action:
            x = x + level.value
        return x, names.get(kind), kind == Kind.A, level != 2
    return f, [(t(2), Action.NONE, Level.LOW, Kind.A), (t(2), Action.NONE, Level.LOW, Kind.A),
               (t(2), Action.NONE, Level.HIGH, Kind.B), (t(2), Action.RAISE, Level.LOW, Kind.A),
               (t(2), "other", 2, Level.HIGH), (t(2), Action.NONE, 1, Kind.A)]


@program
def partials():
    def scaled(x, k, *, by=1, to=0):
        return x * k * by + to

    def f(x, given):
        double = functools.partial(scaled, k=2)
        again = functools.partial(double, by=3)
        return double(x), again(x, to=1), again(x, by=4), given(x), again, again.func is scaled, again.keywords
    given = functools.partial(scaled, k=5)
    return f, [(t(2), given), (t(2), given), (t(3), given), (t(2), functools.partial(scaled, k=7, by=2))]


@program
def partials_of_methods_kept_over_a_break():
    def f(x):
        add = functools.partial(x.add, 1)
        wrong = functools.partial(add, 1, 2, 3)
        n = x.sum().item()
        try:
            wrong()
        except TypeError:
            n += 1
        return add() * n
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def read_only_views():
    def f(x):
        held = collections.OrderedDict(a=x, b=2)
        view = types.MappingProxyType(held)
        held["c"] = x * 2
        return len(view), view["a"] + view["b"], "c" in view, list(view), list(view.values()), view.get("d"), view
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def signatures():
    def g(x, k, *rest, named=1):
        return x

    class Holder:
        def method(self, x, k=2):
            return x

    def f(x, o):
        return x * len(inspect.signature(o.method).parameters), list(inspect.signature(g).parameters)
    o = Holder()
    return f, [(t(2), o), (t(2), o), (t(3), o)]


@program
def iterators_kept_over_breaks():
    def f(x, given, items):
        pairs = enumerate(items, 5)
        keys, values = iter(given), iter(given.values())
        both = zip(items, given.items())
        doubled = map(lambda v: v * 2, items)
        large = filter(lambda v: v > 1, items)
        seen = [next(pairs), next(keys), next(values), next(both), next(doubled), next(large)]
        n = x.sum().item()
        seen += [list(pairs), list(keys), list(values), list(both), list(doubled), list(large)]
        return seen, x * n
    return f, [(t(2), {"a": 1, "b": 2, "c": t(1)}, [1, 2, 3]), (t(2), {"a": 1, "b": 2, "c": t(1)}, [1, 2, 3]),
               (t(3), {"a": 1, "b": 4, "c": t(1)}, [3, 2, 1, 2])]


@program
def loops_over_dicts_with_breaks():
    def f(x, given):
        total = 0.0
        for i, (key, value) in enumerate(given.items()):
            total += (x * value).sum().item() + i
            x = x + len(key)
        for a, b in zip(given.values(), given):
            total += (x * a).sum().item()
        return x, total
    given = {"one": 1.5, "three": 3.0}
    return f, [(t(2), given), (t(2), given), (t(3), given)]


@program
def dicts_changed_under_their_iterators():
    def f(x, given):
        over = iter(given)
        seen = [next(over)]
        given["new"] = x
        n = x.sum().item()
        try:
            seen.append(next(over))
        except RuntimeError as e:
            seen.append(str(e))
        return seen, n
    return f, [(t(2), dict(a=1, b=2)), (t(2), dict(a=1, b=2)), (t(3), dict(a=1, b=2))]


@program
def names_of_classes():
    class Meta(type):
        def __repr__(cls):
            return "<mine>"

    class Named(metaclass=Meta):
        pass

    def f(x):
        return x + 1, str(type(x)).rsplit(".")[-1], str(int), str(Named)
    return f, [(t(2),), (t(2),), (t(3),)]
