"""More programs of the corpus: breaks in the middle of things, effects, aliases, modules, errors."""
import contextlib

import capture_corpus as corpus
from capture_corpus import Manager, Point, program, t


# --- breaks in the middle of things

@program
def a_break_in_for_with_try():
    def f(x, log):
        total = 0.0
        for i in range(3):
            with Manager(log):
                try:
                    total += (x * i).sum().item()
                    if i == 1:
                        raise ValueError(i)
                except ValueError as e:
                    x = x - e.args[0]
                finally:
                    log.append(i)
        return x, total
    return f, [(t(2), []), (t(2), []), (t(3, seed=4), [])]


@program
def a_break_in_a_comprehension():
    def f(x, ks):
        read = [(x * k).sum().item() for k in ks]
        return [x + r for r in read], {k: x * r for k, r in zip(ks, read)}
    return f, [(t(2), [1, 2]), (t(2), [1, 2]), (t(2, seed=3), [1, 2]), (t(3), [3])]


@program
def a_break_two_callees_deep():
    def innermost(x, k):
        y = x * k
        n = y.sum().item()
        return y + n

    def middle(x, k):
        a = x - 1
        b = innermost(a, k) * 2
        return a + b

    def f(x):
        y = x + 1
        return y * middle(y, 3)
    return f, [(t(2),), (t(2),), (t(2, seed=4),), (t(3),)]


@program
def a_break_in_a_callees_with():
    def inner(x, log):
        with Manager(log, hide=True):
            x = x * 2
            log.append(x.sum().item() > 0)
            raise KeyError("inside")
        return x

    def f(x, log):
        y = inner(x + 1, log)
        return y - 1, len(log)
    return f, [(t(2), []), (t(2), []), (t(2) * -5, [])]


@program
def a_break_in_except():
    def f(x, n):
        try:
            x = x / n
            [][n]
        except (ZeroDivisionError, IndexError) as e:
            x = x + x.sum().item()
            kind = type(e).__name__
        return x, kind
    return f, [(t(2), 1), (t(2), 1), (t(2, seed=3), 2)]


@program
def a_break_in_finally():
    def f(x, out):
        try:
            x = x * 2
            return x
        finally:
            out.append(x.sum().item())
            out.append("done")
    return f, [(t(2), []), (t(2), []), (t(2, seed=3), [])]


@program
def a_break_in_while():
    def f(x):
        rounds = 0
        while x.sum().item() > 1 and rounds < 5:
            x = x / 2
            rounds += 1
        return x, rounds
    return f, [(t(3).abs() + 2,), (t(3).abs() + 2,), (t(3).abs() * 0,), (t(2).abs() + 9,)]


@program
def a_break_in_a_getter():
    class Reads:
        def __init__(self, x):
            self.x = x

        @property
        def value(self):
            return self.x.sum().item()

    def f(x):
        r = Reads(x * 2)
        return r.x + r.value, r.value
    return f, [(t(2),), (t(2),), (t(2, seed=3),)]


@program
def both_sides_in_a_loop():
    def f(x):
        signs = []
        for i in range(3):
            if (x * (i - 1)).sum() > 0:
                x = x + 1
                signs.append("+")
            else:
                x = x * 2
                signs.append("-")
        return x, signs
    return f, [(t(2),), (t(2),), (t(2) * -1,), (t(3, seed=5),)]


@program
def a_condition_in_an_expression():
    def f(x):
        return (x + 1 if x.sum() > 0 else x - 1), bool(x.max() > 100), not (x.min() > 0)
    return f, [(t(2),), (t(2),), (t(2) * -1,), (t(3, seed=5),)]


# --- closures, generators, recursion

@program
def a_counter_closure_in_the_run():
    def counter():
        n = 0

        def up(by):
            nonlocal n
            n += by
            return n
        return up

    def f(x, by):
        a, b = counter(), counter()
        return x * a(by) + b(1) + a(1), [a(1), b(1)]
    return f, [(t(2), 2), (t(2), 2), (t(3), 5)]


@program
def a_closure_that_is_returned():
    def f(x, k):
        y = x * k

        def later(z, bias=y):
            return z + y + bias
        return later, later(x)
    return f, [(t(2), 2), (t(2), 2), (t(2, seed=3), 3)]


@program
def generators_with_effects():
    def numbers(log, n):
        for i in range(n):
            log.append(("gives", i))
            yield i

    def f(x, log):
        return x * sum(numbers(log, 3)), [x + i for i in numbers(log, 2)], max(numbers(log, 4))
    return f, [(t(2), []), (t(2), []), (t(3), [0])]


@program
def recursion_with_a_break():
    def walk(tree, x):
        if isinstance(tree, list):
            return sum(walk(b, x) for b in tree)
        return x.sum().item() * tree

    def halve(x, n):
        return x if n == 0 else halve(x / 2, n - 1) + 1

    def f(x):
        return halve(x, 3), walk([1, [2, 3], []], x)
    return f, [(t(2),), (t(2),), (t(2, seed=3),)]


