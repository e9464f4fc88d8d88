#!/usr/bin/env python3
"""The layout is what CONTRIBUTING.md says it is: which folder uses which, who knows MPI, how large rooms are,
that each has a sign that one can read, and that a name is one thing."""

import pathlib
import re
import sys

MOST_SOURCES = 30
MOST_COLUMNS = 140
LEAST_LINES_OF_README = 3
SOURCES = {".cpp", ".hpp", ".py", ".ts"}
KNOW_MPI = {"ops", "engine", "shim"}
OF_THE_ENGINE = {"base", "record", "clock", "host", "group", "ops", "engine"}


def allowed_uses(contributing):
    """The table's rows: folder -> what it says the folder uses of our own."""
    uses = {}
    for line in contributing.splitlines():
        row = re.fullmatch(r"\| `([a-z]+)` \| [^|]* \|([^|]*)\|", line)
        if row:
            uses[row[1]] = set(re.findall(r"\b[a-z]+\b", row[2]))
    return uses


def used(sources, folders):
    """folder -> {another one -> a file that includes it}, and the files that include mpi.h."""
    uses = {folder: {} for folder in folders}
    mpi = {}
    for path in sorted(sources.rglob("*.[ch]pp")):
        folder = path.relative_to(sources).parts[0]
        for line in path.read_text(encoding="utf-8").splitlines():
            include = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if not include:
                continue
            if include[1] == "mpi.h":
                mpi.setdefault(folder, path)
            other = include[1].split("/")[0]
            if "/" in include[1] and other in folders and other != folder:
                uses[folder].setdefault(other, path)
    return uses, mpi


def circle(uses):
    """A folder that uses itself by way of others; None: data flow one way."""
    done = set()
    while True:
        ready = {folder for folder in uses if folder not in done and uses[folder] <= done}
        if not ready:
            break
        done |= ready
    return None if done == set(uses) else sorted(set(uses) - done)


def defined_twice(sources):
    """Types of one name in one namespace: the linker takes either one's functions for both, in silence."""
    found = {}
    for path in sorted(sources.rglob("*.[ch]pp")):
        namespace, hidden = None, False
        for line in path.read_text(encoding="utf-8").splitlines():
            if opened := re.fullmatch(r"namespace ([\w:]+) \{", line):
                namespace = opened[1]
            elif line == "namespace {":
                hidden = True
            elif line == "}  // namespace":
                hidden = False
            elif not hidden and (named := re.match(r"(?:struct|class|enum class) (?:alignas\(\w+\) )?(\w+)\b(?!::)[^;]*$", line)):
                found.setdefault((namespace, named[1]), []).append(path)
    return sorted((name, paths) for name, paths in found.items() if len(paths) > 1)


def engine_in_bodies(sources):
    """What the bodies of mock-ups include of ours besides one another: other programs compile them as well."""
    room = "ops/mockups/bodies/"
    for path in sorted((sources / room).glob("*.[ch]pp")):
        for include in re.findall(r'#\s*include\s+"([^"]+)"', path.read_text(encoding="utf-8")):
            if not include.startswith(room):
                yield path, include


def crowded(root):
    """Folders with more sources than one finds again, and how many."""
    folders = {}
    for tree in ("src", "web/src", "web/test", "tests", "bench", "tools"):
        for path in (root / tree).rglob("*"):
            if path.suffix in SOURCES:
                folders[path.parent] = folders.get(path.parent, 0) + 1
    return sorted((folder, count) for folder, count in folders.items() if count > MOST_SOURCES)


def sign_faults(text):
    """What a formatter or a hurry did to a sign."""
    lines = text.splitlines()
    if len(lines) < LEAST_LINES_OF_README:
        yield f"shorter than {LEAST_LINES_OF_README} lines"
    if any(line.startswith(" ") for line in lines):
        yield "a line is indented: was it laid out as code?"
    if long := [line for line in lines if len(line) > MOST_COLUMNS]:
        yield f"longer than {MOST_COLUMNS} columns: {long[0][:40]}..."


def faults(root):
    sources = root / "src"
    folders = {path.name for path in sources.iterdir() if path.is_dir()}
    table = {
        folder: uses & folders
        for folder, uses in allowed_uses((root / "CONTRIBUTING.md").read_text(encoding="utf-8")).items()
    }
    for folder in sorted(folders ^ set(table)):
        yield f"src/{folder}: " + ("not in CONTRIBUTING.md's table" if folder in folders else "does not exist")
    uses, mpi = used(sources, folders)
    for folder, others in sorted(uses.items()):
        for other, path in sorted(others.items()):
            if other not in table.get(folder, set()):
                yield f"{path.relative_to(root)}: includes {other}/, CONTRIBUTING.md does not say that {folder} uses it"
        for other in sorted(table.get(folder, set()) - set(others)):
            yield f"CONTRIBUTING.md: {folder} does not use {other}"
    if loop := circle(table):
        yield f"CONTRIBUTING.md: a circle among {', '.join(loop)}"
    for folder, path in sorted(mpi.items()):
        if folder not in KNOW_MPI:
            yield f"{path.relative_to(root)}: only {', '.join(sorted(KNOW_MPI))} know MPI"
    for folder in sorted(OF_THE_ENGINE & folders):
        for other in sorted(set(uses[folder]) - OF_THE_ENGINE):
            yield f"src/{folder}: the engine is built without {other}"
    for (namespace, name), paths in defined_twice(sources):
        yield f"{namespace}::{name}: defined in {' and in '.join(str(path.relative_to(root)) for path in paths)}"
    for path, include in engine_in_bodies(sources):
        yield f"{path.relative_to(root)}: includes {include}, and a body knows MPI alone"
    for room, count in crowded(root):
        yield f"{room.relative_to(root)}: {count} sources, at most {MOST_SOURCES} are found again"
    # A room holds sources; what it has besides (scripts of figures) needs no sign.
    rooms = {path.parent for path in sources.rglob("*.[ch]pp")} | {sources / folder for folder in folders}
    for room in sorted(rooms):
        name = room.relative_to(root)
        readme = room / "README.md"
        if not readme.is_file():
            yield f"{name}: has no README.md (what lives here, what it may use, where to begin)"
        else:
            yield from (f"{name}/README.md: {fault}" for fault in sign_faults(readme.read_text(encoding="utf-8")))


def main():
    found = list(faults(pathlib.Path(sys.argv[1])))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
