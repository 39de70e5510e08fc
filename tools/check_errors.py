#!/usr/bin/env python3
"""Checks that every text of a user error is in some test: for each place in src and include that raises one
(UserError, or a helper that does), some piece of its literal text must stand in a file of tests/.

    tools/check_errors.py [ROOT]      prints each gap as file:line: text; exit code 1 if there are any
"""
import pathlib
import re
import sys

# Functions whose literal arguments are the text of a user error.
RAISES = re.compile(
    r"\b(UserError|fail|wrong|refuse|damaged|differs|outside|out_of_range|raise|raise_\w+|fail_(?!invariant)\w+|misuse)\s*[({]")
NOT_RAISES = re.compile(r"(catch \(const |class |struct |throw;)")
SHORTEST = 9  # of a piece of text that is looked for
WORDS = 4  # that follow one another, where a test has only a part
# The plugin, and what only who changes Frit can meet: texts of graphs and loops, records of ops.
SKIP = ("src/jit/plugin/", "src/base/error.", "src/ir/parse.cpp", "src/loops/parse.cpp",
        "src/ops/record_check.cpp", "src/ops/schema_parser.cpp")
# What no test can bring about.
OUT_OF_REACH = {
    "derivative for": "every op has one; for those that users will add",
    "became shorter while it was read": "between two system calls",
    "bytes; the format allows": "a header of 100 MB",
}
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TEXTS = {".cpp", ".h", ".inc", ".txt", ".json", ".py"}


def unescaped(text):
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def arguments_of(source, start):
    """The text between the bracket at `start` and its partner, comments and strings respected."""
    depth, i = 0, start
    while i < len(source):
        c = source[i]
        if c == '"':
            i = STRING.match(source, i).end() if STRING.match(source, i) else i + 1
            continue
        if source.startswith("//", i):
            i = source.find("\n", i)
            continue
        if c == "'" and i + 2 < len(source):
            end = source.find("'", i + 2 if source[i + 1] == "\\" else i + 1)
            i = end + 1 if 0 < end < i + 5 else i + 1
            continue
        depth += c in "([{"
        depth -= c in ")]}"
        i += 1
        if depth == 0:
            return source[start:i]
    return source[start:]


def literals(text):
    """String literals, those that stand beside each other joined."""
    found, last = [], None
    for m in STRING.finditer(text):
        if last is not None and not text[last:m.start()].strip():
            found[-1] += unescaped(m.group(1))
        else:
            found.append(unescaped(m.group(1)))
        last = m.end()
    return found


def pieces(literal):
    """What is fixed in a text: without the places that fmt fills."""
    for piece in re.split(r"\{[^{}]*\}", literal.replace("{{", "\x00").replace("}}", "\x01")):
        piece = piece.replace("\x00", "{").replace("\x01", "}").strip()
        if len(piece) >= SHORTEST and re.search(r"[a-z]", piece):
            yield piece


def sites(root):
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix not in (".cpp", ".h") or name.startswith(SKIP) or "generated" in path.parts:
                continue
            source = path.read_text()
            for m in RAISES.finditer(source):
                line_start = source.rfind("\n", 0, m.start()) + 1
                head = source[line_start:m.start()]
                if "//" in head or NOT_RAISES.search(head) or '"' in head and head.count('"') % 2:
                    continue
                words = literals(arguments_of(source, m.end() - 1))
                found = [p for w in words for p in pieces(w)]
                if found and not OUT_OF_REACH.keys() & set(found):
                    yield name, source.count("\n", 0, m.start()) + 1, found


class Tested:
    """What the tests hold: a text may be there as a whole, or a few words of it that follow one another."""

    def __init__(self, root):
        texts = []
        for path in sorted((root / "tests").rglob("*")):
            if not path.is_file() or path.suffix not in TEXTS:
                continue
            text = path.read_text(errors="replace")
            texts.append("\n".join(literals(text)) if path.suffix in (".cpp", ".h", ".inc") else text)
        self.all = "\n".join(texts)

    def has(self, piece):
        words = piece.split(" ")
        runs = (" ".join(words[i:i + WORDS]) for i in range(len(words) - WORDS + 1))
        return piece in self.all or any(len(run) >= 12 and run in self.all for run in runs)


def gaps(root):
    tested = Tested(root)
    for name, line, found in sites(root):
        if not any(tested.has(piece) for piece in found):
            yield f"{name}:{line}: in no test: {max(found, key=len)}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent).resolve()
    faults = list(gaps(root))
    for fault in faults:
        print(fault)
    print(f"{len(faults)} texts of user errors are in no test" if faults else
          f"{sum(1 for _ in sites(root))} places that raise user errors; the text of each is in a test")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
