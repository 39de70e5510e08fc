"""Generators whose frames are taken when they are resumed, and that are suspended while the region that resumed
them is left."""

import asyncio
import gc
import sys
import unittest

from frame_module import NULL, frames, slot, unit_of_call, units

LOG = []


def counting(n):
    try:
        for i in range(n):
            got = yield i
            if got:
                LOG.append(("got", got))
    except ValueError as error:
        yield "error", error.args, sys.exc_info()[1] is error
    finally:
        LOG.append("closed")
    return "end"


def step_all(frame):
    while frame.step():
        pass
    return "done", None


def finish(frame):
    return "finish", None


class SuspendedWhileLeft(unittest.TestCase):
    def run_both(self, f, handler, wanted, *args):
        LOG.clear()
        plain = f(*args), list(LOG)
        LOG.clear()
        handled = frames.compiled(f, handler, None, wanted)(*args), list(LOG)
        self.assertEqual(handled, plain)

    def test_every_stop_of_both(self):
        def f(n):
            seen = []
            g = counting(n)
            seen.append(next(g))
            for x in g:
                seen.append(x)
                if x == 3:
                    seen.append(g.send("sent"))
                if x == 5:
                    seen.append(g.throw(ValueError(x)))
            return seen, [x for x in counting(2)], sum(counting(4)), dict(zip(counting(2), counting(3)))

        for wanted in ({counting}, set(), None):
            for handler in (step_all, finish):
                self.run_both(f, handler, wanted, 8)

    def test_the_region_is_left_at_each_call_and_taken_up_rebuilt(self):
        def f(n):
            total = 0
            g = counting(n)
            for x in g:
                total += abs(x)
                if x == 2:
                    break
            abs(0)
            return total, list(g)

        def leave(frame):
            code = frame.code
            if frame.is_generator:
                # walked to its yield, whose value was computed elsewhere
                if not frame.run_until(units(code, "YIELD_VALUE")):
                    return "done", None
                frame.stack = frame.stack[:-1] + [frame.stack[-1] * 10]
                return "finish", None
            calls = [unit_of_call(code, nth=k) for k in range(2, 4)]
            while frame.run_until(calls):
                stack, values = frame.stack, frame.locals
                frame.stack, frame.locals = [], [NULL] * len(values)
                gc.collect()
                frame.stack, frame.locals = stack, values
            return "done", None

        LOG.clear()
        target = frames.compiled(f, leave, None, {counting})
        self.assertEqual(target(5), (100, []))
        self.assertEqual(LOG, ["closed"])

    def test_generator_on_the_stack_of_a_frame_made_real(self):
        def f(n):
            seen = []
            for x in counting(n):
                seen.append(x)
            return seen

        g = counting(5)
        self.assertEqual([next(g), next(g)], [0, 1])
        code = f.__code__
        values = [NULL] * len(code.co_varnames)
        values[slot(code, "seen")] = ["made"]
        at = units(code, "FOR_ITER")[0]
        self.assertEqual(frames.materialise([(f, values, [g], at, None)], step_all), ["made", 2, 3, 4])
        self.assertEqual(sys.getrefcount(g), 2)

    def test_suspended_state_is_the_plain_one(self):
        def f(g):
            return next(g)

        g = counting(5)
        target = frames.compiled(f, step_all, None, {counting})
        for _ in range(3):
            target(g)
            self.assertIs(g.gi_code, counting.__code__)
            self.assertIs(g.gi_frame.f_code, counting.__code__)
            self.assertEqual(g.gi_frame.f_lineno, counting.__code__.co_firstlineno + 3)
            self.assertEqual(g.gi_frame.f_locals["n"], 5)
            self.assertFalse(g.gi_running)
        self.assertEqual(list(g), [3, 4])
        self.assertIsNone(g.gi_frame)
        self.assertIs(g.gi_code, counting.__code__)

    def test_closed_collected_and_failing(self):
        def f(kind):
            g = counting(4)
            next(g)
            if kind == "close":
                g.close()
            elif kind == "drop":
                del g
                gc.collect()
            elif kind == "cycle":
                box = [g]
                box.append(box)
                del g, box
                gc.collect()
            elif kind == "throw":
                try:
                    g.throw(KeyError(1))
                except KeyError as error:
                    return list(LOG), error.__traceback__.tb_next.tb_frame.f_code is counting.__code__
            return list(LOG)

        for kind in ("close", "drop", "cycle", "throw"):
            for handler in (step_all, finish):
                self.run_both(f, handler, {counting}, kind)

    def test_raised_in_the_generator_by_its_handler(self):
        def f(n):
            try:
                return list(counting(n))
            except KeyError as error:
                entry = error.__traceback__
                while entry.tb_next:
                    entry = entry.tb_next
                return entry.tb_frame.f_code is counting.__code__, entry.tb_lineno - counting.__code__.co_firstlineno

        def handler(frame):
            if frame.is_generator and frame.run_until(units(frame.code, "YIELD_VALUE")) and frame.stack[-1] == 2:
                return "raise", KeyError(1)
            return "finish", None

        LOG.clear()
        self.assertEqual(frames.compiled(f, handler, None, {counting})(5), (True, 3))
        self.assertEqual(LOG, ["closed"])

    def test_delegation_and_recursion(self):
        def nested(n):
            if n:
                yield n
                got = yield from nested(n - 1)
                yield "back", got
            return n

        def f(n):
            g = nested(n)
            first = next(g)
            return first, g.gi_yieldfrom is None, list(g)

        for handler in (step_all, finish):
            self.run_both(f, handler, {nested}, 4)


class Asynchronous(unittest.TestCase):
    def test_coroutines_suspended_while_left(self):
        async def ticks(n):
            for i in range(n):
                await asyncio.sleep(0)
                yield i

        async def work(n):
            seen = []
            async for i in ticks(n):
                seen.append(i)
            return seen

        async def main():
            return await asyncio.gather(work(3), work(4))

        def f():
            return asyncio.run(main())

        plain = f()
        for handler in (step_all, finish):
            self.assertEqual(frames.compiled(f, handler, None, {ticks, work, main})(), plain)


if __name__ == "__main__":
    unittest.main()
