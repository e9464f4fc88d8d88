"""How soon does `invar stress` see what is wrong, on real libraries with 2 ranks of an idle machine?

stress-rare: one bit in one of 10^5 messages above 64 KiB, at random, in any rank's receives (20 runs of a minute for each
library); stress-faults: the other faults of tests/faults/wrong_messages.c (a minute); stress-sound: libraries as they are
(10 minutes each). INVAR_BENCH_RACES=N and INVAR_BENCH_BUDGET=TIME take fewer runs and shorter ones, to see that all this works.
"""

import json
import math
import os

from common import SOURCE, row, run
from limits import arms, measured, races

FOUND, NOTHING = 3, 0  # exit statuses
RARE = 100_000
LARGE_BYTES = 65537
RARE_S, FAULT_S = 60, 10
# What a run may do of a library that fails by itself in the rest: MPI_Reduce_scatter in place ends MPICH 4.0.2 and 5.0.2.
KINDS = {"mpich": ["--kind", "p2p,all-pairs"]}
FAULTS = {"missing": "missing-write", "stale": "stale", "swapped": "swapped", "shift": "shift", "length": "length"}


def built(scratch, profile):
    shim = scratch / ("wrong-%s.so" % profile["name"])
    if not shim.exists():
        run(profile["mpicxx"], "-x", "c", "-shared", "-fPIC", "-O2", SOURCE / "tests/faults/wrong_messages.c", "-o", shim, fine=(0,))
    return shim


def arm(scratch, profile, **settings):
    words = ["env:LD_PRELOAD=%s" % built(scratch, profile)] + ["env:%s=%s" % item for item in settings.items()]
    return "tried=%s:%s" % (profile["name"], ",".join(words))


def stressed(*words):
    """The answer, and wall time of the whole command."""
    status, out, error, seconds = measured("stress", *words, "--ranks", 2, "--format", "json")
    if status not in (FOUND, NOTHING) or not out:
        raise RuntimeError("stress: exit status %d\n%s" % (status, error[-2000:]))
    return json.loads(out), seconds


def libraries_of(profiles):
    return sorted(set(arms(profiles)), reverse=True)


def rare(scratch, profiles):
    count = races(20)
    time = os.environ.get("INVAR_BENCH_BUDGET", "%ds" % RARE_S)
    for library in libraries_of(profiles):
        found, large, seconds = 0, 0, 0
        for number in range(1, count + 1):
            answer, _ = stressed(arm(scratch, profiles[library], WRONG_FAULT="bit", WRONG_EVERY=RARE, WRONG_BYTES=LARGE_BYTES,
                                     WRONG_SEED=number, WRONG_EVERYWHERE=1), "--time", time, "--seed", number, *KINDS.get(library, []))
            right = [fault for fault in answer["faults"] if fault["fault"] == "bits" and fault["what"].startswith("1 bit differs")]
            if len(right) != len(answer["faults"]):
                raise RuntimeError("stress-rare: something else was found: %s" % answer["faults"])
            found += bool(right)
            large += answer["arms"][0]["large_messages"]
            seconds += answer["arms"][0]["seconds"]
        rate = large / seconds
        missed = math.exp(-rate * RARE_S / RARE)
        kinds = ", " + KINDS[library][1] if library in KINDS else ""
        row("stress: %s%s, one bit in one of 10^5 messages above 64 KiB" % (library, kinds), "within %d s in 19 of 20" % RARE_S,
            "%d of %d" % (found, count), found >= math.ceil(0.95 * count))
        row("  messages above 64 KiB", "", "%.0f a second; %.1f %% of such runs find nothing" % (rate, 100 * missed), None)


def faults(scratch, profiles):
    for library in libraries_of(profiles):
        for planted, told in FAULTS.items():
            answer, seconds = stressed(arm(scratch, profiles[library], WRONG_FAULT=planted, WRONG_EVERY=1000),
                                       "--time", "%ds" % (2 * FAULT_S))
            first = answer["faults"][0]["fault"] if answer["faults"] else "nothing"
            row("stress: %s, %s in one of 1000 messages from 1 KiB" % (library, planted), "%s within %d s" % (told, FAULT_S),
                "%s, %.1f s with the launch" % (first, seconds), first == told and seconds <= FAULT_S)


def sound(_scratch, profiles):
    for library in libraries_of(profiles):
        answer, _ = stressed(library, "--time", os.environ.get("INVAR_BENCH_BUDGET", "10m"))
        counts = answer["arms"][0]
        row("stress: %s as it is" % library, "nothing in 10 minutes",
            "%d faults in %.3g messages, %.3g of them above 64 KiB, %d collectives" %
            (len(answer["faults"]), counts["messages"], counts["large_messages"], counts["collectives"]), not answer["faults"])
