#!/usr/bin/env python3
"""A user's own operations, built into a profile: own_operations_test.py INVAR EXAMPLE MPICXX MPIRUN

The example of the documents is verified, and raced against the library's own allreduce; faults are told with file and line.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Open MPI starts in a third of the time.
os.environ.setdefault("OMPI_MCA_pml", "ob1")
os.environ.setdefault("OMPI_MCA_btl", "self,vader")
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
        if ranks != "3":
            status, text = run(*words, "--", "--check", "--operations", "bcast@bine")
            expect(status == 0 and " 0 failed" in text, f"{ranks} ranks: the algorithm is right", text)

    # The library's own one and the mock-up, in one campaign.
    status, text = run("ops", "--format", "csv")
    for own in ("allreduce_doubling", "bcast@bine"):
        expect(f"{own},{name},yes" in text, "it is listed", text)

    # A mistake is told first, with its place; the profile mends itself.
    source = folder / "allreduce_doubling.cpp"
    content = source.read_text()
    source.write_text(content + "this is no C++\n")
    status, text = run("mpi", "run", name, "--", "--check", "--operations", "empty")
    line = len(content.splitlines()) + 1
    first = next((one for one in text.splitlines() if "invar: " in one), "")
    expect(status == 2 and f"allreduce_doubling.cpp:{line}:1: expected " in first,
           "the compiler's first line first", text)
    source.write_text(content)
    status, text = run("mpi", "run", name, "--", "--check", "--operations", "allreduce_doubling")
    expect(status == 0, "built anew when a file changes", text)
    run("mpi", "remove", name)

    # One command: the library gets a profile with the operations, which the next one finds again, also when a campaign is
    # measured again or resumed, and where it was removed meanwhile.
    _, text = run("mpi", "list", "--format", "json")
    listed = json.loads(text[text.index("{"):])
    library = next(one["name"] for one in listed["profiles"] if one["mpicxx"] == mpicxx and not one["operations_dir"])
    made = f"{library}-own"
    run("mpi", "remove", made)
    race = ["race", library, f"again={library}", "--operation", "allreduce,allreduce_doubling", "--against", "operation",
            "--size", "8", "--ranks", "2", "--budget", "10s", "--fixed", "--ops", "own", "-o", "raced"]
    status, text = run(*race, "--dry-run", cwd=scratch)
    expect(status == 0 and f"invar mpi remove {made}" in text and not (pathlib.Path(scratch) / "raced").exists(),
           "the profile is made and said", text)
    status, text = run(*race, cwd=scratch)
    rows = [row for row in text.splitlines() if "allreduce_doubling" in row]
    expect(status == 0 and rows and "building the engine" not in text, "an own operation against the library's", text)
    campaign = (pathlib.Path(scratch) / "raced" / "campaign.toml").read_text()
    expect(campaign.count(f'library = "{library}"\nops = "{folder.resolve()}"') == 2, "what resume needs", campaign)
    run("mpi", "remove", made)
    status, text = run("run", "raced/campaign.toml", "--launches", "1", "-o", "raced-again", cwd=scratch)
    expect(status == 0 and f"invar mpi remove {made}" in text, "run makes it again", text)

    # An edit between two parts of a campaign: nothing more is measured, else one answer would mix two codes.
    cut = pathlib.Path(scratch) / "cut"

    def groups():
        manifest = cut / "manifest.jsonl"
        lines = manifest.read_text().split("\n")[:-1] if manifest.exists() else []
        return sum(json.loads(line)["type"] == "group" for line in lines)

    first = subprocess.Popen([invar, "run", "raced/campaign.toml", "--launches", "20", "--budget", "2m", "-o", "cut"], cwd=scratch,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 120
    while groups() == 0 and first.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    first.send_signal(signal.SIGINT)
    first.wait(120)
    begun = groups()
    expect(begun > 0, "a group is measured before the interruption", str(sorted(cut.iterdir())))
    source.write_text(content + "// edited\n")
    status, text = run("run", "--resume", "-o", "cut", cwd=scratch)
    expect(status == 3 and f"has changed since the campaign began: {source.resolve()}" in text
           and "the own operations of" in text,
           "an edited operation is not mixed with the old one", text)
    expect(groups() == begun, "nothing is measured with it", f"{begun} groups, then {groups()}")
    source.write_text(content)
    (folder / "operations.def").unlink()
    status, text = run(*race[:-1], "refused", cwd=scratch)
    expect(status == 2 and "operations.def" in text, "a folder without a list", text)
    run("mpi", "remove", made)

print("own_operations:", "failed" if failures else "all expectations held")
sys.exit(1 if failures else 0)
