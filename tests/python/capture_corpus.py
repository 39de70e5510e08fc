"""Programs that are run plain and compiled, on worlds of their own: each `program` gives a function and the
arguments of its calls. What is compared is in test_capture.py."""
import collections
import math

import frit as lib  # see use()

PROGRAMS = {}


def use(library):
    """Whose tensors the programs compute with from now on."""
    global lib
    lib = library


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def t(*sizes, seed=1):
    n = math.prod(sizes)
    return lib.tensor([((i * 37 + seed * 11) % 19 - 9) / 4 for i in range(n)]).reshape(sizes)


def pairs(*shapes):
    return [(t(*s, seed=i), t(*s, seed=i + 5)) for i, s in enumerate(shapes)]


# --- straight lines

@program
def arithmetic():
    def f(x, y):
        return (x * y + 2).relu() / (y.abs() + 1)
    return f, pairs((3, 4), (3, 4), (5, 4), (2, 2))


@program
def several_results():
    def f(x, y):
        a = x + y
        return a, [x, a, a], {"k": a * 2, "n": 3}, (x.shape, a.shape[0], a.shape[-1] * 2 + 1)
    return f, pairs((3, 4), (3, 4), (5, 2))


@program
def the_argument_itself():
    def f(x, y):
        return x, y.detach()
    return f, pairs((3,), (3,), (4,))


@program
def numbers_of_sizes():
    def f(x, y):
        n, m = x.shape
        return x.reshape(n * m), (n + m) // 2, n % 3, -n, x.numel() - n, len(x)
    return f, pairs((3, 4), (3, 4), (5, 4), (6, 2))


@program
def branch_on_sizes():
    def f(x, y):
        if x.shape[0] > 4:
            return x + y
        return x - y
    return f, pairs((3, 4), (3, 4), (5, 4), (6, 4), (2, 4))


@program
def keywords_and_defaults():
    def g(a, b=2, *rest, c, d=None, **more):
        return a * b + c + len(rest) + sum(more.values()), d, sorted(more)

    def f(x, y):
        return g(x, c=y), g(x, 3, 4, 5, c=y, e=1, z=2), g(*[x, 2], **{"c": y, "d": "k"})
    return f, pairs((3,), (3,), (4,))


@program
def indexing():
    def f(x, y):
        n = x.shape[0]
        return x[0], x[:, 1], x[1:n], x[..., -1], x[None], x[n - 1], y[:, :2] + 1
    return f, pairs((3, 4), (3, 4), (5, 4))


# --- values that are looked at

@program
def a_flag_argument():
    def f(x, flag, scale):
        return x * scale if flag else x - scale
    x = t(3)
    return f, [(x, True, 2), (x, True, 2), (x, False, 2), (x, False, 3), (x, True, 0.5), (x, None, 0.5),
               (x, 1, 2)]


@program
def changing_ints():
    def f(x, n):
        return x * n + n // 2, n + 1
    return f, [(t(3), n) for n in (3, 3, 4, 5, 17, 1, 0, -2)]


@program
def strings_and_dicts():
    def f(x, config):
        if config["kind"] == "add":
            return x + config["by"]
        return x * config.get("by", 5)
    return f, [(t(3), {"kind": "add", "by": 2}), (t(3), {"kind": "add", "by": 2}), (t(3), {"kind": "mul"}),
               (t(3), {"kind": "mul", "by": 3}), (t(3), {"kind": "add", "by": 2.5, "other": 1})]


@program
def none_or_tensor():
    def f(x, bias):
        if bias is not None:
            x = x + bias
        return x * 2
    return f, [(t(3), None), (t(3), None), (t(3), t(3)), (t(3), t(3, seed=4)), (t(3), None)]


@program
def same_argument_twice():
    def f(a, b):
        a.add_(1)
        return a * b
    x = t(3)
    return f, [(t(3), t(3, seed=2)), (t(3), t(3, seed=2)), (x, x), (x, x), (t(3), t(3, seed=2))]


@program
def same_list_twice():
    def f(x, a, b):
        a.append(x + 1)
        return len(b), x * len(a)
    one = []
    return f, [(t(2), [], []), (t(2), [], []), (t(2), one, one), (t(2), one, one), (t(2), [], [])]


# --- Python

