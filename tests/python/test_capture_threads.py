"""Many threads call and capture the same compiled functions at once, with switches as often as they can be."""
import importlib
import sys
import threading
import time

import frit


def use(library):
    """The programs compute with its tensors from here on."""
    global T, Layer
    T = library

    class Layer(T.nn.Module):
        def __init__(self, n):
            super().__init__()
            self.weight = T.nn.Parameter(T.full((n,), 2.0))
            self.calls = 0
            self.table = {"a": 1}

        def forward(self, x, log=None):
            y = x * self.weight + self.table["a"]
            if log is not None:
                log.append(y.sum())
            return y


use(frit)


def loop(layers, x, n):
    seen = []
    for i in range(n):
        for layer in layers:
            x = layer(x, seen)
        x = x / 2 if i % 2 else x + i
    return x, [s.item() for s in seen]


def broken(layers, x, n):
    x = layers[0](x)
    try:
        if x.sum().item() > n:
            raise ValueError(n)
        x = x * 2
    except ValueError as e:
        x = x + e.args[0]
    finally:
        x = x.neg()
    return [x for _ in range(2)], sorted({"b": 1, "a": 2})


def closures(layers, x, n):
    total = T.zeros(x.shape[0])

    def add(v):
        nonlocal total
        total = total + v
        return lambda: total * n
    for layer in layers:
        f = add(layer(x))
    return f(), {k: v for k, v in zip("abc", range(n))}


def described(o):
    if isinstance(o, T.Tensor):
        return o.tolist()
    if isinstance(o, (list, tuple)):
        return [described(x) for x in o]
    return o


def run(seconds, threads, functions, make_compiled, shared):
    failures, calls = [], [0] * threads
    sizes = [2, 3, 5, 1]
    compiled = [make_compiled(f) for f in functions]
    shared_layers = [[Layer(n) for _ in range(2)] for n in sizes]
    until = time.monotonic() + seconds

    def work(t):
        own = [[Layer(n) for _ in range(2)] for n in sizes]
        i = t
        while time.monotonic() < until and not failures:
            k, s = i % len(functions), i // 3 % len(sizes)
            layers = (shared_layers if shared else own)[s]
            n = i % 5
            try:
                x = T.full((sizes[s],), float(i % 7))
                given = described(compiled[k](layers, x, n))
                wanted = described(functions[k](layers, x, n))
                if given != wanted:
                    failures.append((functions[k].__name__, given, wanted))
                if i % 97 == 0:
                    frit.compiler.reset()
                if i % 31 == 0:
                    own[s] = [Layer(sizes[s]) for _ in range(2)]
            except Exception as e:
                failures.append((functions[k].__name__, repr(e)))
                raise
            calls[t] += 1
            i += 1
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work, args=(t,)) for t in range(threads)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
    finally:
        sys.setswitchinterval(interval)
    return failures, sum(calls)


def capture_and_call(seconds, threads):
    functions = (loop, broken, closures)
    for shared in (True, False):
        failures, calls = run(seconds / 2, threads, functions,
                              lambda f: frit.compile(f, backend="eager", options={"recompile_limit": 64}), shared)
        assert not failures, failures[0]
        assert calls > threads


if __name__ == "__main__":
    if len(sys.argv) > 3:
        use(importlib.import_module(sys.argv[3]))
    capture_and_call(float(sys.argv[1]), int(sys.argv[2]))
    sys.exit()

import pytest  # noqa: E402  what is above runs without it


@pytest.fixture(params=("frit", "torch"), autouse=True)
def library(request):
    use(pytest.importorskip(request.param))
    yield
    use(frit)


def test_many_threads_capture_and_call():
    capture_and_call(2.5, 8)


def test_many_threads_over_generated_code():
    failures, calls = run(1, 6, (closures, broken), lambda f: frit.compile(f, options={"recompile_limit": 64}), True)
    assert not failures, failures[0]
    assert calls > 6
