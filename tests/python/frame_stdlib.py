"""CPython's own tests, run plainly, under a hook that only passes frames on, and with their functions stepped.

    frame_stdlib.py [--also captured] [MODULE...]      all three, each module in a process of its own, compared; exit code 1 if
                                                a test ends otherwise than the golden list says
    frame_stdlib.py --mode plain|passed|stepped|captured MODULE      one run: prints its outcomes

captured: every function is offered to capture, as if it had been given to frit.compile.
"""

import argparse
import gc
import importlib
import io
import json
import pathlib
import subprocess
import sys
import time
import types
import unittest
import warnings

from frame_module import frames


def codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def functions(namespace, seen):
    for value in list(namespace.values()):
        if isinstance(value, (staticmethod, classmethod)):
            value = value.__func__
        if isinstance(value, property):
            yield from (f for f in (value.fget, value.fset, value.fdel) if isinstance(f, types.FunctionType))
        if isinstance(value, types.FunctionType):
            yield value
        elif isinstance(value, type) and id(value) not in seen:
            seen.add(id(value))
            yield from functions(vars(value), seen)


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.outcomes = {}

    def note(self, test, what):
        self.outcomes[test.id()] = what

    def addSuccess(self, test):
        self.outcomes.setdefault(test.id(), "ok")

    def addFailure(self, test, error):
        self.note(test, "failed")
        super().addFailure(test, error)

    def addError(self, test, error):
        self.note(test, "error")
        super().addError(test, error)

    def addSkip(self, test, reason):
        self.note(test, "skipped")

    def addSubTest(self, test, subtest, error):
        if error:
            self.note(test, "failed")
            super().addSubTest(test, subtest, error)


def run(name, mode):
    module = importlib.import_module(name)
    marked = 0
    if mode == "captured":
        import frit

        def mark(code):
            frames.capture(code, frit.compile(lambda: None))
    else:
        mark = frames.mark
    if mode in ("stepped", "captured"):
        for function in functions(vars(module), set()):
            if function.__code__.co_filename == module.__file__:
                for code in codes(function.__code__):
                    mark(code)
                    marked += 1
        frames.mark_files("<doctest ")
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = Result()
    gc.collect()
    frames.counts()
    frames.offer(MODES.index(mode))
    try:
        suite.run(result)
    finally:
        frames.offer(0)
    counted = frames.counts()
    return {"module": name, "codes": marked, **counted, "outcomes": result.outcomes,
            "errors": {t.id(): text for t, text in result.failures + result.errors}}


MODULES = """test_generators test_contextlib test_with test_exceptions test_except_star test_dict test_list test_iter
test_functools test_descr test_super test_scope test_dataclasses test_enum test_patma test_call test_extcall
test_coroutines test_asyncgen test_itertools""".split()
GOLDEN = pathlib.Path(__file__).parent / "golden" / "frame_stdlib.json"
MODES = ("plain", "passed", "stepped", "captured")


def run_apart(name, mode):
    command = [sys.executable, __file__, "--mode", mode, name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return {"outcomes": {"(the process)": f"exit code {done.returncode}"}, "errors": {"(the process)": done.stderr[-2000:]}, "stops": 0,
                "frames": 0, "mismatches": 0}
    return json.loads(lines[-1])


def compare(name, golden, modes):
    """Whether the module's tests end as the golden list says. A difference is one from the plain run; what a hook that
    only passes frames on changes is not the stepper's."""
    start = time.monotonic()
    runs = {mode: run_apart(name, mode) for mode in MODES if mode == "plain" or mode in modes}
    plain = runs["plain"]["outcomes"]
    good = True
    found = {}
    for mode in modes:
        for test in sorted(plain.keys() | runs[mode]["outcomes"].keys()):
            before, after = plain.get(test, "absent"), runs[mode]["outcomes"].get(test, "absent")
            if before != after and not (mode != "passed" and found.get((test, "passed")) == after):
                found[test, mode] = after
    for (test, mode), outcome in found.items():
        expected = golden.get(test, {})
        if expected.get(mode) != outcome:
            good = False
            print(f"  {test}: plain {plain.get(test)}, {mode} {outcome}\n{runs[mode]['errors'].get(test, '')}")
    stepped = runs["stepped"]
    if stepped["mismatches"]:
        good = False
        print(f"  {stepped['mismatches']} stacks were not as deep as analysed")
    print(f"{name}: {len(plain)} tests, {stepped['frames']} frames, {stepped['stops']} stops, {len(found)} differences, "
          f"{time.monotonic() - start:.0f} s", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--also", choices=["captured"])
    parser.add_argument("modules", nargs="*")
    options = parser.parse_args()
    modules = [n if n.startswith("test.") else f"test.{n}" for n in options.modules or MODULES]
    if not options.mode:
        modes = ["passed", "stepped"] + ([options.also] if options.also else [])
        golden = json.loads(GOLDEN.read_text())["{}.{}".format(*sys.version_info)]
        sys.exit(0 if all([compare(name, golden, modes) for name in modules]) else 1)
    warnings.simplefilter("ignore")
    real = sys.stdout
    for name in modules:
        sys.stdout = io.StringIO()
        try:
            found = run(name, options.mode)
        finally:
            sys.stdout = real
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
