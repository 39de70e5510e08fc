"""What a handler does with one frame: rewrites it, runs it to chosen instructions, returns, raises."""

import signal
import sys
import traceback
import unittest

from frame_module import NULL, frames, slot, unit_of_call, units


def compiled(function, handler, wanted=None):
    return frames.compiled(function, handler, None, wanted)


def at_call(nth=0):
    """A handler that stops at the nth call of the frame's code and then does what it is given."""

    def decorate(action):
        def handler(frame):
            assert frame.run_until([unit_of_call(frame.code, nth=nth)])
            return action(frame)

        return handler

    return decorate


class Rewriting(unittest.TestCase):
    def test_locals_and_stack(self):
        def f(a):
            b = a + 1
            c = max(b, 2)
            return a, b, c

        @at_call()
        def handler(frame):
            values = frame.locals
            self.assertEqual(values[:2], [10, 11])
            self.assertEqual(values[2], NULL)
            values[slot(frame.code, "a")] = "a"
            frame.locals = values
            stack = frame.stack
            self.assertEqual(stack[-2:], [11, 2])
            frame.stack = stack[:-2] + [100, 200]
            return "finish", None

        self.assertEqual(compiled(f, handler)(10), ("a", 11, 200))

    def test_cells(self):
        def f(a):
            def inner():
                return a

            len("")
            return inner(), a

        @at_call(0)
        def handler(frame):
            cell = frame.locals[slot(frame.code, "a")]
            self.assertEqual(cell.cell_contents, 1)
            cell.cell_contents = 2
            return "finish", None

        self.assertEqual(compiled(f, handler)(1), (2, 2))

    def test_jump_over_a_call(self):
        def f(a):
            b = a.append("no")
            return b, a

        @at_call()
        def handler(frame):
            code = frame.code
            after = [i for i in frames.instructions(code) if i[0] > frame.instruction and i[6]][0]
            frame.stack = ["done"]
            frame.instruction = after[0]
            return "finish", None

        self.assertEqual(compiled(f, handler)([]), ("done", []))

    def test_loop_with_a_stop_in_its_body(self):
        def f(n):
            total = 0
            for i in range(n):
                total += abs(i)
            return total

        seen = []

        def handler(frame):
            stop = unit_of_call(frame.code, nth=1)
            going = frame.run_until([stop])
            while going:
                seen.append((frame.locals[1], frame.stack[-1]))
                going = frame.run_until([stop])
            return "done", None

        self.assertEqual(compiled(f, handler)(5), 10)
        self.assertEqual(seen, [(0, 0), (0, 1), (1, 2), (3, 3), (6, 4)])

    def test_references_are_kept(self):
        class Thing:
            pass

        def f(x):
            y = [x]
            for z in (x, y):
                len(y)
            return None

        thing = Thing()
        before = sys.getrefcount(thing)

        def handler(frame):
            while frame.step():
                frame.locals = frame.locals
                frame.stack = frame.stack
            return "done", None

        target = compiled(f, handler)
        for _ in range(20):
            target(thing)
        self.assertEqual(sys.getrefcount(thing), before)
        for ending in (lambda: ("return", thing), lambda: ("raise", KeyError(1))):
            target = compiled(f, at_call()(lambda frame, ending=ending: ending()))
            for _ in range(20):
                try:
                    target(thing)
                except KeyError:
                    pass
        self.assertEqual(sys.getrefcount(thing), before)


