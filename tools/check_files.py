#!/usr/bin/env python3
"""Checks every text file of the project: at most 1,000 lines, no tabs or blanks at a line's end, a newline
at the end, no merge marks and no notes of unfinished work. And the environment is read in one place.

    tools/check_files.py [ROOT]      prints each fault as file:line: text; exit code 1 if there are any
"""
import pathlib
import re
import sys

MOST_LINES = 1000
TEXT = {".h", ".cpp", ".inc", ".py", ".pyi", ".sh", ".cmake", ".md", ".txt", ".toml", ".json", ".map"}
NAMES = {"Makefile", "CMakeLists.txt", "run", ".clang-format", ".clang-tidy", ".gitignore"}
SKIP = {".git", "build", ".venv", ".cache", ".frit", "__pycache__"}
DATA = {"data", "golden"}  # folders of data: only their program text is looked at
SOURCE = {".h", ".cpp", ".inc", ".py", ".sh", ".cmake"}
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
GETENV = re.compile(r"\b(secure_)?getenv\s*\(")
MERGE = re.compile(r"^(<{7}|>{7}|={7})( |$)")


def files(folder):
    for path in sorted(folder.iterdir()):
        if path.is_symlink():
            continue
        if path.is_dir():
            if path.name not in SKIP:
                yield from files(path)
        elif path.suffix in TEXT or path.name in NAMES:
            yield path


def faults(root):
    for path in files(root):
        name = path.relative_to(root)
        if DATA & set(name.parts[:-1]) and path.suffix not in SOURCE:
            continue
        try:
            text = path.read_bytes().decode()
        except UnicodeDecodeError:
            yield f"{name}:1: is not UTF-8"
            continue
        lines = text.split("\n")
        if text and lines[-1]:
            yield f"{name}:{len(lines)}: no newline at the end"
        if len(lines) - 1 > MOST_LINES and path.suffix != ".json":  # JSON is data that a program wrote
            yield f"{name}:{MOST_LINES + 1}: {len(lines) - 1} lines; a file has at most {MOST_LINES}"
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                yield f"{name}:{number}: blanks at the end of the line"
            if path.suffix in SOURCE and UNFINISHED.search(line):
                yield f"{name}:{number}: a note of unfinished work"
            if name.parts[0] == "src" and name.name != "config.cpp" and GETENV.search(line):
                yield f"{name}:{number}: the environment is read by env() of base/config.h"
            if MERGE.match(line):
                yield f"{name}:{number}: a merge mark"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    found = list(faults(root))
    print("\n".join(found) if found else "every file is in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