@program
def mutual_recursion():
    def even(x, n):
        return x if n == 0 else odd(x + 1, n - 1)

    def odd(x, n):
        return x * 2 if n == 0 else even(x * 3, n - 1)
    return even, [(t(2), 4), (t(2), 4), (t(2), 3), (t(3), 3)]


# --- effects

@program
def nested_containers_change():
    def f(x, state):
        state["runs"].append(len(state["runs"]))
        state["by"]["k"] = state["by"].get("k", 0) + 1
        state["last"] = {"x": x + 1, "runs": state["runs"]}
        return state["last"]["x"] * state["by"]["k"]
    state = {"runs": [], "by": {}}
    return f, [(t(2), state), (t(2), state), (t(2), state), (t(2), {"runs": [7], "by": {"k": 3}})]


@program
def effects_before_an_error():
    def f(x, log, n):
        log.append("one")
        y = x + 1
        log.append(y)
        if n:
            raise RuntimeError(f"after {len(log)}")
        log.append("three")
        return y
    return f, [(t(2), [], 0), (t(2), [], 0), (t(2), [], 1), (t(2), [], 1), (t(2), [], 0)]


@program
def slots_and_properties():
    class Slots:
        __slots__ = ("x", "n")

        def __init__(self, x):
            self.x = x

        @property
        def scale(self):
            return self.n

        @scale.setter
        def scale(self, v):
            self.n = v + 1

    def f(x, s):
        s.scale = 3
        made = Slots(x + 1)
        made.scale = s.scale
        s.x = made.x * s.scale
        del made.n
        return hasattr(made, "n"), s.x, made.x
    return f, [(t(2), Slots(t(2))), (t(2), Slots(t(2))), (t(3), Slots(None))]


@program
def attributes_that_go():
    def f(p, x):
        if hasattr(p, "extra"):
            del p.extra
        else:
            p.extra = x * 2
        setattr(p, "y", getattr(p, "y", 0) + 1)
        return p.y
    p = Point(t(2), 1)
    return f, [(p, t(2)) for _ in range(5)]


@program
def one_list_under_two_names():
    def f(x, a, b):
        a.append(x)
        b.append(x * 2)
        a[0] = x + 1
        return len(a), len(b), b[0]
    one = [0]
    return f, [(t(2), [0], [1]), (t(2), [0], [1]), (t(2), one, one), (t(2), one, one)]


@program
def dicts_in_order():
    def f(x, d):
        d.pop("b", None)
        d["b"] = x * 2
        d.update(a=d["a"] + 1)
        return list(d), [x + i for i, _ in enumerate(d.items())]
    return f, [(t(2), {"a": 1, "b": 2, "c": 3}), (t(2), {"a": 1, "b": 2, "c": 3}), (t(2), {"a": 1, "c": 3})]


@program
def sets_and_membership():
    def f(x, names, seen):
        fresh = [n for n in names if n not in seen]
        for n in fresh:
            seen.add(n)
        seen.discard("gone")
        return x * len(fresh), {"a", "b"} & {"b"}, sorted({3, 1, 2})
    return f, [(t(2), ["a", "b"], set()), (t(2), ["a", "b"], set()), (t(2), ["a"], {"a", "gone"})]


# --- exceptions

@program
def exceptions_that_are_chained():
    def inner(x, n):
        try:
            return x * {}[n]
        except KeyError as e:
            raise ValueError("no such", n) from e

    def f(x, n):
        try:
            return inner(x, n)
        except ValueError as e:
            return type(e.__cause__).__name__, e.__context__ is e.__cause__, e.args, x + 1
    return f, [(t(2), 1), (t(2), 1), (t(3), 2)]


@program
def exceptions_through_callees():
    class Stop(Exception):
        pass

    def third(x, n):
        if n == 2:
            raise Stop(n)
        return x * n

    def second(x, n, log):
        try:
            return third(x, n)
        finally:
            log.append(n)

    def f(x, log):
        total = x
        for n in range(4):
            try:
                total = total + second(x, n, log)
            except Stop as e:
                log.append(e.args[0])
                continue
        return total
    return f, [(t(2), []), (t(2), []), (t(3), [])]


@program
def an_error_in_a_with_below_a_break():
    def f(x, log, n):
        with contextlib.suppress(KeyError):
            with Manager(log):
                total = x.sum().item()
                x = x + total
                if n:
                    raise KeyError(n)
            x = x * 10
        return x
    return f, [(t(2), [], 0), (t(2), [], 0), (t(2), [], 1), (t(2), [], 1)]