class Point:
    def __init__(self, x, y=0):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return isinstance(other, Point) and self.y == other.y

    def __hash__(self):
        return hash(self.y)

    @property
    def double(self):
        return self.x * 2

    def __getattr__(self, name):
        if name == "made_up":
            return self.y + 100
        raise AttributeError(name)

    def __len__(self):
        return self.y

    def __call__(self, k):
        return self.x * k


@program
def instances():
    def f(x):
        p = Point(x, 1) + Point(x * 2, 2)
        return p.double, p.made_up, p, Point(x), bool(p), p(3), p == Point(x, 3)
    return f, [(t(2),), (t(2),), (t(3, seed=3),)]


@program
def attributes_of_arguments():
    def f(p, q):
        p.x = p.x + q.x
        p.y += 1
        p.new = (p.y, q)
        return p.double
    p, q = Point(t(2), 3), Point(t(2, seed=2), 4)
    return f, [(p, q), (p, q), (Point(t(2), 3), q), (q, p), (p, p)]


@program
def closures():
    def f(x):
        count = 0

        def add(n):
            nonlocal count
            count += n
            return x * count
        a = add(2)
        b = add(3)
        return a, b, count, [add, lambda z, k=a: z + k][1](x)
    return f, [(t(2),), (t(2),), (t(4),)]


@program
def a_closure_that_counts():
    count = 0
    log = []

    def f(x):
        nonlocal count
        count += 1
        log.append(x * 2)
        return x + 1, count, len(log)
    return f, [(t(2),) for _ in range(6)]


@program
def comprehensions():
    def f(x, names):
        doubled = [x * i for i in range(3)]
        by_name = {n: x + i for i, n in enumerate(names)}
        odd = {i for i in range(5) if i % 2}
        return doubled, by_name, odd, [a + b for a, b in zip(doubled, by_name.values())], [n.upper() for n in names]
    return f, [(t(2), ["a", "b"]), (t(2), ["a", "b"]), (t(3), ["a", "b"]), (t(3), ["a", "c", "d"])]


@program
def loops():
    def f(x, xs):
        total = x
        for i, y in enumerate(xs):
            if i == 2:
                break
            total = total + y * i
        else:
            total = total * 10
        n = 0
        while n < 3:
            n += 1
            if n == 2:
                continue
            total = total - n
        for a, b in zip(xs, reversed(xs)):
            total = total + a * b
        return total, n
    x = t(2)
    return f, [(x, [x, x + 1]), (x, [x, x + 1]), (x, [x, x, x]), (x, []), (x, [x, x + 1])]


@program
def builtins_of_values():
    def f(x, ns):
        return (x * sum(ns), max(ns), min(ns, key=lambda n: -n), sorted(ns, reverse=True), any([n > 2 for n in ns]),
                all(map(bool, ns)), list(filter(None, ns)), tuple(map(lambda n: n + 1, ns)), isinstance(ns, (list, tuple)),
                callable(len), abs(-3), divmod(7, 2), str(3) + "a", int("4"), round(2.6), "%d-%s" % (1, "b"), f"{3:>4}|{'a'!r}")
    return f, [(t(2), [1, 2, 3]), (t(2), [1, 2, 3]), (t(2), [3, 1, 2]), (t(2), (0, 4))]


@program
def lists():
    def f(x, out):
        out.append(x)
        out.extend([x + 1, 3])
        mine = [1, 2]
        mine.insert(0, x)
        mine.reverse()
        last = mine.pop()
        mine[0] = "a"
        mine += [4]
        return mine, last, mine * 2, [1] + mine[1:]
    out = []
    return f, [(t(2), out), (t(2), out), (t(2), out), (t(2), [])]


@program
def changed_lists():
    def f(x, out):
        out[0] = x * 2
        del out[1]
        out.sort(key=None) if len(out) == 0 else None
        return out[0] + out[-1], len(out)
    return f, [(t(2), [1, 2, t(2)]), (t(2), [1, 2, t(2)]), (t(2), [1, 2, 3, t(2)])]


@program
def dicts():
    def f(x, d):
        d["n"] = d.get("n", 0) + 1
        d.setdefault("xs", []).append(x)
        if "old" in d:
            del d["old"]
        mine = dict(a=x, **{"b": 2})
        mine.update(c=3)
        popped = mine.pop("b")
        return mine, popped, list(mine.items())[0][0], {**mine, "z": x + 1}, len(mine)
    d = {"old": 1}
    return f, [(t(2), d), (t(2), d), (t(2), d), (t(2), {"n": 5, "xs": []})]


