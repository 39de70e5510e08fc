"""Random changes of everything a compiled function has looked at: no change may be missed at the next call.

    python guard_fuzz.py [--steps 200000] [--seed 1] [--watch watchers|tags|none]

After each change the compiled function is called and compared with plain Python. Beside it each check of guards is
done in full, too: `missed` counts guards that held although one of them did not, and must be 0.
"""
import argparse
import collections
import gc
import random
import sys
import time
import types

import frit
from frit import _C


class Module:
    flag = True

    def __init__(self):
        self.training = True
        self._parameters, self._modules = {}, {}
        self._hooks = collections.OrderedDict()

    def __getattr__(self, name):
        for table in ("_parameters", "_modules"):
            found = self.__dict__.get(table)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(name)

    def helper(self):
        return 1

    def read(self, out):
        out.append(self.helper() if self.training else -1)
        if self.flag:
            out.append(self.__dict__.get("scale", 0) == 3)
        for name, p in self._parameters.items():
            out.append((name, None if p is None else (p.shape[0], p.requires_grad)))
        if self._hooks:
            out.append(list(self._hooks))
        for name in self._modules:
            m = self._modules[name]
            if m is not None:
                m.read(out)


class Linear(Module):
    def __init__(self, n=2):
        super().__init__()
        self._parameters = {"weight": parameter(n), "bias": parameter(n)}
        self.scale, self.steps, self.cache = 3, 0, {}


class Linear2(Linear):
    pass


class Lists(Module):
    def __init__(self):
        super().__init__()
        self.items, self.config, self.slotted = [1, Linear(), 3], Plain(1, 2), Slotted(4)

    def read(self, out):
        super().read(out)
        for x in self.items:
            if isinstance(x, Module):
                x.read(out)
            else:
                out.append(x == 1)
        c = self.config
        out.append((c.a == 1, getattr(c, "c", None) == 2, type(c) is Plain))
        out.append(self.slotted.v == 4)


class Plain:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Plain2(Plain):
    c = 5


class Slotted:
    __slots__ = ("v", "__weakref__")

    def __init__(self, v):
        self.v = v


CLASSES = (Module, Linear, Linear2, Lists, Plain, Plain2)
BASE = {c: dict(c.__dict__) for c in CLASSES}
ACT, EPS = 1, 2


def parameter(n):
    return frit.ones(n)


def make_function():
    cell = 5

    def function(a, b=1, *, kw=2):
        return (a, b, kw, cell)

    def set_cell(x):
        nonlocal cell
        cell = x
    return function, set_cell


function, set_cell = make_function()
CODES = [function.__code__, make_function()[0].__code__.replace(co_firstlineno=7, co_name="other")]


def program(root, x):
    out = [ACT == 1, globals().get("EPS", 0) == 2]
    a = function(0)
    out.append((a[1] == 1, a[2] == 2, a[3] == 5))
    root.read(out)
    return x * len(out), out


def fresh():
    root = Module()
    root._modules = {"0": Linear(), "1": Linear(3), "2": Lists()}
    root._modules["0"]._modules["in"] = Linear(1)
    return root


def modules(root):
    seen, todo = {}, [root]
    while todo:
        m = todo.pop()
        if not isinstance(m, Module) or id(m) in seen:
            continue
        seen[id(m)] = m
        d = m.__dict__
        todo += [x for x in (d.get("_modules") or {}).values()]
        todo += [x for x in (d.get("items") or ()) if isinstance(x, Module)]
    return list(seen.values())


