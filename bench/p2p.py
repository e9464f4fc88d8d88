"""Messages between two ranks: do our operations cost more than the loops that a program would have, and do the two ways of a
message make up its round trip?

p2p: ping-pong and stream against the same loops written by hand, in one process and in turns (half a minute a library).
p2p-ways: one way there and back beside the round trip, of one campaign (two minutes a library).
"""

import csv
import io
import pathlib
import statistics

from common import INVAR, SOURCE, interval, row, run

SIZES = (8, 64, 1024, 8192, 65536)
WITHIN = 0.05  # from 1 KiB on
WITHIN_NS = 20  # below
LEFT_OUT = 7  # flags: warm-up, late, past the window


def libraries_here(profiles):
    return [name for name in ("openmpi", "mpich") if name in profiles] or sorted(profiles)[:1]


def program_lines(scratch, profile, library):
    objects = [path for path in (pathlib.Path(profile["engine"]).parent / "objects").glob("*.o") if "engine-main" not in path.name]
    program = scratch / ("p2p-" + library)
    run(profile["mpicxx"], "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I", SOURCE / "src",
        SOURCE / "bench/p2p.cpp", *objects, "-pthread", "-ldl", "-o", program, fine=(0,))
    return run(INVAR, "mpi", "run", library, "--ranks", 2, "--", program, fine=(0,)).splitlines()


def loops(scratch, profiles):
    for library in libraries_here(profiles):
        blocks, rate = {}, 0
        for line in program_lines(scratch, profiles[library], library):
            name, ours, by_hand = line.split()
            if name.startswith("rate"):
                rate = float(ours)
            else:
                blocks.setdefault(name, []).append((float(ours), float(by_hand)))
        for name, pairs in blocks.items():
            operation, size = name.split(",")
            # A block that a rank lost its processor in says nothing of either: the middle of all.
            shares = sorted(100 * (ours / by_hand - 1) for ours, by_hand in pairs)
            middle = statistics.median(shares)
            low, high = shares[len(shares) // 4], shares[-1 - len(shares) // 4]
            by_hand_ns = statistics.median(by_hand for _, by_hand in pairs) / rate * 1e9
            row("%s: %s of %s B, beyond the loop written by hand" % (library, operation, size), "at most 2 %",
                "%+.2f %% [%+.2f, %+.2f] of %.0f ns" % (middle, low, high, by_hand_ns), middle <= 2)


def medians(path):
    """(operation, size, pattern) -> median over launches of their medians, of the headline."""
    times = {}
    for line in csv.DictReader(io.StringIO(run(INVAR, "export", path, "--to", "csv"))):
        headline = line["round trip_ns" if line["operation"] == "pingpong" else "one way_ns"]
        if headline and not int(line["flags"]) & LEFT_OUT:
            key = line["operation"], int(line["size_bytes"]), line["pattern"]
            times.setdefault(key, {}).setdefault(line["launch"], []).append(float(headline))
    return {key: [statistics.median(values) for values in launches.values()] for key, launches in times.items()}


def ways(scratch, profiles):
    for library in libraries_here(profiles):
        file = scratch / (library + ".toml")
        file.write_text('schema = 1\nname = "ways"\nseed = 9\n\n[design]\nlaunches = 20\nrounds = 5\nrepetitions = 50\n\n'
                        '[[cells]]\noperation = "pingpong"\nsize = %s\nranks = 2\n\n'
                        '[[cells]]\noperation = "oneway"\nsize = %s\nranks = 2\npattern = ["distance:1", "distance:1:back"]\n\n'
                        '[[arm]]\nlibrary = "%s"\n' % (list(SIZES), list(SIZES), library))
        run(INVAR, "run", file, "-o", scratch / library)
        of = medians(scratch / library)
        for size in SIZES:
            trips = of["pingpong", size, "distance:1"]
            there, back = of["oneway", size, "distance:1"], of["oneway", size, "distance:1:back"]
            trip, half = interval(trips)
            both = statistics.mean(there) + statistics.mean(back)
            reached = abs(both - trip) <= (WITHIN * trip if size >= 1024 else WITHIN_NS)
            row("%s: there and back of %d B beside the round trip" % (library, size),
                "within 5 %" if size >= 1024 else "within 20 ns",
                "%.0f + %.0f / %.0f +- %.0f ns" % (statistics.mean(there), statistics.mean(back), trip, half), reached)
