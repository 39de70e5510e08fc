"""Small programs that use every way a frame can be left and entered: what the frame tests run, plain and stepped."""

import asyncio
import contextlib
import functools
import sys


def straight(a, b):
    c = a + b
    d = c * 2 - a
    return c, d, c // (b + 1)


def loops(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 50:
            break
        total += i
    else:
        total = -total
    while True:
        n -= 1
        try:
            if n == 2:
                continue
            if n < 0:
                break
        finally:
            total += n
    return total, n


def deep_stack(a):
    return [1, 2, (a, {"k": a + 1, "z": [a * 2 for _ in range(3)]}), max(a, 5, key=lambda v: -v), f"{a!r:>{a}}|{a:x}"]


def calls(a, *rest, b=3, **named):
    def gather(*args, **kwargs):
        return len(args) * 10 + sum(kwargs.values())

    def three(first, x, y):
        return first + x * y

    return gather(1, 2, *rest, c=a, **named) + three(a, x=b, y=2) + three(*(1, 2), **{"y": 3}) + int("7", base=8)


class Noting:
    def __init__(self, log, suppress=False):
        self.log, self.suppress = log, suppress

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append(("out", kind and kind.__name__, traceback and traceback.tb_lineno - withs.__code__.co_firstlineno))
        return self.suppress


def withs(x):
    log = []
    with Noting(log) as first, Noting(log, True):
        log.append(x)
        if x > 2:
            raise ValueError(x, first is None)
        log.append("end")
    with contextlib.suppress(KeyError):
        {}[x]
    return log


def handlers(x):
    seen = []
    try:
        try:
            seen.append(10 // x)
            return seen
        except ZeroDivisionError as error:
            seen.append(type(error).__name__)
            raise KeyError(x) from error
        finally:
            seen.append("finally")
    except KeyError as error:
        seen.append((str(error), type(error.__cause__).__name__, type(error.__context__).__name__, sys.exc_info()[1] is error))
    seen.append(sys.exc_info()[0])
    try:
        raise
    except RuntimeError as error:
        seen.append(str(error))
    return seen


def uncaught(x):
    try:
        return {}[x]
    finally:
        x += 1


def uncaught_later(x):
    y = x
    for _ in range(2):
        y = [y]
    del y
    return y


def closures(n):
    numbers, total = [], 0

    def add(v):
        nonlocal total
        total += v
        numbers.append(total)
        return lambda: total

    functions = [add(i) for i in range(n)]
    return numbers, [f() for f in functions]


def counting(n):
    try:
        for i in range(n):
            got = yield i * i
            if got:
                yield "got", got
    except GeneratorExit:
        raise
    except ValueError as error:
        yield str(error)
    return "done"


def delegating(n):
    value = yield from counting(n)
    yield value


def generators(n):
    g = counting(n)
    seen = [next(g), g.send("x"), g.send(None), g.throw(ValueError("boo"))]
    seen += list(g)
    unfinished = counting(n)
    next(unfinished)
    unfinished.close()
    return seen + list(delegating(n)) + [x for x in counting(3)] + list(a * b for a in (1, 2) for b in counting(2))


async def doubled(x):
    await asyncio.sleep(0)
    return x * 2


async def each_doubled(n):
    for i in range(n):
        yield await doubled(i)


class AsyncNoting:
    def __init__(self, log):
        self.log = log

    async def __aenter__(self):
        self.log.append("in")
        return 7

    async def __aexit__(self, *args):
        self.log.append("out")


async def gathered(n):
    seen = []
    async for value in each_doubled(n):
        seen.append(value)
    async with AsyncNoting(seen) as entered:
        seen.append(entered)
    try:
        async with AsyncNoting(seen):
            raise KeyError(n)
    except KeyError as error:
        seen.append(str(error))
    return seen + [y async for y in each_doubled(2)] + list(await asyncio.gather(doubled(1), doubled(2)))


def asynchronous(n):
    return asyncio.run(gathered(n))


def comprehensions(n):
    pairs = [x * y for x in range(n) for y in range(x) if (x + y) % 2]
    x = "outer"
    return pairs, {k: v for k, v in zip("abc", range(n))}, {q for q in "hello"}, list(z for z in range(n)), x


class Point:
    __match_args__ = ("x",)

    def __init__(self, x):
        self.x = x


def matching(p):
    match p:
        case {"a": x, **rest}:
            return "map", x, rest
        case [1, *more]:
            return "seq", more
        case Point(x=[y]):
            return "keyword", y
        case Point(x):
            return "positional", x
        case int(v) if v > 3:
            return "int", v
        case str() | None:
            return "text or none"
    return "other"


def unpacking(t):
    a, *b, c = t
    (d, e), f = (a, c), b
    return f"{a!r:>4}|{c:{e}}", d, e, f, [*b, *f], {**{"a": a}, "b": c}, (*b,), {*b}


def deleting(x):
    y = x
    del x
    numbers = [1, 2, 3]
    del numbers[1:]
    table = {"a": 1}
    table["b"] = y
    del table["a"]
    point = Point(1)
    point.y = point.x
    del point.x
    return y, numbers, table, vars(point)


def unbound(x):
    if x:
        y = 1
    try:
        return y
    except UnboundLocalError:
        return "unbound"


class Base:
    z = 1

    def __init__(self, v):
        self.v = v

    def m(self, *a):
        return self.v + sum(a)

    @property
    def twice(self):
        return self.v * 2

    def __add__(self, other):
        return type(self)(self.v + other)

    def __getitem__(self, at):
        return self.v if at else self

    def __contains__(self, x):
        return x == self.v

    def __bool__(self):
        return self.v > 3

    def __iter__(self):
        return iter([self.v] * 2)

    def __getattr__(self, name):
        if name.startswith("lazy"):
            return name
        raise AttributeError(name)


class Derived(Base):
    def __init__(self, v):
        super().__init__(v * 2)
        self.w = __class__.__name__

    def m(self, *a):
        return super().m(*a) + 1


def classes(x):
    b = Derived(x)
    b.q = 3
    b.q += 1
    kind = type(b)

    class Local(Derived):
        y = x

    more = b + 1
    more += 1
    kept = "yes" if more else "no"
    return b.m(1, 2), b.w, b.q, Local(1).m(x), Local.y, kind.z, b.twice, more[1], x in b, kept, list(b), b.lazy_one


def groups(x):
    seen = []
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)][:x])
    except* ValueError as error:
        seen.append(len(error.exceptions))
    except* (TypeError, KeyError) as error:
        seen.append(("rest", len(error.exceptions)))
    try:
        try:
            raise ExceptionGroup("h", [ValueError(x), OSError(x)])
        except* ValueError:
            raise KeyError(x)
    except ExceptionGroup as error:
        seen.append(sorted(type(e).__name__ for e in error.exceptions))
    return seen