@program
def ordered_dicts():
    def f(x, od):
        ys = [x * v for v in od.values()]
        for i, (k, v) in enumerate(od.items()):
            ys.append(x + v * i)
        return ys, list(od), {**od}, dict(od)
    od = collections.OrderedDict(a=1, b=2, c=3)
    again = collections.OrderedDict(a=1, b=2, c=3)
    again.move_to_end("a")
    return f, [(t(2), od), (t(2), od), (t(2), again), (t(2), again), (t(2), od)]


@program
def sets():
    def f(x, seen, k):
        if k in seen:
            return x
        seen.add(k)
        return x * len({1, 2, k})
    s = set()
    return f, [(t(2), s, "a"), (t(2), s, "a"), (t(2), s, 7), (t(2), s, 7), (t(2), set(), 2)]


@program
def unpacking():
    def f(x, xs):
        a, (b, c), *rest = xs
        first, *middle, last = [1, 2, 3, 4]
        return a + x, b, c, rest, middle, last
    return f, [(t(2), (t(2), (1, 2), 5, 6)), (t(2), (t(2), (1, 2), 5, 6)), (t(2), [t(2), [3, 2]])]


@program
def exceptions():
    def check(n):
        if n > 2:
            raise ValueError("too many", n)
        return n

    def f(x, n):
        try:
            x = x * check(n)
        except ValueError as e:
            x = x + e.args[1]
        else:
            x = x - 1
        finally:
            x = x * 2
        try:
            {}["k"]
        except (IndexError, KeyError):
            x = x + 1
        return x
    return f, [(t(2), 1), (t(2), 1), (t(2), 3), (t(2), 3), (t(2), 4)]


@program
def raised_to_the_caller():
    def inner(x, n):
        if n:
            raise KeyError(n)
        return x + 1

    def f(x, n):
        x = x * 2
        return inner(x, n)
    return f, [(t(2), 0), (t(2), 0), (t(2), 3), (t(2), 3), (t(2), 0)]


@program
def errors_of_ops():
    def inner(x, n):
        y = x * 2
        return y.reshape(n, 7)

    def f(x, n):
        try:
            return inner(x, n)
        except RuntimeError as e:
            return str(e)

    def g(x, n):
        return f(x, n), inner(x + 1, 5)
    return g, [(t(14), 2), (t(14), 2), (t(14), 3)]


class Manager:
    def __init__(self, log, hide=False):
        self.log = log
        self.hide = hide

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append("out" if kind is None else kind.__name__)
        return self.hide


@program
def managers():
    def f(x, log, n):
        with Manager(log) as m:
            x = x + 1
        with Manager(log, True):
            if n > 1:
                raise ValueError(n)
            x = x * 2
        with lib.no_grad():
            y = x * 3
        return x, y, m.hide
    log = []
    return f, [(t(2), log, 0), (t(2), log, 0), (t(2), log, 2), (t(2), log, 2)]


COUNT = 0


@program
def globals_that_change():
    def f(x):
        global COUNT
        COUNT = COUNT + 1
        return x * 2, COUNT
    return f, [(t(2),) for _ in range(5)]


@program
def recursion():
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    def f(x, n):
        return power(x, n)
    return f, [(t(2), 3), (t(2), 3), (t(2), 2)]


@program
def classes():
    class Base:
        scale = 3

        def go(self, x):
            return x * self.scale

        @classmethod
        def make(cls):
            return cls()

        @staticmethod
        def one():
            return 1

    class Child(Base):
        def go(self, x):
            return super().go(x) + self.one()

    def f(x):
        return Child.make().go(x), Base.go(Child(), x), Child.__name__, type(Child()) is Child
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def match_statement():
    def f(x, command):
        match command:
            case ["scale", n]:
                return x * n
            case {"add": n, **rest}:
                return x + n
            case Point(y=0):
                return x
            case str() as s:
                return x - len(s)
            case _:
                return None
    return f, [(t(2), c) for c in (["scale", 2], ["scale", 2], {"add": 3}, {"add": 3}, "abc", "abc", Point(1, 0), 5)]


# --- tensors that are written

@program
def in_place():
    def f(x, y):
        x += 1
        x.mul_(y)
        x[0] = 5
        z = x[1:]
        z.add_(1)
        return x + z.sum()
    return f, pairs((3, 4), (3, 4), (5, 4))