class Changes:
    """Each method that ends in no underscore is one change, at random; some remember how to undo it."""

    def __init__(self, rnd):
        self.rnd, self.undo = rnd, []
        self.menu = [getattr(self, n) for n in dir(type(self)) if n.startswith("do_")]

    def step(self, root):
        self.root = root
        if self.undo and self.rnd.random() < .45:
            self.undo.pop(self.rnd.randrange(len(self.undo)))()
            return "undo"
        change = self.rnd.choice(self.menu)
        m = self.rnd.choice(modules(root))
        try:
            change(m)
        except (KeyError, AttributeError, TypeError, IndexError, StopIteration):
            pass
        del self.undo[:-12]
        return change.__name__

    def value(self):
        return self.rnd.choice((1, 2, 3, 4, 3.0, True, None, "s", 70001, (1, 2)))

    def keep_item(self, d, key):
        if key in d:
            old = d[key]
            self.undo.append(lambda: d.__setitem__(key, old))
        else:
            self.undo.append(lambda: d.pop(key, None))

    def do_nothing(self, m):
        pass

    def do_training(self, m):
        old = m.__dict__.get("training", True)
        m.training = self.rnd.random() < .5
        self.undo.append(lambda: setattr(m, "training", old))

    def do_same_training(self, m):
        m.training = m.__dict__.get("training", True)

    def do_all_eval(self, m):
        for x in modules(self.root):
            x.__dict__["training"] = False
        self.undo.append(lambda: [x.__dict__.__setitem__("training", True) for x in modules(self.root)])

    def do_scale(self, m):
        self.keep_item(m.__dict__, "scale")
        m.scale = self.value()

    def do_delete_scale(self, m):
        self.keep_item(m.__dict__, "scale")
        del m.scale

    def do_count(self, m):
        m.steps = m.__dict__.get("steps", 0) + 1

    def do_cache(self, m):
        m.__dict__.setdefault("cache", {})[self.rnd.randrange(99)] = m.training

    def do_unrelated(self, m):
        setattr(m, "u%d" % self.rnd.randrange(40), 1)

    def do_parameter(self, m):
        self.keep_item(m._parameters, "weight")
        m._parameters["weight"] = self.rnd.choice((parameter(2), parameter(3), None))

    def do_parameter_of_one_address(self, m):
        m._parameters["weight"] = None
        m._parameters["weight"] = parameter(self.rnd.choice((2, 2, 5)))

    def do_parameter_requires_grad(self, m):
        p = m._parameters["weight"]
        old = p.requires_grad
        p.requires_grad_(not old)
        self.undo.append(lambda: p.requires_grad_(old))

    def do_parameter_data(self, m):
        p = m._parameters["bias"]
        old = p.data
        p.data = frit.zeros(self.rnd.choice((1, 2, 4)))
        self.undo.append(lambda: setattr(p, "data", old))

    def do_parameter_order(self, m):
        d = m._parameters
        key = self.rnd.choice(list(d))
        d[key] = d.pop(key)

    def do_parameter_dict(self, m):
        old = m._parameters
        m._parameters = self.rnd.choice((dict, collections.OrderedDict))(old)
        self.undo.append(lambda: setattr(m, "_parameters", old))

    def do_parameters_other(self, m):
        d = m._parameters
        self.rnd.choice((lambda: d.update(q=None), lambda: d.setdefault("q", None), lambda: d.popitem(), d.clear,
                         lambda: d.__ior__({"r": None}), lambda: d.update(weight=parameter(2), bias=None),
                         lambda: d.pop("q"), lambda: d.pop("r")))()

    def do_submodule(self, m):
        d = m._modules
        key = self.rnd.choice(list(d))
        if m is self.root and key == "2":
            return
        self.keep_item(d, key)
        d[key] = self.rnd.choice((Linear(), Linear2(3), None))

    def do_submodule_order(self, m):
        d = m._modules
        key = self.rnd.choice(list(d))
        d[key] = d.pop(key)

    def do_hook(self, m):
        h = m._hooks
        self.rnd.choice((lambda: h.__setitem__(self.rnd.randrange(4), None), lambda: h.pop(self.rnd.randrange(4)),
                         h.clear, lambda: h.move_to_end(next(iter(h))), h.popitem))()

    def do_method_on_instance(self, m):
        m.__dict__["helper"] = self.rnd.choice((lambda: 5, lambda: 6))
        self.undo.append(lambda: m.__dict__.pop("helper", None))

    def do_class(self, m):
        if type(m) in (Linear, Linear2):
            old = type(m)
            self.rnd.choice((lambda c: setattr(m, "__class__", c),
                             lambda c: object.__setattr__(m, "__class__", c)))(self.rnd.choice((Linear, Linear2)))
            self.undo.append(lambda: setattr(m, "__class__", old))

    def do_class_attribute(self, m):
        c = self.rnd.choice(CLASSES[:4])
        name = self.rnd.choice(("helper", "flag", "counter", "other"))
        if name == "helper":
            setattr(c, name, self.rnd.choice((lambda self: 1, lambda self: 8)))
        else:
            setattr(c, name, self.rnd.choice((0, 1, 2)))
        self.undo.append(lambda: self.restore(c))

    def do_class_counter(self, m):
        Module.counter = getattr(Module, "counter", 0) + 1

    def do_plain_class_attribute(self, m):
        Plain.c = self.value()
        self.undo.append(lambda: self.restore(Plain))

    def do_bases(self, m):
        class Other(Linear):
            def helper(self):
                return 9
        Linear2.__bases__ = (Other,) if self.rnd.random() < .5 else (Linear,)
        self.undo.append(lambda: setattr(Linear2, "__bases__", (Linear,)))

    def restore(self, c):
        for name in list(c.__dict__):
            if name not in BASE[c]:
                delattr(c, name)
            elif c.__dict__[name] is not BASE[c][name] and not name.startswith("__"):
                setattr(c, name, BASE[c][name])

    def do_dict(self, m):
        old = m.__dict__
        m.__dict__ = dict(old, training=self.rnd.random() < .5)
        self.undo.append(lambda: setattr(m, "__dict__", old))

    def do_dict_of_object(self, m):
        object.__setattr__(m, "__dict__", dict(m.__dict__))

    def do_dict_clear(self, m):
        old = dict(m.__dict__)
        m.__dict__.clear()
        m.__dict__.update(old)

    def do_dict_popitem(self, m):
        k, v = m.__dict__.popitem()
        self.undo.append(lambda: m.__dict__.__setitem__(k, v))

    def lists(self):
        return next(m for m in modules(self.root) if type(m) is Lists)

    def do_list(self, _):
        m = self.lists()
        old = list(m.items)
        self.rnd.choice((lambda: m.items.append(self.value()), m.items.reverse, lambda: m.items.pop(0),
                         lambda: m.items.__setitem__(1, Linear(3)), lambda: setattr(m, "items", list(m.items)),
                         lambda: setattr(m, "items", tuple(m.items)), lambda: m.items.__setitem__(0, self.value()),
                         lambda: m.items.__delitem__(slice(4, None))))()
        self.undo.append(lambda: setattr(m, "items", old))

    def do_config(self, _):
        c = self.lists().config
        name = self.rnd.choice("abcd")
        self.keep_item(c.__dict__, name)
        self.rnd.choice((lambda: setattr(c, name, self.value()), lambda: delattr(c, name),
                         lambda: vars(c).__setitem__(name, self.value())))()

    def do_config_new(self, _):
        m = self.lists()
        old = m.config
        m.config = self.rnd.choice((Plain(1, 2), Plain2(1, 2), Plain(3, 4)))
        self.undo.append(lambda: setattr(m, "config", old))

    def do_config_class(self, _):
        c = self.lists().config
        c.__class__ = self.rnd.choice((Plain, Plain2))
        self.undo.append(lambda: setattr(c, "__class__", Plain))

    def do_slot(self, _):
        s = self.lists().slotted
        old = s.v
        s.v = self.value()
        self.undo.append(lambda: setattr(s, "v", old))

    def do_slotted(self, _):
        self.lists().slotted = Slotted(4)

    def do_global(self, _):
        name = self.rnd.choice(("ACT", "EPS", "other", "n%d" % self.rnd.randrange(30)))
        if name not in ("ACT", "EPS"):
            globals()[name] = self.value()
            return
        self.keep_item(globals(), name)
        self.rnd.choice((lambda: globals().__setitem__(name, self.value()), lambda: exec(f"{name} = 1", globals()),
                         lambda: globals().pop("EPS", None)))()
        self.undo.append(lambda: globals().update(ACT=1, EPS=2))

    def do_function(self, _):
        def back():
            set_cell(5)
            function.__defaults__, function.__kwdefaults__, function.__code__ = (1,), {"kw": 2}, CODES[0]
        self.undo.append(back)
        self.rnd.choice((lambda: set_cell(self.value()), lambda: setattr(function, "__defaults__", (self.value(),)),
                         lambda: setattr(function, "__kwdefaults__", {"kw": self.value()}),
                         lambda: function.__kwdefaults__.update(kw=self.value()),
                         lambda: setattr(function, "__code__", self.rnd.choice(CODES))))()

    def do_collect(self, _):
        if self.rnd.random() < .1:
            gc.collect()

    def do_new_root(self, _):
        if self.rnd.random() < .05:
            raise NewRoot


