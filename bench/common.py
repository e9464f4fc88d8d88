"""What the benchmarks share: Invar's program, rows of the result, an interval."""

import json
import math
import pathlib
import random
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
INVAR = str(BUILD / "invar")
# Two-sided 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
T95 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09]

rows = []


def row(figure, target, measured, reached):
    """reached: True, False or None (nothing to reach: for information)."""
    rows.append((figure, target, measured, {True: "reached", False: "MISSED", None: ""}[reached]))
    print("  %-58s %-26s %-34s %s" % rows[-1], flush=True)


def run(*words, fine=(0, 1), **options):
    """Standard output. Of our own program 1 means that what was asked for was found; `fine` says what is not a failure."""
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, **options)
    if result.returncode not in fine:
        raise RuntimeError("%s: exit status %d\n%s" % (" ".join(map(str, words)), result.returncode, result.stderr[-2000:]))
    return result.stdout


def interval(values):
    """Mean and half-width of its 95 % interval."""
    if len(values) < 2:
        return statistics.mean(values), float("inf")
    t = T95[len(values) - 2] if len(values) - 1 <= len(T95) else 1.96
    return statistics.mean(values), t * statistics.stdev(values) / math.sqrt(len(values))


def ratio_of_medians(ours, theirs, resamples=2000):
    """Of values that were measured in turns, and the ends of its 95 % interval: turns are drawn again, both sides together."""
    draw = random.Random(1)
    drawn = []
    for _ in range(resamples):
        turns = draw.choices(range(len(ours)), k=len(ours))
        drawn.append(statistics.median(ours[i] for i in turns) / statistics.median(theirs[i] for i in turns))
    drawn.sort()
    return statistics.median(ours) / statistics.median(theirs), drawn[resamples // 40], drawn[-1 - resamples // 40]


def libraries():
    profiles = json.loads(run(INVAR, "mpi", "list", "--format", "json"))["profiles"]
    return {profile["name"]: profile for profile in profiles if not profile["problem"] and not profile["simulates"] and not profile["alone"]}