@program
def views_of_arguments():
    def f(x, y):
        v = x.t()
        w = y[1:]
        w.zero_()
        return v, w, v + 1
    return f, pairs((3, 3), (3, 3), (4, 4))


@program
def gradients():
    def f(x, w):
        loss = (x.matmul(w)).relu().sum()
        loss.backward()
        return loss.detach(), w.grad * 1
    w = t(4, 2).requires_grad_()
    return f, [(t(3, 4), w), (t(3, 4), w), (t(5, 4), w), (t(5, 4), w)]


@program
def gradients_after():
    def f(x, w):
        return (x.matmul(w)).relu().sum()

    def g(x, w):
        return f(x, w)
    w = t(4, 2).requires_grad_()
    return g, [(t(3, 4), w), (t(3, 4), w), (t(5, 4), w)]


# --- what ends a graph

@program
def a_value_read():
    def f(x):
        y = x * 2
        n = y.sum().item()
        return y + n
    return f, [(t(2),), (t(2),), (t(2, seed=4),), (t(3),)]


@program
def a_branch_on_a_value():
    def f(x):
        y = x * 2
        if y.sum() > 0:
            return y + 1
        return y - 1
    return f, [(t(2),), (t(2),), (t(2) * -1,), (t(2) * -1,), (t(3, seed=3),)]


@program
def a_branch_in_a_callee():
    def inner(x, k):
        y = x * 2
        if (y.sum() > 0):
            y = y + k
        return y * 2

    def f(x):
        a = inner(x + 1, 3)
        return a, inner(a, 2)
    return f, [(t(2),), (t(2),), (t(2) * -1,), (t(3, seed=3),)]


@program
def a_break_in_a_loop():
    def f(x):
        total = 0
        for i in range(4):
            x = x * 0.5 + i
            total += x.sum().item()
        return x, total
    return f, [(t(2),), (t(2),), (t(2, seed=7),)]


@program
def a_break_in_with():
    def f(x, log):
        with Manager(log):
            y = x + 1
            n = float(y.sum())
            y = y * n
        return y
    log = []
    return f, [(t(2), log), (t(2), log), (t(2, seed=4), log)]


@program
def a_break_in_try():
    def f(x):
        y = x + 1
        try:
            n = int(y.sum())
            y = y / n
        except ZeroDivisionError:
            y = y * 0
        finally:
            y = y + 1
        return y
    return f, [(t(2),), (t(2),), (t(2) * 0 - 1,)]


@program
def generators():
    def g(x):
        for i in range(3):
            yield x * i

    def f(x):
        y = x + 1
        return sum(list(g(y)), y), [a for a in g(x)]
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def generators_in_place():
    def pairs_of(xs):
        for i, x in enumerate(xs):
            yield i, x
        return len(xs)

    def both(xs):
        n = yield from pairs_of(xs)
        yield n, xs[0]

    def f(x, xs):
        total = sum(a * i for i, a in enumerate(xs))
        found = any(i == 1 for i, _ in pairs_of(xs))
        first = next((a for a in xs if a.shape[0] > 1), None)
        for i, a in both(xs):
            if i == 5:
                break
            total = total + a * i
        return total, found, first, {i: a for i, a in pairs_of(xs)}, list(map(lambda p: p[0], both(xs))), tuple(a + 1 for a in xs)
    x = t(2)
    return f, [(x, [x, x + 1, x]), (x, [x, x + 1, x]), (t(3), [t(3)] * 6), (t(3), [t(3)] * 6), (x, [x])]


@program
def generators_that_are_kept():
    def g(x):
        yield x
        yield x + 1

    def f(x):
        it = g(x)
        a = next(it)
        return a, list(it), it
    return f, [(t(2),), (t(2),), (t(3),)]


@program
def errors_in_generators():
    def g(x, n):
        for i in range(3):
            if i == n:
                raise KeyError(i)
            yield x * i

    def f(x, n):
        try:
            return [a for a in g(x, n)]
        except KeyError as e:
            return x, e.args
    return f, [(t(2), 5), (t(2), 5), (t(2), 1), (t(2), 1), (t(2), 0)]


@program
def printing():
    out = []

    def show(*args):
        out.append(" ".join(map(str, args)))

    def f(x):
        y = x + 1
        show("sum", y.sum().tolist())
        return y * 2, out
    return f, [(t(2),), (t(2),), (t(2, seed=3),)]
