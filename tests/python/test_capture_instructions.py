"""Instructions that the walk does not follow end a graph: CPython runs them, and what is around them stays compiled."""
import dis
import sys
import warnings

import pytest

import frit

PROGRAMS = {
    "class": ("", """
def f(x):
    y = x * 2
    class Pair:
        scale = 3
        both = scale + 1
        def __init__(self, a):
            self.a = a
        def total(self):
            return self.a * self.scale + self.both
    return Pair(y).total() + 1
"""),
    "class of names around it": ("", """
def f(x):
    scale = 3
    class Scaled:
        factor = scale
        scale = factor + 1
    return x * Scaled.factor + Scaled.scale
"""),
    "class in a loop over a generator": ("", """
def f(x):
    for k in (n + 1 for n in range(3)):
        class Step:
            by = k
        x = x + Step.by
    return x
"""),
    "except*": ("CHECK_EG_MATCH", """
def f(x):
    y = x * 2
    try:
        raise ExceptionGroup("two", [ValueError("v"), TypeError("t")])
    except* ValueError as found:
        y = y + len(found.exceptions)
    except* TypeError:
        y = y + 10
    return y + 1
"""),
    "except* that lets one pass": ("CHECK_EG_MATCH", """
def f(x):
    y = x * 2
    try:
        raise ExceptionGroup("two", [ValueError("v"), KeyError("k")])
    except* ValueError:
        y = y + 1
    return y
"""),
    "except* in a loop over a generator": ("CHECK_EG_MATCH", """
def f(x):
    for k in (n + 1 for n in range(3)):
        try:
            if k == 2:
                raise ExceptionGroup("one", [ValueError(k)])
            x = x + k
        except* ValueError as found:
            x = x * found.exceptions[0].args[0]
    return x
"""),
    "except* in a callee": ("", """
def inner(x):
    try:
        raise ExceptionGroup("one", [ValueError("v")])
    except* ValueError:
        x = x + 1
    return x
def f(x):
    return inner(x * 2) * 3
"""),
}
if sys.version_info >= (3, 12):
    PROGRAMS |= {
        "type alias": ("CALL_INTRINSIC_1", """
def f(x):
    y = x * 2
    type Pair = tuple[int, int]
    return y + len(Pair.__value__.__args__)
"""),
        "generic function": ("", """
def f(x):
    y = x * 2
    def twice[T: int](a: T) -> T:
        return a + a
    return twice(y) + len(twice.__type_params__)
"""),
        "generic class": ("", """
def f(x):
    class Box[T]:
        def __init__(self, a: T):
            self.a = a
    return Box(x * 2).a + len(Box.__type_params__)
"""),
    }


def made(source):
    names = {}
    exec(source, names)
    return names["f"]


def outcome(function, n):
    try:
        return function(frit.ones(2) * n).tolist()
    except BaseException as e:
        return type(e).__name__, str(e), [str(x) for x in getattr(e, "exceptions", ())]


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_not_followed(name):
    opcode, source = PROGRAMS[name]
    plain = made(source)
    compiled = frit.compile(made(source))
    if opcode:
        assert opcode in {i.opname for i in dis.get_instructions(plain)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in range(1, 6):
            assert outcome(compiled, n) == outcome(plain, n)
    if opcode and "generator" not in name:
        breaks = [b["text"] for b in frit._C._explain(compiled)["breaks"]]
        assert any(f"instruction {opcode} is not followed" in b for b in breaks), breaks
