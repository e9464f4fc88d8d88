#!/usr/bin/env python3
"""A user's own operations, built into a profile: own_operations_test.py INVAR EXAMPLE MPICXX MPIRUN

The example of the documents is verified, and raced against the library's own allreduce; faults are told with file and line.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

invar, example, mpicxx, mpirun = sys.argv[1:]
failures = []


def run(*words, cwd=None):
    done = subprocess.run([invar, *words], capture_output=True, text=True, timeout=600, cwd=cwd)
    return done.returncode, done.stdout + done.stderr


def expect(holds, what, text):
    if not holds:
        failures.append(what)
        print(f"FAILED: {what}\n{text}")


def add(name, folder):
    return run("mpi", "add", name, "--mpicxx", mpicxx, "--mpirun", mpirun, "--ops", str(folder))


name = "own-operations-test"
with tempfile.TemporaryDirectory() as scratch:
    folder = pathlib.Path(scratch) / "own"
    shutil.copytree(example, folder)
    listing = folder / "operations.def"
    right = listing.read_text()

    # Refused before anything is compiled.
    listing.write_text(right + 'INVAR_OPERATION("bcast", kMine)\nnonsense\n')
    status, text = add(name, folder)
    line = len(right.splitlines()) + 1
    expect(status == 2 and f"operations.def:{line}" in text and "'bcast' already" in text, "a name twice", text)
    expect(f"operations.def:{line + 1}" in text and "names no operation" in text, "no operation", text)
    status, text = add(name, folder / "absent")
    expect(status == 2 and "--ops" in text, "no folder", text)
    listing.write_text(right)

    run("mpi", "remove", name)
    status, text = add(name, folder)
    expect(status == 0, "the example is built", text)
    for ranks in ("2", "3", "4"):
        words = ["mpi", "run", name, "--ranks", ranks]
        if int(ranks) > (os.cpu_count() or 1):
            words.append("--oversubscribe")
        status, text = run(*words, "--", "--check", "--operations", "allreduce_doubling")
        expect(status == 0 and " 0 failed" in text, f"{ranks} ranks: the example is right", text)

    # The library's own one and the mock-up, in one campaign.
    status, text = run("ops", "--format", "csv")
    expect(f"allreduce_doubling,{name},yes" in text, "it is listed", text)

    # A fault of the compiler is shown with its place; the profile mends itself.
    source = folder / "allreduce_doubling.cpp"
    content = source.read_text()
    source.write_text(content + "this is no C++\n")
    status, text = run("mpi", "run", name, "--", "--check", "--operations", "empty")
    line = len(content.splitlines()) + 1
    expect(status == 2 and f"allreduce_doubling.cpp:{line}:" in text, "the compiler's place", text)
    source.write_text(content)
    status, text = run("mpi", "run", name, "--", "--check", "--operations", "allreduce_doubling")
    expect(status == 0, "built anew when a file changes", text)
    run("mpi", "remove", name)

print("own_operations:", "failed" if failures else "all expectations held")
sys.exit(1 if failures else 0)
