#!/usr/bin/env python3
"""Tests of check_includes.py, check_files.py and check_errors.py on small made-up projects."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
ROOMS = """# room(ghost USES base) is only a comment
room(base EXTERNAL fmt::fmt)
room(sym USES base)
room(core USES sym)
room(wide USES core FOLDER deep/wide)
room(other USES base EXCLUDE /plugin/)
"""


class Checks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write("src/CMakeLists.txt", ROOMS)
        self.write("tools/public_headers.txt", "tensor.h core  # the tensor\nfrit.h any\n")
        self.write("include/frit/tensor.h", '#pragma once\n#include "base/error.h"\n')
        self.write("include/frit/frit.h", "#include <frit/tensor.h>\n")
        for header in ("base/error.h", "sym/int.h", "core/layout.h", "deep/wide/w.h", "other/o.h"):
            self.write("src/" + header, "#pragma once\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_check(self, name):
        done = subprocess.run([sys.executable, TOOLS / name, self.root], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 0 if len(lines) == 1 and ":" not in lines[0] else 1)
        return lines

    def test_includes_in_order(self):
        self.write("src/deep/wide/w.cpp", '#include "deep/wide/w.h"\n#include "sym/int.h"\n#include <frit/tensor.h>\n')
        self.write("examples/e.cpp", "#include <frit/frit.h>\n")
        self.assertEqual(self.run_check("check_includes.py"), ["5 rooms, every include in its direction"])

    def test_wrong_directions(self):
        self.write("src/sym/a.cpp", '#include "sym/int.h"\n  #  include "core/layout.h"\n')
        self.write("src/other/b.cpp", "#include <frit/tensor.h>\n")
        self.write("src/core/c.cpp", '#include <frit/frit.h>\n#include "../other/o.h"\n')
        self.write("src/base/d.cpp", '#include "sym/generated.h"\n')
        self.assertEqual(self.run_check("check_includes.py"), [
            "src/base/d.cpp:1: base may not include sym/generated.h of sym",
            "src/core/c.cpp:1: frit/frit.h is for programs, not for a room",
            "src/core/c.cpp:2: core may not include ../other/o.h of other",
            "src/other/b.cpp:1: other may not include frit/tensor.h of core",
            "src/sym/a.cpp:2: sym may not include core/layout.h of core"])

    def test_public_headers_and_folders(self):
        self.write("include/frit/new.h", "")
        self.write("include/frit/tensor.h", '#include "other/o.h"\n')
        self.write("src/nowhere/x.cpp", "")
        self.write("examples/e.cpp", '#include "core/layout.h"\n')
        self.assertEqual(self.run_check("check_includes.py"), [
            "src/nowhere/x.cpp:1: belongs to no room of src/CMakeLists.txt",
            "include/frit/new.h:1: is not listed in tools/public_headers.txt",
            "include/frit/tensor.h:1: core may not include other/o.h of other",
            "examples/e.cpp:1: core/layout.h: an example includes <frit/...> only"])

    def test_heavy_headers(self):
        self.write("src/base/json.h", "#include <nlohmann/json.hpp>\n")
        self.write("src/core/a.h", '#include "base/json.h"\n')
        self.write("src/core/a.cpp", '#include "base/json.h"\n#include <llvm/IR/Module.h>\n')
        self.assertEqual(self.run_check("check_includes.py"), [
            "src/core/a.cpp:2: llvm/IR/Module.h: LLVM's headers belong in src/jit/plugin",
            "src/core/a.h:1: base/json.h is heavy: include base/json_fwd.h here, this in the .cpp"])

    def test_a_map_that_is_no_order(self):
        self.write("src/CMakeLists.txt", "room(a USES b)\nroom(b USES base)\nroom(base)\n")
        done = subprocess.run([sys.executable, TOOLS / "check_includes.py", self.root], capture_output=True, text=True)
        self.assertEqual(done.stderr, "src/CMakeLists.txt: a uses b, which comes below it\n")

    def test_errors(self):
        self.write("src/core/a.cpp", """void f() {
  throw UserError(ErrorKind::value, "op", fmt::format("the {} is not one that "
                                                      "anybody knows", x));  // fail("a remark")
  if (bad) s.fail("sizes do not fit at all", "other sizes");
}
""")
        self.assertEqual(self.run_check("check_errors.py"), [
            "src/core/a.cpp:2: in no test: is not one that anybody knows",
            "src/core/a.cpp:4: in no test: sizes do not fit at all",
            "2 texts of user errors are in no test"])
        self.write("tests/core/a_test.cpp", 'EXPECT_EQ(text, "[op] the x is not one "\n    "that anybody knows");')
        self.write("tests/core/golden/b.txt", "[op] sizes do not fit at all\n")
        self.assertEqual(self.run_check("check_errors.py"),
                         ["2 places that raise user errors; the text of each is in a test"])

    def test_files(self):
        self.assertEqual(self.run_check("check_files.py"), ["every file is in order"])
        self.write("src/long.cpp", "x\n" * 1001)
        self.write("src/just.cpp", "x\n" * 1000)
        self.write("src/end.h", "a \nb")
        self.write("src/note.py", "# TO" "DO later\n")
        self.write("src/env.cpp", 'const char* s = std::getenv("HOME");\n')
        self.write("docs/merge.md", "<" * 7 + " mine\n")
        self.write("data/table.txt", "x\n" * 2000)
        self.write("build/any.cpp", "x " * 5)
        self.assertEqual(self.run_check("check_files.py"), [
            "docs/merge.md:1: a merge mark",
            "src/end.h:2: no newline at the end",
            "src/end.h:1: blanks at the end of the line",
            "src/env.cpp:1: the environment is read by env() of base/config.h",
            "src/long.cpp:1001: 1001 lines; a file has at most 1000",
            "src/note.py:1: a note of unfinished work"])


if __name__ == "__main__":
    unittest.main()
