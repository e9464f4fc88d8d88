#!/usr/bin/env python3
"""Runs transcripts: what a user types, and what must be printed.

    run.py --invar build/invar [--home DIR] [--update] FILE.transcript...

    # A comment; empty lines between commands say nothing.
    $ invar plan c.toml
    invar: c.toml:5:9: '8x' is not a size: ...
    <exit 2>

`$` begins a command (bash), `> ` continues it on the next line. Then comes what it prints, standard output and standard
error as they appear, and its exit status unless that is 0. `...` stands for any text in a line, and alone on a line for
any number of lines. Each transcript runs in a fresh directory with a HOME of its own; --home names an INVAR_HOME that
they share, with engines that are built. Commands know

    as_nobody COMMAND      runs it as an unprivileged user (as oneself where that is one already)
    for_nobody FILE...     makes that user the owner
    $BUILD                 the build directory

--update writes what was printed into the files, where it differs.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PRELUDE = """
as_nobody() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
for_nobody() { if [ "$(id -u)" = 0 ]; then chown -R 65534:65534 "$@"; fi; }
"""
TIME_LIMIT_S = 240


class Step:
    """One command of a transcript with what it must print."""

    def __init__(self, line, command):
        self.line = line
        self.command = command
        self.expected = []
        self.status = 0


def parse(path):
    """Steps, and the lines of the file with steps in place of what they print (for --update)."""
    steps, layout = [], []
    for number, line in enumerate(path.read_text().split("\n"), start=1):
        if line.startswith("$ "):
            steps.append(Step(number, line[2:]))
            layout.append(steps[-1])
        elif steps and layout[-1] is steps[-1] and line.startswith("> ") and not steps[-1].expected:
            steps[-1].command += "\n" + line[2:]
        elif steps and layout[-1] is steps[-1] and line != "" and not line.startswith("# "):
            exit_line = re.fullmatch(r"<exit (\d+)>", line)
            if exit_line:
                steps[-1].status = int(exit_line[1])
            else:
                steps[-1].expected.append(line)
        elif steps and layout[-1] is steps[-1] and line == "":
            # An empty line belongs to the output if more output follows.
            steps[-1].expected.append("")
        else:
            layout.append(line)
    for step in steps:
        while step.expected and step.expected[-1] == "":
            step.expected.pop()
    return steps, layout


def matches(expected, printed):
    """`...` alone: any lines; inside a line: any text."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("..."))
    return re.fullmatch(pattern, printed[0]) is not None and matches(expected[1:], printed[1:])


def run(step, directory, environment):
    """Lines that the command prints, and its exit status."""
    try:
        done = subprocess.run(["bash", "-c", PRELUDE + step.command], cwd=directory, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=TIME_LIMIT_S, check=False)
        text, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as expired:
        text, status = (expired.stdout or b"") + f"\n(no end after {TIME_LIMIT_S} s)".encode(), None
    lines = [line.rstrip() for line in text.decode(errors="replace").split("\n")]
    while lines and lines[-1] == "":
        lines.pop()
    return lines, status


def exit_lines(status):
    return [] if status == 0 else [f"<exit {status}>"]


def check(path, invar, home):
    """Failures of one transcript, and its text as it would be now."""
    steps, layout = parse(path)
    failures = [] if steps else [f"{path}: no command in it"]
    now = {}
    with tempfile.TemporaryDirectory(prefix="invar-transcript-") as scratch:
        # Other users must get through to the files that they may use.
        os.chmod(scratch, 0o755)
        root = pathlib.Path(scratch)
        for name in ("work", "home", "bin"):
            (root / name).mkdir()
        (root / "bin" / "invar").symlink_to(invar)
        environment = {
            "PATH": f"{root / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "HOME": str(root / "home"),
            "INVAR_HOME": str(home or root / "home" / "invar"),
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "BUILD": str(invar.parent),
        }
        for step in steps:
            printed, status = run(step, root / "work", environment)
            now[step] = printed, status
            if status == step.status and matches(step.expected, printed):
                continue
            difference = difflib.unified_diff(step.expected + exit_lines(step.status),
                                              printed + exit_lines(status), "expected", "printed", lineterm="", n=99)
            failures.append(f"{path}:{step.line}: $ {step.command}\n" +
                            "\n".join("    " + line for line in list(difference)[3:]))
    text = []
    for part in layout:
        if not isinstance(part, Step):
            text.append(part)
            continue
        text += [("$ " if i == 0 else "> ") + line for i, line in enumerate(part.command.split("\n"))]
        printed, status = now[part]
        same = status == part.status and matches(part.expected, printed)
        text += (part.expected if same else printed) + exit_lines(part.status if same else status) + [""]
    return failures, "\n".join(text).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser(description="Runs transcripts.")
    parser.add_argument("--invar", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--home", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("transcripts", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    if not shutil.which("bash"):
        sys.exit("transcripts need bash")
    failed = False
    for path in arguments.transcripts:
        failures, text = check(path, arguments.invar, arguments.home)
        if failures and arguments.update:
            path.write_text(text)
            print(f"{path}: written anew")
        elif failures:
            failed = True
            print("\n".join(failures))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
