"""Random Python programs, plain beside compiled: after each call everything that can be reached is compared. A
program that differs is made small; at the end comes what the programs reached.

    python capture_fuzz.py [--programs N] [--seed S] [--backend frit] [--show] [--whole]
    python capture_fuzz.py --sabotage [--programs N] [--fault NAME]     how many programs find each planted fault
                                                                        (a build with FRIT_FAULTS)
"""
import argparse
import collections
import dis
import os
import random
import re
import signal
import subprocess
import sys
import traceback
import types
import warnings

import frit
from capture_programs import Box, Keep, Maker, world
from capture_shrink import shrink

SECONDS = 60  # for one program


def plain(o, seen=None, gradient=False):
    seen = {} if seen is None else seen
    if isinstance(o, (int, float, str, type(None))):
        return (type(o).__name__, repr(o))
    if not isinstance(o, tuple):  # which may be one object or several: nothing but `is` could tell
        if id(o) in seen:
            return ("again", seen[id(o)])
        seen[id(o)] = len(seen)
    if isinstance(o, frit.Tensor):
        return (str(o.dtype), tuple(o.shape), o.requires_grad, 0 if gradient else o._version,
                [f"{v:.4g}" for v in o.detach().flatten().tolist()], plain(o.grad, seen, True) if o.is_leaf else None)
    if isinstance(o, dict):
        return [(plain(k, seen), plain(v, seen)) for k, v in o.items() if not isinstance(k, str) or not k.startswith("__")]
    if isinstance(o, (list, tuple)):
        return [type(o).__name__] + [plain(v, seen) for v in o]
    if isinstance(o, set):
        return sorted(o)
    if isinstance(o, types.FunctionType):
        return "function"
    if isinstance(o, (Box, Keep)):
        return plain(vars(o), seen)
    return type(o).__name__


def play(source, seed, backend=None, calls=None):
    """What each call leaves; `calls`: the indices of those that are made, None: all."""
    space, runs, state = world(seed)
    file = f"<program {seed}>"
    exec(compile(source, file, "exec"), space)
    f = space["f"]
    if backend:
        f = frit.compile(f, backend=backend, options={"recompile_limit": 12})
    seen = []
    for i, run in enumerate(runs):
        if calls is not None and i not in calls:
            continue
        args = run()
        try:
            made = f(*args)
            result = ("returned", plain(made))
            if i % 2 and made[0].requires_grad:  # gradients go back through what was compiled
                made[0].sum().backward()
        except Exception as e:
            lines = [(s.name, s.lineno) for s in traceback.extract_tb(e.__traceback__) if s.filename == file]
            text = str(e)
            if text.startswith("[backward]"):  # a compiled node knows the forward line
                text = re.sub(r" \(<program \d+>:\d+ in \w+\)", "", text.split("\n")[0])
                text = re.sub(r"which is output \d+ of \w+", "which is an output", text)  # and has a name of its own
            result = ("raised", type(e).__name__, text, lines, type(e.__context__).__name__)
        result += (repr(sys.exc_info()[1]),)
        seen.append((result, plain(args), plain(state[:-1]), state[-1]["G"]))
    return seen, f


def difference(source, seed, backend, calls=None):
    """The first call that differs with what it left on both sides, and the compiled function."""
    want, _ = play(source, seed, calls=calls)
    got, f = play(source, seed, backend, calls)
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            return (i, a, b), f
    return None, f


def compare(seed, backend):
    source = Maker(random.Random(seed)).source()
    found, f = difference(source, seed, backend)
    return source, *(found or (None, None, None)), f


def made_small(source, seed, backend):
    """The program, and the calls, that still differ."""
    def differs(source, calls=None):
        try:
            return difference(source, seed, backend, calls)[0] is not None
        except Exception:  # no program any more
            return False

    calls = list(range(6))
    for i in range(6):
        fewer = [c for c in calls if c != i]
        if fewer and differs(source, fewer):
            calls = fewer
    return shrink(source, lambda s: differs(s, calls)), calls