class Leaving(unittest.TestCase):
    def test_return_from_the_middle(self):
        def f(a):
            for i in range(a):
                with memoryview(b"x") as view:
                    len(view)
            raise AssertionError

        for nth in range(3):
            target = compiled(f, at_call(nth)(lambda frame: ("return", "early")))
            self.assertEqual(target(3), "early")

    def test_return_where_the_code_has_no_return_of_a_value(self):
        def f(a):
            while True:
                a.append(1)

        self.assertEqual(compiled(f, at_call()(lambda frame: ("return", 5)))([]), 5)

    def test_raise_into_the_frames_own_handlers(self):
        def f(a):
            log = []
            try:
                try:
                    log.append("before")
                    len(a)
                    log.append("not reached")
                except KeyError as error:
                    log.append(("caught", error.args, sys.exc_info()[1] is error))
                    raise ValueError from error
                finally:
                    log.append("finally")
            except ValueError as error:
                log.append(type(error.__cause__))
            return log

        target = compiled(f, at_call(1)(lambda frame: ("raise", KeyError(7))))
        self.assertEqual(target(""), ["before", ("caught", (7,), True), "finally", KeyError])

    def test_raise_step_stops_at_the_handler(self):
        def f(a):
            try:
                len(a)
            except KeyError:
                return "caught"

        def handler(frame):
            frame.run_until([unit_of_call(frame.code)])
            assert frame.raise_step(KeyError(1))
            self.assertEqual(repr(frame.stack[-1]), "KeyError(1)")
            steps = 0
            while frame.step():
                steps += 1
            self.assertGreater(steps, 3)
            return "done", None

        self.assertEqual(compiled(f, handler)(""), "caught")

    def test_traceback_is_the_plain_one(self):
        def f(a):
            b = [
                a,
                len(a),
            ]
            return b

        def plain():
            class Bad:
                def __len__(self):
                    raise KeyError("same")

            return f(Bad())

        def positions(call):
            try:
                call()
            except KeyError as error:
                return [
                    (s.name, s.lineno, s.end_lineno, s.colno)
                    for s in traceback.extract_tb(error.__traceback__)
                    if s.name == "f"
                ], error.__traceback__.tb_next.tb_frame.f_code is f.__code__

        target = compiled(f, at_call()(lambda frame: ("raise", KeyError("same"))))
        self.assertEqual(positions(lambda: target("")), positions(plain))

    def test_raise_at_every_instruction(self):
        def f(a):
            total = 0
            try:
                for x in a:
                    with memoryview(b"12") as view:
                        total += len(view) + x
                        [*a, x].sort()
            except ZeroDivisionError:
                raise
            finally:
                total = -total
            return f"{total}{a}"

        code = f.__code__
        for unit in [i[0] for i in frames.instructions(code) if i[6]]:
            def handler(frame):
                if not frame.run_until([unit]):
                    return "done", None
                return "raise", ZeroDivisionError(unit)

            try:
                compiled(f, handler)([1, 2])
                self.assertFalse(self._reached(f, unit), unit)
            except ZeroDivisionError as error:
                entry = error.__traceback__.tb_next
                raised = list(code.co_positions())[unit][0]
                self.assertIn(raised, [e for e in self._lines(entry)])

    def _reached(self, f, unit):
        seen = []

        def handler(frame):
            going = True
            while going:
                seen.append(frame.instruction)
                going = frame.step()
            return "done", None

        compiled(f, handler)([1, 2])
        return unit in seen

    @staticmethod
    def _lines(entry):
        while entry:
            yield entry.tb_lineno
            entry = entry.tb_next

    def test_an_exception_of_the_handler_is_the_frames(self):
        def f(a):
            try:
                len(a)
            except LookupError:
                return "seen"

        def handler(frame):
            frame.run_until([unit_of_call(frame.code)])
            raise IndexError

        self.assertEqual(compiled(f, handler)(""), "seen")


class HandledException(unittest.TestCase):
    def test_left_inside_an_except_block_that_only_the_region_entered(self):
        """The walk met the exception itself: the frame never ran PUSH_EXC_INFO."""

        def f(a):
            try:
                a()
            except KeyError as error:
                seen = sys.exc_info()[1]
                try:
                    raise ValueError
                except ValueError as second:
                    return seen is error, second.__context__ is error
            return sys.exc_info()

        def handler(frame):
            code = frame.code
            frame.run_until([unit_of_call(code)])
            push = units(code, "PUSH_EXC_INFO")[0]
            exception = KeyError(1)
            before = frame.handled_exception
            frame.stack = [before, exception]
            frame.handled_exception = exception
            frame.instruction = [i for i in frames.instructions(code) if i[0] == push][0][4]
            return "finish", None

        self.assertEqual(compiled(f, handler)(int), (True, True))
        self.assertEqual(sys.exc_info(), (None, None, None))


