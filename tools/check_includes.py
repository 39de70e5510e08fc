#!/usr/bin/env python3
"""Checks that includes follow the map of the rooms.

The map is src/CMakeLists.txt: a room may include itself, base, and the rooms it uses, directly or
through them. A header of include/frit/ belongs to the room that tools/public_headers.txt names and may
include what that room may. Also: the heavy headers stay where they belong (LLVM in the plugin, the JSON
library in .cpp files), and examples include public headers only.

    tools/check_includes.py [ROOT]      prints each fault as file:line: text; exit code 1 if there are any
    tools/check_includes.py --map       prints the rooms and what each may include
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
ROOM = re.compile(r"^\s*room\((\w+)([^)]*)\)", re.MULTILINE)
SOURCES = (".h", ".cpp", ".inc", ".hpp")
LLVM = ("llvm/", "clang/", "lld/", "llvm-c/", "clang-c/")


def read_rooms(root):
    """{room: (folder, rooms it may include)}, from the room(...) lines."""
    text = (root / "src/CMakeLists.txt").read_text()
    text = re.sub(r"#.*", "", text)
    folder, uses = {}, {}
    for name, rest in ROOM.findall(text):
        words, key = rest.split(), None
        folder[name], uses[name] = name, []
        for word in words:
            if word in ("USES", "FOLDER", "EXTERNAL", "EXCLUDE"):
                key = word
            elif key == "USES":
                uses[name].append(word)
            elif key == "FOLDER":
                folder[name] = word
    for name, used in uses.items():
        for other in used:
            if other not in folder:
                raise SystemExit(f"src/CMakeLists.txt: {name} uses {other}, which is no room above it")
    allowed = {}
    for name in folder:  # in the file's order, so what a room uses is complete
        may = {name, "base"}
        for other in uses[name]:
            if other not in allowed:
                raise SystemExit(f"src/CMakeLists.txt: {name} uses {other}, which comes below it")
            may |= allowed[other]
        allowed[name] = may
    return {name: (folder[name], allowed[name]) for name in folder}


def read_public(root, rooms):
    """{header: room} of include/frit."""
    owner = {}
    for line in (root / "tools/public_headers.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        header, room = words
        if room not in rooms and room != "any":
            raise SystemExit(f"tools/public_headers.txt: {header}: no room {room}")
        owner[header] = room
    return owner


class Check:
    def __init__(self, root):
        self.root = root
        self.rooms = read_rooms(root)
        self.public = read_public(root, self.rooms)
        self.faults = []
        # Longest folder first: codegen/cpu before codegen.
        self.folders = sorted(((f, n) for n, (f, _) in self.rooms.items()), key=lambda x: -len(x[0]))

    def fault(self, path, line, text):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {text}")

    def room_of(self, path):
        """The room of a path below src/, or None."""
        for folder, name in self.folders:
            if path == folder or path.startswith(folder + "/"):
                return name
        return None

    def includes(self, path):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1) or match.group(2), match.group(1) is not None

    def owner_of_include(self, path, target, quoted):
        """The room an include leads to; None if it leads out of the project."""
        if target.startswith("frit/"):
            return self.public.get(target[len("frit/"):], "unlisted")
        if (self.root / "src" / target).exists():
            return self.room_of(target)
        if quoted and (path.parent / target).exists():
            beside = (path.parent / target).resolve()
            if beside.is_relative_to(self.root / "src"):
                return self.room_of(str(beside.relative_to(self.root / "src")))
        # Generated headers are found by their first folder.
        return self.room_of(target) if quoted and "/" in target else None

    def file(self, path, room):
        may = set(self.rooms) if room == "any" else self.rooms[room][1]
        for line, target, quoted in self.includes(path):
            if target.startswith(LLVM) and "/jit/plugin/" not in str(path):
                self.fault(path, line, f"{target}: LLVM's headers belong in src/jit/plugin")
            if path.suffix != ".cpp" and target in ("base/json.h", "nlohmann/json.hpp") \
                    and path != self.root / "src/base/json.h":
                self.fault(path, line, f"{target} is heavy: include base/json_fwd.h here, this in the .cpp")
            owner = self.owner_of_include(path, target, quoted)
            if owner == "unlisted":
                self.fault(path, line, f"{target} is not listed in tools/public_headers.txt")
            elif owner == "any" and room != "any":
                self.fault(path, line, f"{target} is for programs, not for a room")
            elif owner not in (None, "any") and owner not in may:
                self.fault(path, line, f"{room} may not include {target} of {owner}")

    def sources(self, folder):
        base = self.root / folder
        return sorted(p for p in base.rglob("*") if p.suffix in SOURCES) if base.exists() else []

    def run(self):
        for path in self.sources("src"):
            room = self.room_of(str(path.parent.relative_to(self.root / "src")))
            if room is None:
                self.fault(path, 1, "belongs to no room of src/CMakeLists.txt")
            else:
                self.file(path, room)
        for path in self.sources("include"):
            name = str(path.relative_to(self.root / "include/frit"))
            if name in self.public:
                self.file(path, self.public[name])
            else:
                self.fault(path, 1, "is not listed in tools/public_headers.txt")
        for path in self.sources("examples"):
            for line, target, quoted in self.includes(path):
                if (self.root / "src" / target).exists() and not (path.parent / target).exists():
                    self.fault(path, line, f"{target}: an example includes <frit/...> only")
        return self.faults


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments and arguments[0] == "--map":
        for name, (folder, allowed) in read_rooms(root).items():
            print(f"{name:12} {folder:14} {' '.join(sorted(allowed - {name}))}")
        return 0
    if arguments:
        root = pathlib.Path(arguments[0]).resolve()
    check = Check(root)
    faults = check.run()
    print("\n".join(faults) if faults else f"{len(check.rooms)} rooms, every include in its direction")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