def conditions(x):
    try:
        assert x > 2, "small"
    except AssertionError as error:
        return str(error)
    return 1 < x < 5, x if x > 3 else not x, x is None, x in (1, 2, 3), x and -x or ~x, x if x is not None else 0


def sees_locals(x):
    y = 2
    return sorted(locals().items())


def sees_frame(x):
    z = x
    f = sys._getframe()
    return f.f_lineno - f.f_code.co_firstlineno, f.f_locals["z"], f.f_code is sees_frame.__code__, f.f_back is not None


def imports(x):
    import os.path as path
    from math import floor as whole, sqrt

    return path.join("a", "b"), whole(sqrt(x))


def globals_written(x):
    global written
    written = x
    seen = written
    del written
    return seen


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def recursive(n):
    fibonacci.cache_clear()

    def factorial(k):
        return 1 if k == 0 else k * factorial(k - 1)

    return fibonacci(n), factorial(n), sorted([3, 1, 2], key=lambda v: factorial(v) % 5)


def traced_lines(x):
    """The lines of a traceback through three frames, one of which catches and raises."""

    def inner(v):
        w = v
        return [w,
                w // 0]

    def middle(v):
        try:
            inner(v)
        except ZeroDivisionError as error:
            raise LookupError(v) from error

    try:
        middle(x)
    except LookupError as error:
        lines, at = [], error
        while at:
            entry = at.__traceback__
            while entry:
                code = entry.tb_frame.f_code
                lines.append((code.co_name, entry.tb_lineno - traced_lines.__code__.co_firstlineno,
                              list(code.co_positions())[entry.tb_lasti // 2][2:]))
                entry = entry.tb_next
            at = at.__cause__
        return lines


def _many():
    """A function with more locals, constants and jumps than an argument's byte holds."""
    text = "def many(x):\n" + "".join(f"  v{i} = x + {i}\n" for i in range(400)) + "  for i in range(3):\n"
    text += "".join(f"    v{i} += v{399 - i} * i\n" for i in range(400)) + "  return v0, v399, v200\n"
    space = {}
    exec(compile(text, __file__, "exec"), space)
    return space["many"]


many = _many()

CASES = [
    (straight, [(3, 4), (1.5, 2), (7, 0)]),
    (loops, [(3,), (40,), (100,)]),
    (deep_stack, [(3,)]),
    (calls, [(1,), (2, 5, 6)]),
    (withs, [(1,), (3,)]),
    (handlers, [(0,), (5,)]),
    (uncaught, [(1,)]),
    (uncaught_later, [(1,)]),
    (closures, [(4,)]),
    (generators, [(4,)]),
    (asynchronous, [(3,)]),
    (comprehensions, [(5,)]),
    (matching, [({"a": 1, "b": 2},), ([1, 2, 3],), (9,), (2,), (None,), (Point([1]),), (Point(2),)]),
    (unpacking, [((1, 2, 3, 4),)]),
    (deleting, [(1,)]),
    (unbound, [(0,), (1,)]),
    (classes, [(1,), (3,)]),
    (groups, [(1,), (2,), (3,)]),
    (conditions, [(1,), (4,)]),
    (sees_locals, [(1,)]),
    (sees_frame, [(4,)]),
    (imports, [(17,)]),
    (globals_written, [(5,)]),
    (recursive, [(8,)]),
    (traced_lines, [(2,)]),
    (many, [(2,)]),
]

OTHERS = [counting, delegating, doubled, each_doubled, gathered, fibonacci.__wrapped__] + [
    f
    for kind in (Noting, AsyncNoting, Point, Base, Derived)
    for f in (v.fget if isinstance(v, property) else v for v in vars(kind).values())
    if callable(f)
]