class Observing(unittest.TestCase):
    def test_frame_is_current_while_it_is_handled(self):
        def f(a):
            x = 1
            a()
            return x

        def handler(frame):
            frame.run_until([unit_of_call(frame.code)])
            f_frame = sys._getframe(1)
            self.assertIs(f_frame.f_code, f.__code__)
            self.assertEqual(f_frame.f_lineno, f.__code__.co_firstlineno + 2)
            self.assertEqual(f_frame.f_locals["x"], 1)
            self.assertIs(f_frame.f_back.f_code, self.test_frame_is_current_while_it_is_handled.__code__)
            return "finish", None

        self.assertEqual(compiled(f, handler)(int), 1)

    def test_called_code_sees_the_frames_own_code(self):
        def g(*_, **__):
            return sys._getframe(1).f_code is f.__code__, sys._getframe(1).f_lineno - f.__code__.co_firstlineno

        class Looks:
            p = property(g)

        def f():
            x = g()
            y = g(*(), **{"a": 1})
            z = g(
                1,
                b=2)
            u = g(*[1, 2])
            return x, y, z, u, Looks().p

        def handler(frame):
            while frame.step():
                pass
            return "done", None

        self.assertEqual(compiled(f, handler)(), f())

    def test_frames_below_are_offered(self):
        def g(x):
            return x + 1

        def h(x):
            return g(x) * 2

        def f(x):
            return h(x)

        seen = []

        def handler(frame):
            seen.append(frame.function.__name__)
            return "finish", None

        self.assertEqual(compiled(f, handler, {g, h})(1), 4)
        self.assertEqual(seen, ["f", "h", "g"])
        seen.clear()
        self.assertEqual(compiled(f, handler)(1), 4)
        self.assertEqual(seen, ["f"])

    def test_a_debugger_that_comes_in_sees_the_rest(self):
        def come_in():
            def trace(frame, event, argument):
                events.append((frame.f_code.co_name, frame.f_code is f.__code__, event, frame.f_lineno))
                return trace

            sys.settrace(trace)
            sys._getframe(1).f_trace = trace

        def below(v):
            return v

        def f(x):
            y = x
            come_in()
            y += 1
            z = below(y)
            sys.settrace(None)
            return y, z

        def handler(frame):
            while frame.step():
                pass
            return "done", None

        for target in (f, compiled(f, handler), compiled(f, lambda frame: ("finish", None))):
            events = []
            self.assertEqual(target(1), (2, 2))
            if target is f:
                plain = events
                self.assertGreater(len(plain), 5)
            self.assertEqual(events, plain)

    def test_a_signal_interrupts(self):
        def interrupt(*_):
            raise TimeoutError

        def f(log):
            n = 0
            try:
                while True:
                    n += abs(1)
            finally:
                log.append(n > 0)

        frames.mark(f.__code__)
        kept = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, kept)
        self.addCleanup(frames.offer, 0)
        log = []
        for mode in (0, 1, 2):
            frames.offer(mode)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaises(TimeoutError):
                f(log)
        self.assertEqual(log, [True] * 3)

    def test_recursion_is_counted(self):
        def f(n):
            return f(n + 1)

        frames.mark(f.__code__)
        frames.offer(2)
        self.addCleanup(frames.offer, 0)
        with self.assertRaises(RecursionError):
            f(0)

    def test_deep_recursion_below_does_not_exhaust_the_stack(self):
        def down(n):
            return 0 if n == 0 else 1 + down(n - 1)

        def f(n):
            return down(n)

        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(60_000)
        self.addCleanup(sys.setrecursionlimit, limit)
        target = compiled(f, lambda frame: ("finish", None), {down})
        self.assertEqual(target(50_000), 50_000)
        self.assertEqual(compiled(f, lambda frame: ("finish", None), {int})(50_000), 50_000)


if __name__ == "__main__":
    unittest.main()