@program
def errors_that_sizes_decide():
    def f(x, y):
        return (x + 1).matmul(y) * 2
    return f, [(t(2, 3), t(3, 2)), (t(2, 3), t(3, 2)), (t(2, 3), t(2, 3)), (t(4, 3), t(3, 2))]


@program
def errors_that_data_decide():
    def f(x, i):
        y = x * 2
        return y.index_select(0, i) + 1
    def of(*values):
        return corpus.lib.tensor(list(values))
    return f, [(t(4), of(0, 3)), (t(4), of(0, 3)), (t(4), of(1, 9)), (t(4), of(2, 1))]


@program
def an_error_of_an_op_that_is_caught():
    def f(x, n):
        log = []
        try:
            y = (x + 1).reshape(n, 3)
        except RuntimeError as e:
            log.append(type(e).__name__)
            y = x
        return y * 2, log
    return f, [(t(6), 2), (t(6), 2), (t(6), 4), (t(6), 4), (t(9), 3)]


# --- tensors that are written, and aliases

@program
def in_place_on_a_view_of_an_input():
    def f(x):
        v = x[1:].t()
        v.mul_(2)
        x[0] = v[0, 0]
        return x.sum(), v
    return f, [(t(3, 3),), (t(3, 3),), (t(4, 4),)]


@program
def an_input_and_its_view():
    def f(x, v):
        x.add_(1)
        v.mul_(2)
        return x + v.sum()
    def both(n):
        x = t(n, 2)
        return x, x[0]
    return f, [(t(3, 2), t(2)), (t(3, 2), t(2)), both(3), both(3), (t(3, 2), t(2))]


@program
def aliasing_outputs():
    def f(x):
        y = x * 2
        v = y[0]
        v.add_(1)
        return y, v, y.detach(), x[1:], x
    return f, [(t(3, 2),), (t(3, 2),), (t(4, 2),)]


@program
def a_result_that_is_written_later():
    kept = []

    def f(x):
        y = x + 1
        if kept:
            kept[-1].add_(10)
        kept.append(y)
        return y * 2, len(kept)
    return f, [(t(2),) for _ in range(5)]


@program
def in_place_below_a_break():
    def f(x, y):
        y.add_(x)
        n = y.sum().item()
        y.mul_(2)
        return y + n
    return f, [(t(2), t(2)), (t(2), t(2)), (t(3), t(3))]


# --- modules

def net_of():
    lib = corpus.lib
    lib.manual_seed(3)

    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = lib.nn.Linear(3, 4)
            self.second = lib.nn.Linear(4, 2)
            self.scale = 1.0
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            y = self.first(x).relu()
            if self.training:
                y = y * 2
            return self.second(y) * self.scale
    return Net()


@program
def train_and_eval():
    net = net_of()

    def f(x, train):
        net.train(train)
        return net(x).detach(), net.training, net.calls
    return f, [(t(2, 3), True), (t(2, 3), True), (t(2, 3), False), (t(4, 3), False), (t(2, 3), True)]


@program
def a_module_hook():
    net = net_of()
    seen = []

    def hook(module, args, out):
        seen.append(tuple(out.shape))
        return out + 1

    def f(x, kind):
        return net(x).detach(), len(seen)

    def calls():
        yield t(2, 3), "none"
        yield t(2, 3), "none"
        net.first.register_forward_hook(hook)
        hooks = net.first._forward_hooks
        hooks[0] = hooks.popitem()[1]  # its number goes on from program to program
        yield t(2, 3), "hook"
        yield t(2, 3), "hook"
        hooks.clear()
        yield t(2, 3), "removed"
    return f, calls()


@program
def replaced_parameters():
    net = net_of()

    def f(x):
        return net(x).detach()

    def calls():
        lib = corpus.lib
        yield (t(2, 3),)
        yield (t(2, 3),)
        net.second.weight = lib.nn.Parameter(t(2, 4, seed=9))
        yield (t(2, 3),)
        net.second = lib.nn.Linear(4, 5)
        yield (t(2, 3),)
        with lib.no_grad():
            net.first.weight.mul_(2)
        yield (t(2, 3),)
    return f, calls()


@program
def changing_scalars():
    net = net_of()

    def f(x, k):
        net.scale = net.scale + 0.5
        return net(x).detach() * k
    return f, [(t(2, 3), k) for k in (2, 2, 3, 4, 5)]


@program
def scalars_of_all_kinds():
    def f(x, k):
        return x * k, k * 2, k == 1
    return f, [(t(2), k) for k in (1, 1, 2, 3, 1.5, 2.5, True, False, -1)]


@program
def gradients_of_a_module():
    net = net_of()

    def f(x):
        for p in net.parameters():
            p.grad = None
        loss = net(x).sum()
        loss.backward()
        return loss.detach(), [p.grad.sum() for p in net.parameters()]
    return f, [(t(2, 3),), (t(2, 3),), (t(4, 3),)]
