"""What happens to a program while it is captured, or after: interrupts, collections, debuggers, modules that are loaded
again, coroutines. Plain Python's behaviour, each time."""
import asyncio
import bdb
import gc
import importlib
import signal
import sys

import frit


def raises(error, function, *args):
    try:
        function(*args)
    except error as e:
        return e
    raise AssertionError(f"no {error.__name__} was raised")


def test_an_interrupt_while_capturing():
    log = []

    def f(x, n):
        log.append("in")
        try:
            for i in range(n):
                x = x + (i % 2)
        finally:
            log.append("out")
        return x

    c = frit.compile(f, options={"recompile_limit": 64})
    previous = signal.getsignal(signal.SIGINT)

    def interrupted(number, frame):
        raise KeyboardInterrupt("now")

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGALRM, interrupted)
    try:
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            assert str(raises(KeyboardInterrupt, c, frit.zeros(2), 10**9)) == "now"
        assert log == ["in", "out"] * 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, previous)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for _ in range(3):
        assert c(frit.zeros(2), 4).tolist() == [2.0, 2.0]


def test_collections_while_capturing():
    class Node:
        pass

    freed = []

    class Noting:
        def __init__(self, name):
            self.name, self.me = name, self

        def __del__(self):
            freed.append(self.name)

    def f(x, kept):
        made = [Node() for _ in range(20)]
        for a, b in zip(made, made[1:]):
            a.next, b.before = b, a
        table = {i: [x, made[i]] for i in range(5)}
        gc.collect()
        kept.extend(table[i][0] * i for i in table)
        return made[0].next.before is made[0], sum(kept)

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for backend in ("eager", "frit"):
            c = frit.compile(f, backend=backend)
            for call in range(4):
                Noting(call)
                kept = []
                same, total = c(frit.ones(2), kept)
                assert same and total.tolist() == [10.0, 10.0] and len(kept) == 5
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert sorted(freed) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_module_is_loaded_again(tmp_path):
    source = tmp_path / "loaded_again.py"
    source.write_text("SCALE = 2\ndef scaled(x):\n    return x * SCALE\n")
    sys.path.insert(0, str(tmp_path))
    write_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        module = importlib.import_module("loaded_again")
        c = frit.compile(lambda x: module.scaled(x) + 1)
        of_module = frit.compile(module.scaled)
        x = frit.ones(2)
        for _ in range(3):
            assert c(x).tolist() == [3.0, 3.0] and of_module(x).tolist() == [2.0, 2.0]
        source.write_text("SCALE = 10\ndef scaled(x):\n    return x * SCALE - 1\n")
        importlib.reload(module)
        for _ in range(3):
            assert c(x).tolist() == [10.0, 10.0]
            assert of_module(x).tolist() == [10.0, 10.0]  # the function it was, its globals as they are
        del module.scaled
        assert "scaled" in str(raises(AttributeError, c, x))
    finally:
        sys.path.remove(str(tmp_path))
        sys.dont_write_bytecode = write_bytecode
        sys.modules.pop("loaded_again", None)


class Lines(bdb.Bdb):
    """A debugger that goes line by line."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def user_line(self, frame):
        if frame.f_code.co_name == "watched":
            self.lines.append((frame.f_lineno - frame.f_code.co_firstlineno, sorted(frame.f_locals)))
        self.set_step()


def test_a_debugger():
    def watched(x):
        y = x * 2
        z = y + 1
        return z

    c = frit.compile(watched)
    x = frit.ones(2)
    for before in (False, True, True):
        debugger = Lines()
        assert debugger.runcall(c, x).tolist() == [3.0, 3.0]
        assert debugger.lines == [(1, ["x"]), (2, ["x", "y"]), (3, ["x", "y", "z"])], debugger.lines
        assert c(x).tolist() == [3.0, 3.0]


def test_a_profiler():
    seen = []

    def profile(frame, event, argument):
        if frame.f_code.co_name == "profiled":
            seen.append(event)

    def profiled(x):
        return x + 1

    c = frit.compile(profiled)
    x = frit.ones(2)
    for _ in range(3):
        seen.clear()
        sys.setprofile(profile)
        try:
            assert c(x).tolist() == [2.0, 2.0]
        finally:
            sys.setprofile(None)
        assert [e for e in seen if not e.startswith("c_")] == ["call", "return"]
        assert c(x).tolist() == [2.0, 2.0]


def test_coroutines_and_generators():
    async def wait(x, n):
        for _ in range(n):
            await asyncio.sleep(0)
            x = x + 1
        return x

    async def each(x, n):
        for i in range(n):
            yield x + i

    def give(x, n):
        for i in range(n):
            got = yield x * i
            x = x if got is None else x + got

    async def program(wait, each):
        x = frit.zeros(2)
        both = await asyncio.gather(wait(x, 2), wait(x, 3))
        return [t.tolist() for t in both] + [t.tolist() async for t in each(x, 2)]

    def sent(give):
        g = give(frit.ones(1), 4)
        return [next(g).item(), g.send(1).item(), g.send(None).item(), next(g).item()]

    w, e, g = frit.compile(wait), frit.compile(each), frit.compile(give)
    for _ in range(3):
        assert asyncio.run(program(w, e)) == asyncio.run(program(wait, each))
        assert sent(g) == sent(give)
        closed = g(frit.ones(1), 3)
        next(closed)
        closed.close()
        assert list(closed) == []
