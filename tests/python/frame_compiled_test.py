"""The object that `compile` returns: everything about it but its call is the function's."""

import copy
import functools
import gc
import inspect
import pickle
import subprocess
import sys
import textwrap
import threading
import unittest
import warnings
import weakref

from frame_module import frames

TAKEN = []


def take(frame):
    TAKEN.append(frame.function)
    return "finish", None


def rebuild(function, options=None):
    return frames.compiled(function, take, rebuild)


def documented(a, b: int = 2, *rest, key=None, **named) -> str:
    """What it does."""
    return a, b, rest, key, named


by_name = rebuild(documented)
by_name.__qualname__ = by_name.__name__ = "by_name"
unnamed = rebuild(documented)


class Holder:
    def __init__(self, value):
        self.value = value

    @rebuild
    def method(self, x=1):
        return self, x

    def plain(self):
        return self.value


class AsTheFunction(unittest.TestCase):
    def test_attributes(self):
        f = rebuild(documented)
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__defaults__", "__kwdefaults__",
                     "__code__", "__globals__"):
            self.assertEqual(getattr(f, name), getattr(documented, name), name)
        self.assertIs(f.__wrapped__, documented)
        self.assertEqual(inspect.signature(f), inspect.signature(documented))
        self.assertEqual(inspect.signature(Holder(1).method), inspect.signature(Holder(1).method.__func__.__wrapped__.__get__(1)))
        self.assertEqual(inspect.getdoc(f), "What it does.")
        self.assertIn("documented", repr(f))
        self.assertTrue(callable(f))
        with self.assertRaisesRegex(AttributeError, "missing"):
            f.missing
        f.extra = 1
        self.assertEqual(f.extra, 1)
        self.assertFalse(hasattr(documented, "extra"))
        wrapped = functools.wraps(f)(lambda: 0)
        self.assertEqual(wrapped.__name__, "documented")

    def test_calls(self):
        f = rebuild(documented)
        TAKEN.clear()
        self.assertEqual(f(1), documented(1))
        self.assertEqual(f(1, 2, 3, key=4, other=5), documented(1, 2, 3, key=4, other=5))
        self.assertEqual(f(*[1, 2], **{"b2": 3}), documented(1, 2, b2=3))
        self.assertEqual(TAKEN, [documented] * 3)
        for wrong in (lambda g: g(), lambda g: g(1, a=2)):
            with self.assertRaises(TypeError) as ours:
                wrong(f)
            with self.assertRaises(TypeError) as plain:
                wrong(documented)
            self.assertEqual(str(ours.exception), str(plain.exception))
        self.assertEqual(documented(1), (1, 2, (), None, {}))  # nothing is left waiting
        self.assertEqual(len(TAKEN), 3)
        with self.assertRaisesRegex(TypeError, r"\[compile\] given int, expected a callable"):
            rebuild(1)

    def test_binding(self):
        holder = Holder(3)
        TAKEN.clear()
        self.assertEqual(holder.method(2), (holder, 2))
        self.assertEqual(Holder.method(holder), (holder, 1))
        bound = holder.method
        self.assertEqual(bound(x=5), (holder, 5))
        self.assertEqual(len(TAKEN), 3)
        self.assertIs(bound.__self__, holder)
        of_method = rebuild(holder.plain)
        self.assertEqual(of_method(), 3)
        self.assertEqual(len(TAKEN), 4)
        self.assertEqual(of_method.__name__, "plain")

    def test_other_callables_are_called_plainly(self):
        TAKEN.clear()
        for other, argument in ((len, "abc"), (functools.partial(max, 3), 2), (complex, "1j")):
            self.assertEqual(rebuild(other)(argument), other(argument))
        self.assertIs(type(rebuild(Holder)(1)), Holder)
        self.assertEqual(TAKEN, [])

    def test_pickling(self):
        self.assertIs(pickle.loads(pickle.dumps(by_name)), by_name)
        again = pickle.loads(pickle.dumps(unnamed))
        self.assertIs(again.__wrapped__, documented)
        self.assertIsNot(again, unnamed)
        self.assertEqual(again(1), documented(1))

    def test_copies(self):
        f = rebuild(documented)
        self.assertIs(copy.copy(f), f)
        self.assertIs(copy.deepcopy(f), f)
        self.assertIs(copy.deepcopy({"f": f})["f"], f)
        holder = Holder([1])
        of_method = rebuild(holder.plain)
        other = copy.deepcopy(of_method)
        holder.value.append(2)
        self.assertEqual(other(), [1])
        self.assertIs(copy.copy(of_method), of_method)

    def test_lifetime(self):
        f = rebuild(lambda: 1)
        reference = weakref.ref(f)
        f.itself = f
        del f
        gc.collect()
        self.assertIsNone(reference())

        def leaves():
            global kept
            kept = None
            return "left"

        global kept
        kept = rebuild(leaves)
        self.assertEqual(kept(), "left")


