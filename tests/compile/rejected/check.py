#!/usr/bin/env python3
"""Compiles rejected.cpp, which must fail with the sentences that its comments announce and no other errors.

    check.py COMPILER INCLUDE_DIRECTORY...
"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(__file__).with_name("rejected.cpp")
wanted = re.findall(r"// says: (.*)", source.read_text())
command = [sys.argv[1], "-std=c++20", "-fsyntax-only", "-ferror-limit=0", "-fno-color-diagnostics",
           "-fmessage-length=0", *("-I" + d for d in sys.argv[2:]), str(source)]
errors = [line for line in subprocess.run(command, capture_output=True, text=True).stderr.splitlines()
          if " error: " in line]
missing = [w for w in wanted if not any(w in e for e in errors)]
other = [e for e in errors if not any(w in e for w in wanted)]
for text in missing:
    print("not said:", text)
for text in other:
    print("said as well:", text)
sys.exit(1 if missing or other or not wanted else 0)
