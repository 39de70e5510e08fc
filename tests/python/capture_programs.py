"""Random Python programs over tensors, containers, closures and exceptions, and what they are run with."""
import collections
import random

import frit


class Box:
    shared = 1

    def __init__(self, v):
        self.v = v
        self.s = {1}
        self.p = frit.tensor([0.5]).requires_grad_()

    def bump(self, by):
        self.v = self.v + by
        return self.v

    @property
    def twice(self):
        return self.v * 2

    def __len__(self):
        return 3

    def __eq__(self, other):
        return isinstance(other, Box)

    __hash__ = None


class Other(Box):
    """In the place of a Box, at some calls."""

    def bump(self, by):
        self.v = self.v - by
        return self.v

    def __len__(self):
        return 4


class Keep:
    def __init__(self, log, hide):
        self.log, self.hide = log, hide

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append(kind.__name__ if kind else "out")
        return self.hide


class Maker:
    """One program: source text of a function f(x, y, n, xs, d, box, log)."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.depth = 0
        self.tensors = ["x", "y"]
        self.ints = ["n"]
        self.names = 0
        self.in_loop = 0
        self.functions = []
        self.budget = rng.randint(4, 18)
        self.kinds = collections.Counter()  # of statements

    def name(self, kind):
        self.names += 1
        return f"{kind}{self.names}"

    def put(self, line):
        self.lines.append("    " * (self.depth + 1) + line)

    def int_(self, deep=0):
        r = self.rng.random()
        if r < 0.35 or deep > 2:
            return self.rng.choice(self.ints)
        if r < 0.5:
            return str(self.rng.randint(-2, 4))
        if r < 0.6:
            return f"{self.rng.choice(self.tensors)}.shape[0]"
        if r < 0.68:
            return self.rng.choice(["len(xs)", "len(d)", "len(log)", "len(box)", "Box.shared", "G"])
        if r < 0.74:
            return f"d.get({self.key()}, 2)"
        op = self.rng.choice(["+", "-", "*", "//", "%", "max", "min"])
        a, b = self.int_(deep + 1), self.int_(deep + 1)
        if op in ("max", "min"):
            return f"{op}({a}, {b})"
        if op in ("//", "%"):
            return f"({a} {op} (abs({b}) + 1))"
        return f"({a} {op} {b})"

    def key(self):
        return self.rng.choice(["'a'", "'b'", "'c'", "1", "2"])

    def tensor(self, deep=0):
        r = self.rng.random()
        if r < 0.3 or deep > 2:
            return self.rng.choice(self.tensors)
        if r < 0.5:
            return f"({self.tensor(deep + 1)} {self.rng.choice('+-*')} {self.tensor(deep + 1)})"
        if r < 0.65:
            return f"({self.tensor(deep + 1)} {self.rng.choice('+-*')} {self.int_(deep + 1)})"
        if r < 0.78:
            return f"{self.tensor(deep + 1)}.{self.rng.choice(['relu()', 'abs()', 'neg()', 'sigmoid()', 'clone()'])}"
        if r < 0.82:
            return "box.v"
        if r < 0.86:
            return "box.twice"
        if r < 0.9 and self.functions:
            return f"{self.rng.choice(self.functions)}({self.tensor(deep + 1)}, {self.int_(deep + 1)})"
        if r < 0.92:
            return f"({self.tensor(deep + 1)} * box.p)"
        if r < 0.94:
            return f"pick({self.tensor(deep + 1)}, k={self.int_(deep + 1)})"
        if r < 0.97:
            return f"sum([{self.tensor(deep + 1)} for q in range({self.rng.randint(1, 3)})])"
        return f"sum({self.tensor(deep + 1)} * q for q in range({self.rng.randint(1, 3)}))"

    def condition(self):
        r = self.rng.random()
        if r < 0.4:
            return f"{self.int_()} {self.rng.choice(['<', '>', '==', '!=', '<=', '>='])} {self.int_()}"
        if r < 0.5:
            return f"{self.key()} in d"
        if r < 0.58:
            return self.rng.choice(["xs", "not xs", "box == box", "box is None", "isinstance(n, int)", "not n"])
        if r < 0.7:
            return f"{self.tensor()}.sum() > {self.rng.randint(-3, 3)}"
        if r < 0.8:
            return f"len(log) % 2 == {self.rng.randint(0, 1)}"
        return f"not ({self.condition()}) or {self.int_()}"

    def block(self, header, *before):
        for line in before:
            self.put(line)
        self.put(header)
        self.depth += 1
        tensors, ints, functions = list(self.tensors), list(self.ints), list(self.functions)
        for _ in range(self.rng.randint(1, 3)):
            self.statement()
        self.tensors, self.ints, self.functions = tensors, ints, functions
        self.depth -= 1

    def statement(self):
        self.budget -= 1
        kinds = ["tensor", "int", "effect", "effect", "inplace"]
        if self.budget > 0 and self.depth < 3:
            kinds += ["if", "for", "try", "with", "def", "while", "comprehension", "break", "read"]
        kind = self.rng.choice(kinds)
        self.kinds[kind] += 1
        if kind == "tensor":
            target = self.rng.choice(self.tensors) if self.rng.random() < 0.4 else self.name("t")
            self.put(f"{target} = {self.tensor()}")
            if target not in self.tensors:
                self.tensors.append(target)
        elif kind == "int":
            target = self.rng.choice(self.ints) if self.rng.random() < 0.5 else self.name("i")
            self.put(f"{target} = {self.int_()}")
            if target not in self.ints:
                self.ints.append(target)
        elif kind == "effect":
            self.put(self.rng.choice([
                lambda: f"xs.append({self.tensor()})",
                lambda: f"log.append({self.int_()})",
                lambda: f"d[{self.key()}] = {self.int_()}",
                lambda: f"d[{self.key()}] = {self.int_()}",
                lambda: f"d.pop({self.key()}, None)",
                lambda: f"box.v = {self.tensor()}",
                lambda: f"box.bump({self.int_()})",
                lambda: f"box.k{self.rng.randint(0, 2)} = ({self.int_()}, xs)",
                lambda: f"log.append(getattr(box, 'k{self.rng.randint(0, 2)}', 0) == 0)",
                lambda: "xs[:] = xs[-3:]",
                lambda: f"xs and xs.__setitem__(0, {self.tensor()})",
                lambda: f"log.append((f'{{n}}-{{len(xs)}}', {self.int_()}))",
                lambda: f"count({self.int_()})",
                lambda: "del log[:2]",
                lambda: f"(({self.tensor()}) * box.p).sum().backward(retain_graph=True)",
                lambda: f"(({self.tensor()}) * box.p).relu().sum().backward(retain_graph=True)",
                lambda: "box.p.grad = None",
                lambda: f"log.append(box.p.grad is None)",
                lambda: f"frit.no_grad().__enter__ and box.p.detach().sub_({self.int_()})",
                lambda: f"log.append(({self.tensor()} * box.p).requires_grad)",
                lambda: f"xs.append({self.tensor()}.detach())",
                lambda: f"log.extend([a for a in range({self.rng.randint(0, 3)})])",
                lambda: f"log.append(sorted(d, key=str))",
                lambda: f"box.s.add({self.int_()} % 5)",
                lambda: f"box.s.discard({self.int_()} % 5)",
                lambda: f"log.append({self.int_()} % 5 in box.s)",
                lambda: self.rng.choice(["xs.reverse()", "log.reverse()", "xs and xs.pop()", "log and log.pop(0)",
                                         f"xs.insert(0, {self.tensor()})", f"log.insert(1, {self.int_()})",
                                         "log[1:1] = ['a', 'b']", "log.clear()"]),
                lambda: f"hasattr(box, 'k{self.rng.randint(0, 2)}') and delattr(box, 'k{self.rng.randint(0, 2)}')",
                lambda: f"setattr(box, 'k{self.rng.randint(0, 2)}', {self.int_()})",
                lambda: f"d.setdefault({self.key()}, {self.int_()})",
                lambda: f"d.update({{{self.key()}: {self.int_()}, 'c': n}})",
                lambda: f"total[0] = total[0] + {self.tensor()}.sum()",
                lambda: f"log.append([*map(lambda a: a + {self.int_()}, range(2))])",
                lambda: f"log.append(tuple(i for i, a in enumerate(xs) if a.shape[0] > {self.int_()}))",
                lambda: f"log.append([k for k, v in d.items() if v != {self.rng.randint(0, 3)}])",
            ])())
        elif kind == "inplace":
            t = self.rng.choice(self.tensors)
            self.put(self.rng.choice([f"{t} = {t}.clone().add_({self.int_()})", f"y.add_({self.int_()})",
                                      f"{t} = {t} * 1; {t} += {self.int_()}", "y.mul_(0.5)"]))
        elif kind == "if":
            self.block(f"if {self.condition()}:")
            if self.rng.random() < 0.5:
                self.block("else:")
        elif kind == "for":
            v = self.name("q")
            over = self.rng.choice([f"range({self.rng.randint(0, 4)})", "list(d)", "xs[:2]", f"enumerate(xs[:2])",
                                    f"zip(range(2), [x, y])", f"range(abs({self.int_()}) % 4)"])
            self.in_loop += 1
            self.block(f"for {v} in {over}:")
            if self.rng.random() < 0.3:
                self.depth += 1
                self.put(f"if {self.condition()}: {self.rng.choice(['break', 'continue'])}")
                self.depth -= 1
            self.in_loop -= 1
        elif kind == "while":
            v = self.name("w")
            self.put(f"{v} = 0")
            self.put(f"while {v} < {self.rng.randint(1, 3)}:")
            self.depth += 1
            self.put(f"{v} += 1")
            self.statement()
            self.depth -= 1
        elif kind == "try":
            self.block("try:")
            self.depth += 1
            self.put(self.rng.choice(["pass", f"log.append(xs[{self.rng.randint(0, 4)}].shape[0])",
                                      f"log.append(d[{self.key()}])", f"fail({self.int_()})",
                                      "log.append(1 // (n - 2))", f"x.reshape({self.int_()}, 7)"]))
            self.depth -= 1
            self.block(f"except {self.rng.choice(['KeyError', '(KeyError, IndexError)', 'Exception'])} as e:",)
            self.depth += 1
            self.put("log.append(type(e).__name__)")
            self.depth -= 1
            if self.rng.random() < 0.4:
                self.block("finally:")
        elif kind == "with":
            self.block(self.rng.choice([f"with Keep(log, {self.rng.random() < 0.5}):", "with frit.no_grad():"]))
            if self.rng.random() < 0.2:
                self.depth += 1
                self.put(f"fail({self.int_()})")
                self.depth -= 1
        elif kind == "def":
            g = self.name("g")
            free = self.rng.choice(self.tensors)
            self.put(f"def {g}(a, b={self.int_()}):")
            self.depth += 1
            self.put("nonlocal_count[0] += 1")
            if self.rng.random() < 0.3:
                self.put("if a.sum() > 100: return a")
            self.put(f"return a * b + {free}")
            self.depth -= 1
            self.functions.append(g)
        elif kind == "comprehension":
            v = self.name("t")
            self.put(f"{v} = [{self.tensor()} * q for q in range(2) if q < {self.int_()}] + [{self.tensor()}]")
            self.put(f"{v} = {v}[-1]")
            self.tensors.append(v)
        elif kind == "break":
            self.put(self.rng.choice([f"log.append(round({self.tensor()}.sum().item(), 3))", "show(n, len(xs))",
                                      f"log.append({self.tensor()}.tolist().__len__())"]))
        elif kind == "read":
            i = self.name("i")
            self.put(f"{i} = int({self.tensor()}.sum().item()) % 5")
            self.ints.append(i)

    def source(self):
        while self.budget > 0:
            self.statement()
        results = self.rng.sample(self.tensors, min(2, len(self.tensors))) + self.rng.sample(self.ints, 1)
        head = "def f(x, y, n, xs, d, box, log, nonlocal_count):\n    total = [x.sum()]"
        return "\n".join([head, *self.lines, f"    return [{', '.join(results)}, xs, box.v, total]"])


def world(seed):
    """What a program is run with, call by call: made anew for each side, alike."""
    rng = random.Random(seed)
    out = []
    space = {"frit": frit, "Box": Box, "Keep": Keep, "G": 2}
    exec("def pick(t, k=1, *rest):\n    return t * k if k > 1 else t + k\n"
         "def fail(k):\n    if k % 3 == 0:\n        raise KeyError(k)\n"
         "def count(k):\n    global G\n    G = (G + k) % 7\n", space)
    space["show"] = lambda *args: out.append(repr(args))
    box, log, d, xs, calls = Box(frit.tensor([1.0, 2.0, 3.0])), [], {"a": 1, 2: 3}, [], [0]
    other = Other(frit.tensor([1.0])) if rng.random() < 0.3 else box

    def tensor(n):
        return frit.tensor([rng.randint(-4, 4) / 2 for _ in range(n)])
    runs = []
    n = 3
    for i in range(6):
        if rng.random() < 0.3:
            n = rng.choice([1, 2, 3, 4])
        k = rng.choice([2, 2, 2, 3, 0, 5])
        def call(n=n, k=k, i=i, ts=(tensor(n), tensor(n), tensor(n)), box=other if i in (2, 4) else box):
            box.v = ts[2]
            if i == 3:
                xs.clear()
                d["b"] = 5
            xs[:] = [x for x in xs if x.shape[0] == n][:2]
            return (ts[0], ts[1], k, xs, d, box, log, calls)
        runs.append(call)
    return space, runs, (box, log, d, xs, calls, other, out, space)
