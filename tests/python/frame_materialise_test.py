"""Frames of inlined callees made real: what an interpreter that walked several frames does when it leaves them."""

import sys
import traceback
import unittest

from frame_module import NULL, frames, slot, unit_of_call

LOG = []


def note(v):
    caller = sys._getframe(1)
    names = []
    while caller and caller.f_code.co_name != "plain_or_made":
        names.append((caller.f_code.co_name, caller.f_lineno))
        caller = caller.f_back
    LOG.append((v, names))
    if v == "raise":
        raise KeyError(v)
    return v


def innermost(a, *, key=1):
    t = [a, key]
    note(a)
    return t + [key]


def middle(a, b=2):
    c = [b]
    try:
        v = innermost(a, key=b)
    except KeyError as error:
        v = [error.args, sys.exc_info()[1] is error]
    finally:
        c.append("finally")
    return v + c


def outer(a):
    u = a
    v = middle(u)
    return v * 2


def locals_of(function, **values):
    code = function.__code__
    made = [NULL] * (len(code.co_varnames) + len(code.co_freevars) + len([c for c in code.co_cellvars if c not in code.co_varnames]))
    for name, value in values.items():
        made[slot(code, name)] = value
    return made


def call_stack(callee, *args):
    """What lies on the stack before a call of a function with positional arguments."""
    return [callee, NULL, *args] if sys.version_info >= (3, 13) else [NULL, callee, *args]


def finish(frame):
    return "finish", None


class Nested(unittest.TestCase):
    def plain(self, a):
        def plain_or_made():
            return outer(a)

        LOG.clear()
        return plain_or_made(), list(LOG)

    def made(self, a, handler):
        """outer and middle are in the middle of their calls, innermost is before note."""
        calls = [
            (outer, locals_of(outer, a=a, u=a), [], unit_of_call(outer.__code__), None),
            (middle, locals_of(middle, a=a, b=2, c=[2]), [], unit_of_call(middle.__code__), None),
            (innermost, locals_of(innermost, a=a, key=2, t=[a, 2]), call_stack(note, a),
             unit_of_call(innermost.__code__), None),
        ]

        def plain_or_made():
            return frames.materialise(calls, handler)

        LOG.clear()
        return plain_or_made(), list(LOG)

    def step_all(self, frame):
        while frame.step():
            pass
        return "done", None

    def test_three_deep(self):
        for a in (1, "x"):
            self.assertEqual(self.made(a, finish), self.plain(a))
            self.assertEqual(self.made(a, self.step_all)[0], self.plain(a)[0])

    def test_an_exception_in_the_innermost_is_caught_in_the_middle(self):
        self.assertEqual(self.made("raise", finish), self.plain("raise"))

    def test_traceback_through_all(self):
        def traces(call):
            try:
                call()
            except TypeError as error:
                return [(s.name, s.lineno, s.colno) for s in traceback.extract_tb(error.__traceback__)
                        if s.name in ("outer", "middle", "innermost", "note")]

        class Bad(list):
            def __radd__(self, other):
                raise TypeError

        plain = traces(lambda: outer.__wrapped__(None) if hasattr(outer, "__wrapped__") else self.plain_bad())
        made = traces(self.made_bad)
        self.assertEqual(made, plain)

    def plain_bad(self):
        global note
        kept = note
        try:
            note = None
            return outer(1)
        finally:
            note = kept

    def made_bad(self):
        a = 1
        calls = [
            (outer, locals_of(outer, a=a, u=a), [], unit_of_call(outer.__code__), None),
            (middle, locals_of(middle, a=a, b=2, c=[2]), [], unit_of_call(middle.__code__), None),
            (innermost, locals_of(innermost, a=a, key=2, t=[a, 2]), call_stack(None, a),
             unit_of_call(innermost.__code__), None),
        ]
        return frames.materialise(calls, finish)

    def test_within_an_except_block(self):
        """The caller's handler, entered by the interpreter alone, is in the middle of a call."""

        def inner():
            seen.append(sys.exc_info()[1])
            return 1

        def caller():
            try:
                raise KeyError(1)
            except KeyError:
                x = inner()
            return x, sys.exc_info()[1]

        seen = []
        exception = KeyError(1)
        calls = [
            (caller, locals_of(caller, inner=caller.__closure__[0]), [None, exception], unit_of_call(caller.__code__, nth=1), exception),
            (inner, locals_of(inner, seen=inner.__closure__[0]), [],
             [i[0] for i in frames.instructions(inner.__code__) if i[6]][0], None),
        ]
        # caller's stack in its handler: the exception handled before (None), and, popped before the call, its own
        calls[0] = (calls[0][0], calls[0][1], [None], calls[0][3], exception)
        self.assertEqual(frames.materialise(calls, finish), (1, None))
        self.assertEqual(seen, [exception])
        self.assertEqual(sys.exc_info(), (None, None, None))

    def test_closures_and_cells(self):
        def make(n):
            total = 0

            def add(v):
                nonlocal total
                total += v
                return total + n

            def caller(v):
                w = add(v)
                return w, (lambda: w)()

            return add, caller

        add, caller = make(10)
        cell = type(add.__closure__[0])
        names = caller.__code__.co_freevars
        w = cell()
        first = [i[0] for i in frames.instructions(add.__code__) if i[6]][0]
        calls = [
            (caller, locals_of(caller, v=5, w=w, add=caller.__closure__[names.index("add")]), [],
             unit_of_call(caller.__code__), None),
            (add, locals_of(add, v=5, n=add.__closure__[0], total=add.__closure__[1]), [], first, None),
        ]
        self.assertEqual(frames.materialise(calls, finish), (15, 15))
        self.assertEqual(caller(1), (16, 16))


if __name__ == "__main__":
    unittest.main()
