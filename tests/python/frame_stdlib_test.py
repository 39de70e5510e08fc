"""A few of CPython's own test modules, stepped; tools/frame_tests.sh runs the whole list."""

import importlib.util
import pathlib
import subprocess
import sys
import unittest


@unittest.skipIf(importlib.util.find_spec("test.test_with") is None, "this Python has no tests of its own")
class Stdlib(unittest.TestCase):
    def test_some(self):
        tool = pathlib.Path(__file__).parent / "frame_stdlib.py"
        modules = ["test_with", "test_contextlib", "test_except_star", "test_super", "test_scope", "test_extcall"]
        done = subprocess.run([sys.executable, str(tool), *modules], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
