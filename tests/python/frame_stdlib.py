"""CPython's own tests, run plainly, under a hook that only passes frames on, and with their functions stepped.

    frame_stdlib.py [--mode plain|passed|stepped] MODULE...      prints a line of outcomes for each module
"""

import argparse
import gc
import importlib
import io
import json
import sys
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
    if mode == "stepped":
        for function in functions(vars(module), set()):
            if function.__code__.co_filename == module.__file__:
                for code in codes(function.__code__):
                    frames.mark(code)
                    marked += 1
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = Result()
    gc.collect()
    frames.counts()
    frames.offer({"plain": 0, "passed": 1, "stepped": 2}[mode])
    try:
        suite.run(result)
    finally:
        frames.offer(0)
    counted = frames.counts()
    return {"module": name, "codes": marked, **counted, "outcomes": result.outcomes,
            "errors": {t.id(): text for t, text in result.failures + result.errors}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", choices=["plain", "passed", "stepped"], default="stepped")
    parser.add_argument("modules", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    real = sys.stdout
    for name in options.modules:
        sys.stdout = io.StringIO()
        try:
            found = run(name, options.mode)
        finally:
            sys.stdout = real
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