class NewRoot(Exception):
    pass


def plain_result(f, *args):
    try:
        x, out = f(*args)
        return x.tolist(), out
    except Exception as e:
        return type(e).__name__, str(e)


def run(steps, seed, watch="watchers", say=print):
    """(changes missed by guards, results that differ from plain Python, what was done)."""
    _C._watch_guards(watch)
    _C._verify_guards(True)
    rnd = random.Random(seed)
    changes = Changes(rnd)
    x = frit.ones(2)
    root = fresh()
    compiled = frit.compile(program, backend="eager", options={"recompile_limit": 10})
    differ, captured = 0, 0
    done = collections.Counter()
    try:
        for step in range(steps):
            if step % 60 == 0:
                if step % 600 == 0:
                    root = fresh()
                    changes.undo.clear()
                    globals().update(ACT=1, EPS=2)
                    for c in CLASSES:
                        changes.restore(c)
                captured += len(_C._explain(compiled)["entries"])
                _C._reset(compiled)
            try:
                what = changes.step(root)
            except NewRoot:
                root, what = fresh(), "do_new_root"
                changes.undo.clear()
            done[what] += 1
            missed = _C._verified_guards()["missed"]
            got, wanted = plain_result(compiled, root, x), plain_result(program, root, x)
            if got != wanted or _C._verified_guards()["missed"] != missed:
                differ += got != wanted
                say(f"seed {seed}, step {step}, after {what}: given {got}, expected {wanted}")
            if rnd.random() < .3:
                plain_result(compiled, root, x)
    finally:
        found = _C._verified_guards()
        _C._verify_guards(False)
        _C._watch_guards("watchers")
        for c in CLASSES:
            changes.restore(c)
        Linear2.__bases__ = (Linear,)
    found["captured"] = captured
    return found["missed"], differ, found, done


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=200000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--watch", default="watchers")
    a = p.parse_args()
    begin = time.time()
    missed, differ, found, done = run(a.steps, a.seed, a.watch)
    print(f"Python {sys.version.split()[0]}, {a.watch}, seed {a.seed}: {a.steps} changes in {time.time() - begin:.0f} s: "
          f"{missed} missed, {differ} results differ; {found}")
    print("  " + ", ".join(f"{k[3:]} {v}" for k, v in sorted(done.items())))
    sys.exit(bool(missed or differ))