class Reached:
    """What the programs came to."""

    def __init__(self):
        self.statements, self.opcodes, self.effects, self.kinds = (collections.Counter() for _ in range(4))
        self.counts = collections.Counter()

    def add(self, maker, source, f):
        self.statements.update(maker.kinds)
        work = [compile(source, "<program>", "exec").co_consts[0]]
        while work:
            code = work.pop()
            self.opcodes.update({i.opname for i in dis.get_instructions(code)})
            work += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        found = frit._C._explain(f)
        self.counts["programs"] += 1
        self.counts["entries"] += len(found["entries"])
        for e in found["entries"]:
            self.counts["runs of them"] += e["runs"]
            for kind in e["effects"]:
                self.effects[kind] += e["runs"]
        self.counts["breaks"] += len(found["breaks"])
        self.kinds.update(b["kind"] for b in found["breaks"])
        self.counts["plain calls"] += found["plain_calls"]

    def text(self):
        def table(what, counter):
            return f"  {what}: " + ", ".join(f"{k} {n}" for k, n in counter.most_common())
        return "\n".join([table("statements", self.statements), table("opcodes, by programs", self.opcodes),
                          table("effects, done again by entries", self.effects), table("breaks", self.kinds),
                          ", ".join(f"{n} {what}" for what, n in self.counts.items())])


def sabotage(args):
    """Each fault in a process of its own: a crash finds it, too."""
    faults = frit._C._faults()
    if not faults:
        print("this build has no faults to plant: configure it with -DFRIT_FAULTS=ON")
        return 1
    missed = 0
    for name, what in faults:
        if args.fault not in (None, name):
            continue
        command = [sys.executable, __file__, "--programs", str(args.programs), "--seed", str(args.seed), "--backend",
                   args.backend, "--first", "--whole"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FRIT_PYTHON_FAULT": name})
        seeds = re.findall(r"^(?:program )?(\d+)(?:: call|$)", done.stdout, re.M)
        found = done.returncode != 0
        missed += not found
        after = f"found by program {int(seeds[-1]) - args.seed + 1}" if found and seeds else "NOT FOUND"
        crash = f" (exit code {done.returncode})" if done.returncode not in (0, 1) else ""
        print(f"{name:24} {after}{crash}: {what}", flush=True)
    return 1 if missed else 0


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--programs", type=int, default=300)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--backend", default="aot_eager")
    p.add_argument("--show", action="store_true", help="each program and what became of it")
    p.add_argument("--whole", action="store_true", help="programs that differ are not made small")
    p.add_argument("--first", action="store_true", help="stop at the first that differs; says which one runs")
    p.add_argument("--sabotage", action="store_true")
    p.add_argument("--fault")
    args = p.parse_args()
    warnings.simplefilter("ignore")
    if args.sabotage:
        return sabotage(args)
    reached = Reached()
    wrong = 0
    for seed in range(args.seed, args.seed + args.programs):
        if args.first:
            print(seed, flush=True)
        signal.alarm(SECONDS)
        maker = Maker(random.Random(seed))
        source = maker.source()
        found, f = difference(source, seed, args.backend)
        reached.add(maker, source, f)
        if args.show:
            print(source)
            print(frit.compiler.Explanation(frit._C._explain(f), None))
        if not found:
            continue
        wrong += 1
        at, a, b = found
        print(f"program {seed}: call {at} differs", flush=True)
        calls = None
        if not args.whole:
            signal.alarm(0)
            source, calls = made_small(source, seed, args.backend)
            (at, a, b), f = difference(source, seed, args.backend, calls) if difference(
                source, seed, args.backend, calls)[0] else (found, f)
            print(f"made small, with the calls {calls}:")
        print(source)
        for what, x, y in zip(("result", "arguments", "state", "global"), a, b):
            if x != y:
                print(f"{what}\n  plain:    {x}\n  compiled: {y}", flush=True)
        if args.show:
            print(frit.compiler.Explanation(frit._C._explain(f), None))
        if args.first or wrong >= 5:
            break
    print(reached.text())
    print(f"{wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