class SteppingAside(unittest.TestCase):
    """Each in a process of its own: a notice is given once."""

    def output(self, text):
        program = "import sys, warnings\nfrom frit._C import _frame_test as frames\n" + textwrap.dedent("""
            taken = []
            def take(frame):
                taken.append(frame.function.__name__)
                return "finish", None
            def f(x):
                return x + 1
            g = frames.compiled(f, take)
        """) + textwrap.dedent(text)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, [line for line in done.stderr.splitlines() if "[compile]" in line]

    def check(self, text, out, notice=None):
        stdout, stderr = self.output(text)
        self.assertEqual(stdout.split(), out.split())
        self.assertEqual(len(stderr), 1 if notice else 0, stderr)
        if notice:
            self.assertIn(notice, stderr[0])

    def test_tracing(self):
        self.check("sys.settrace(lambda *a: None); g(1); print(g(1), taken); sys.settrace(None); print(g(1), taken)",
                   "2 [] 2 ['f']", "given a call while a trace or profile function is set")

    def test_profiling(self):
        self.check("sys.setprofile(lambda *a: None); g(1); print(g(1), taken); sys.setprofile(None); print(g(1), taken)",
                   "2 [] 2 ['f']", "given a call while a trace or profile function is set")

    @unittest.skipIf(sys.version_info < (3, 12), "sys.monitoring is new in 3.12")
    def test_monitoring(self):
        self.check("""
            m = sys.monitoring
            m.use_tool_id(1, "t")
            m.set_events(1, m.events.LINE)
            print(g(1), taken)
            m.set_events(1, 0)
            print(g(1), taken)
            m.set_local_events(1, f.__code__, m.events.LINE)
            print(g(1), taken)
            m.set_local_events(1, f.__code__, 0)
            print(g(1), taken)
        """, "2 [] 2 ['f'] 2 ['f'] 2 ['f','f']".replace(",", ", "), "sys.monitoring events are on")

    def test_unknown_interpreter(self):
        self.check('''
            frames.pretend_unavailable("Python 3.14 keeps its frames in a way that is not known here")
            print(g(1), g(2), taken, g.__name__)
        ''', "2 3 [] f", "[compile] Python 3.14 keeps its frames in a way that is not known here: compiled functions run as plain "
             "Python (use CPython 3.11, 3.12 or 3.13)")

    def test_recursion(self):
        self.check("""
            def r(n):
                return 0 if n == 0 else 1 + c(n - 1)
            c = frames.compiled(r, take)
            print(c(5), taken)
            print(c(5), taken)
        """, "5 ['r'] 5 ['r', 'r']")

    def test_generators_and_coroutines(self):
        self.check("""
            def gen(n):
                yield n
            async def co(n):
                return n
            print(list(frames.compiled(gen, take)(1)), frames.compiled(gen, take) is gen, taken)
            print(frames.compiled(co, take) is co)
            g.__wrapped__.__code__ = gen.__code__
            print(list(g(4)), taken)
        """, "[1] True [] True [4] []", "[compile] given a function that makes a generator or a coroutine")

    def test_warnings_as_errors(self):
        self.check("""
            warnings.simplefilter("error")
            sys.settrace(lambda *a: None)
            try:
                g(1)
            except RuntimeWarning as error:
                print("raised")
            print(g(1))
        """, "raised 2")


class WithOthers(unittest.TestCase):
    def test_threads(self):
        """Each thread's frames go to its own handler, whatever the others do meanwhile."""
        failed = []

        def work(k):
            mine = []

            def handler(frame):
                mine.append(frame.locals[0])
                return "finish", None

            def f(x):
                return sorted([x, k], key=lambda v: v)

            target = frames.compiled(f, handler)
            for i in range(300):
                if target(i) != sorted([i, k]):
                    failed.append((k, i))
            if mine != list(range(300)):
                failed.append((k, "taken", len(mine)))

        kept = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        self.addCleanup(sys.setswitchinterval, kept)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failed, [])

    def test_collection_before_the_frame_arrives(self):
        """Code that runs between the call and the frame is not taken for it."""
        ran = []

        class Finalised:
            def __del__(self):
                ran.append(documented(1))

        f = rebuild(documented)
        TAKEN.clear()
        threshold = gc.get_threshold()
        self.addCleanup(gc.set_threshold, *threshold)
        gc.set_threshold(1)
        for _ in range(50):
            cycle = [Finalised()]
            cycle.append(cycle)
            del cycle
            self.assertEqual(f(1, 2, 3, other=[]), documented(1, 2, 3, other=[]))
        gc.set_threshold(*threshold)
        self.assertGreater(len(ran), 0)

    def test_another_hook(self):
        """A tool's own hook stays in place, and gets every frame but the one that is taken."""
        frames.other_hook(True)
        self.addCleanup(frames.other_hook, False)

        def below(x):
            return x

        def f(x):
            return below(x)

        target = frames.compiled(f, take)
        TAKEN.clear()
        seen = frames.other_hook_count()
        self.assertEqual(target(1), 1)
        self.assertEqual(TAKEN, [f])
        self.assertGreaterEqual(frames.other_hook_count() - seen, 2)
        self.assertTrue(frames.other_hook_installed())


if __name__ == "__main__":
    unittest.main()
