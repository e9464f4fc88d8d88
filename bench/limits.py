"""Two limits that only many races can show: a budget is kept beside a load, and a gate is right as often as it says.

budgets: races with budgets of 10 to 60 s beside a load on one core (20 of them: 12 minutes); gate: a build against itself, and
10 % planted into one cell of 20, drawn at random, both with --fail-on slower:5% (50 and 20 races of a minute at most).
INVAR_BENCH_RACES=N and INVAR_BENCH_BUDGET=TIME take fewer and shorter ones, to see that all this works.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time

from common import INVAR, SOURCE, row, run

OPERATIONS = ("allreduce", "bcast", "alltoall", "reduce", "allgather")
SIZES = (8, 1024, 4096, 16384)
CELLS = ("--operation", ",".join(OPERATIONS), "--size", ",".join(map(str, SIZES)), "--ranks", "2")
FEW_CELLS = ("--operation", "allreduce,bcast,alltoall", "--size", "8,1KiB,64KiB", "--ranks", "2")
SHORTEST_S, LONGEST_S = 10, 60
MOST_LATE = 0.10
PLANTED = 0.10
# A race's exit status: with an answer; no launch group ended in time.
ANSWERED, NO_GROUP = 0, 3
# A gate's exit status: passed, failed, undecided (as asked for below).
PASSED, FAILED, UNDECIDED = 0, 1, 125
BUSY = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"


def races(usual):
    return int(os.environ.get("INVAR_BENCH_RACES", usual))


def arms(profiles):
    known = [name for name in ("openmpi", "mpich") if name in profiles] or sorted(profiles)
    return known[0], known[-1]


def measured(*words):
    """Status, standard output and error, seconds."""
    begin = time.monotonic()
    result = subprocess.run([INVAR] + [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True)
    return result.returncode, result.stdout, result.stderr, time.monotonic() - begin


def budgets_s(count):
    """Evenly from the shortest to the longest; the longest is what INVAR_BENCH_BUDGET says in seconds."""
    longest = float(os.environ.get("INVAR_BENCH_BUDGET", "%ds" % LONGEST_S).rstrip("s"))
    shortest = min(SHORTEST_S, longest)
    return [shortest + (longest - shortest) * i / max(count - 1, 1) for i in range(count)]


def budgets(scratch, profiles):
    """How late each race ends, wall time of the whole command, beside a load on one core."""
    count = races(20)
    core = max(os.sched_getaffinity(0))
    load = subprocess.Popen([sys.executable, "-c", BUSY, str(core)])
    late, without = [], 0
    try:
        for number, budget_s in enumerate(budgets_s(count), start=1):
            # A library against itself, asked for a thousandth: nothing but the budget ends that.
            library = arms(profiles)[0]
            status, _, error, seconds = measured("race", library, library, *FEW_CELLS, "--min-effect", "0.1%", "--budget",
                                                 "%.1fs" % budget_s, "-o", scratch / ("race-%d" % number))
            if status not in (ANSWERED, NO_GROUP):
                raise RuntimeError("a race with a budget of %.1f s: exit status %d\n%s" % (budget_s, status, error[-2000:]))
            late.append(seconds / budget_s - 1)
            without += status == NO_GROUP
            print("    %.1f s of %.1f s, %+.1f %%" % (seconds, budget_s, 100 * late[-1]), flush=True)
    finally:
        load.kill()
        load.wait()
    row("budgets: latest end of %d races beside a load" % count, "at most 10 % late", "%+.1f %%" % (100 * max(late)),
        max(late) <= MOST_LATE)
    row("  median", "", "%+.1f %%" % (100 * statistics.median(late)), None)
    row("  races in which no launch group ended in time", "", "%d of %d" % (without, count), None)


def built_wrapper(scratch, profile):
    """bench/plant.c for that library."""
    shim = scratch / "plant.so"
    run(profile["mpicxx"], "-x", "c", "-shared", "-fPIC", "-O2", SOURCE / "bench/plant.c", "-o", shim, fine=(0,))
    return shim


def planted_arm(label, library, shim, delays_ns=None):
    """delays_ns: (operation, size) -> delay of each call; nothing: the same wrapper without one."""
    delays = ["%s:%d:%.1f" % (operation, size, ns) for (operation, size), ns in sorted((delays_ns or {}).items())]
    return "%s=%s:env:LD_PRELOAD=%s,env:PLANT=%s" % (label, library, shim, "+".join(delays) or "nothing")


def gate_race(scratch, name, old, new):
    budget = os.environ.get("INVAR_BENCH_BUDGET", "%ds" % LONGEST_S)
    data = scratch / name
    status, out, error, seconds = measured("race", old, new, *CELLS, "--budget", budget, "--fail-on", "slower:5%",
                                           "--undecided-exit", UNDECIDED, "--format", "json", "-o", data)
    if status not in (PASSED, FAILED, UNDECIDED) or not out:
        raise RuntimeError("%s: exit status %d\n%s" % (name, status, error[-2000:]))
    cells = [cell for cell in json.loads(out)["cells"] if cell["regime"] is None]
    return status, cells, seconds


def gate(scratch, profiles):
    """A build against itself, then the same with 10 % planted in one cell."""
    library = arms(profiles)[0]
    shim = built_wrapper(scratch, profiles[library])
    old = planted_arm("old", library, shim)

    count = races(50)
    statuses, seconds, medians = [], [], {}
    for number in range(1, count + 1):
        status, cells, took_s = gate_race(scratch, "same-%d" % number, old, planted_arm("new", library, shim))
        statuses.append(status)
        seconds.append(took_s)
        for cell in cells:
            medians.setdefault((cell["operation"], cell["size_bytes"]), []).append(cell["median_a_ns"])
        print("    %s, %d cells undecided, %.0f s" % ({PASSED: "passed", FAILED: "FAILED"}.get(status, "undecided"),
              sum(cell["verdict"] == "undecided" for cell in cells), took_s), flush=True)
    failed, undecided = statuses.count(FAILED), statuses.count(UNDECIDED)
    row("gate slower:5%%: %d races of a build against itself, failed" % count, "at most 1 of 50", str(failed), failed <= max(1, count / 50))
    row("  undecided", "at most 5 of 50", str(undecided), undecided <= max(1, count / 10))
    row("  time used", "", "%.0f s, at most %.0f s" % (statistics.median(seconds), max(seconds)), None)

    drawn = random.Random(2016)
    count = races(20)
    found = others = 0
    for number in range(1, count + 1):
        operation, size = drawn.choice(sorted(medians))
        delay_ns = PLANTED * statistics.median(medians[operation, size])
        new = planted_arm("new", library, shim, {(operation, size): delay_ns})
        _, cells, took_s = gate_race(scratch, "planted-%d" % number, old, new)
        verdicts = {(cell["operation"], cell["size_bytes"]): cell["verdict"] for cell in cells}
        found += verdicts[operation, size] == "fail"
        others += sum(verdict == "fail" for cell, verdict in verdicts.items() if cell != (operation, size))
        ratio = next(cell["ratio"] for cell in cells if (cell["operation"], cell["size_bytes"]) == (operation, size))
        print("    %s %d, %.0f ns planted: %s, ratio %.3f, %.0f s" %
              (operation, size, delay_ns, verdicts[operation, size], ratio or float("nan"), took_s), flush=True)
    row("gate slower:5%: 10 % planted in one cell of 20, found", "at least 19 of 20", "%d of %d" % (found, count),
        found >= 0.95 * count)
    row("  other cells that failed", "", "%d of %d" % (others, count * (len(OPERATIONS) * len(SIZES) - 1)), None)
