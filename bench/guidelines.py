"""Are verdicts on guidelines right, on a real library with 2 ranks of an idle machine?

guidelines-self: 9 operations under a second name (second-names), the paper's 20 sizes, no tolerance: what is violated is a
false verdict (5 runs of 5 minutes at most). guidelines-planted: the same with 12 % planted by plant.c in the left side of 6 of the
180 cells, then 3 % under a tolerance of 5 % (3 runs each, half an hour). guidelines-slow: a slow algorithm of Open MPI against
reference algorithms, and against itself (3 minutes). guidelines-same: reference algorithms beside Open MPI forced to the
same ones (10 minutes). guidelines-marks: what marked phases cost, and whether they make up the call (2 minutes).
guidelines-paper: the paper's rules in 15 minutes.
INVAR_BENCH_RACES=N and INVAR_BENCH_BUDGET=TIME take fewer runs and shorter ones, to see that all this works.
"""

import csv
import io
import json
import math
import os
import random

from common import INVAR, SOURCE, row, run
from limits import ANSWERED, arms, built_wrapper, measured, planted_arm, races

OPERATIONS = ("allgather", "allreduce", "bcast", "gather", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter")
SECOND_NAMES = SOURCE / "bench/second-names"
# `invar guidelines` has the paper's sizes if none are named. Of bytes all operations have them all: reductions are bor.
PAPER_SIZES = 20
CELLS = len(OPERATIONS) * PAPER_SIZES
TWO_RANKS = ("--ranks", 2)
PLANTED_CELLS = 6
LEAST_NS = 1000
DYNAMIC = "OMPI_MCA_coll_tuned_use_dynamic_rules=1"
SLOW_BCAST = "slow=openmpi:%s,OMPI_MCA_coll_tuned_bcast_algorithm=3,OMPI_MCA_coll_tuned_bcast_algorithm_segmentsize=64" % DYNAMIC
LARGE_BYTES = 16384
# Operation, number of the algorithm in coll/tuned (ompi_info --param coll tuned --level 9), name of ours. It has no pairwise
# reduce_scatter_block. Without segments its pipeline (bcast 3) is the chain.
SAME = (("bcast", 6, "binomial"), ("bcast", 9, "scatter-ring-allgather"), ("bcast", 3, "chain"),
        ("allgather", 4, "ring"), ("allgather", 3, "recursive-doubling"), ("allgather", 2, "bruck"),
        ("allgather", 5, "neighbour-exchange"),
        ("alltoall", 1, "spread"), ("alltoall", 2, "pairwise"), ("alltoall", 3, "bruck"),
        ("allreduce", 3, "recursive-doubling"), ("allreduce", 6, "rabenseifner"), ("allreduce", 4, "ring"),
        ("reduce", 5, "binomial"), ("reduce", 7, "reduce-scatter-gather"),
        ("reduce_scatter_block", 3, "recursive-halving"), ("gather", 2, "binomial"), ("scatter", 2, "binomial"),
        ("scan", 2, "recursive-doubling"), ("scan", 1, "linear"))
# What "within 10 %" is, of ratios.
WITHIN = 0.10
PHASED = "allreduce@rabenseifner"
PHASES = ("fold", "reduce-scatter", "allgather", "unfold")
INVALID = 7  # of a record's flags: warm-up, late, lost
ROUNDING_NS = 1  # of each of the times that are added


def budget(usual):
    return os.environ.get("INVAR_BENCH_BUDGET", usual)


def answered(name, *words):
    """What `invar` answered as JSON, what it said beside that, and seconds."""
    status, out, error, seconds = measured(*words, "--format", "json")
    if status != ANSWERED or not out:
        raise RuntimeError("%s: exit status %d\n%s" % (name, status, error[-2000:]))
    return json.loads(out), error, seconds


def judged(scratch, name, rules, names, *words):
    """Rules and sizes as `invar guidelines` judges them in these arms, and seconds."""
    file = scratch / (name + ".rules")
    file.write_text("\n".join(rules) + "\n")
    answer, _, seconds = answered(name, "guidelines", *names, "--rules", file, *TWO_RANKS, "-o", scratch / name, *words)
    return answer["guidelines"], seconds


def second_names(operations=OPERATIONS, tolerance=""):
    return ["again-%s: %s(n) <= %s=again(n)%s" % (name, name, name, tolerance) for name in operations]


def all_judged(scratch, name, arm, seed, *words, tolerance=""):
    """The operations under their second names at all sizes."""
    cells, seconds = judged(scratch, name, second_names(tolerance=tolerance), [arm], "--ops", SECOND_NAMES, "--with",
                            "datatype=byte", "--seed", seed, *words)
    without = [cell for cell in cells if cell["verdict"] not in ("violated", "holds", "undecided")]
    if len(cells) != CELLS or without:
        raise RuntimeError("%s: %d cells instead of %d, %d of them without a verdict%s" %
                           (name, len(cells), CELLS, len(without), ": %s" % (without[0]["why"] or "") if without else ""))
    return cells, seconds


def key_of(cell):
    return cell["left"], cell["size_bytes"]


def is_violated(cell):
    return cell["verdict"] == "violated"


def words_of(cell):
    return "%s %d: %.3f [%.3f, %.3f], %s" % (cell["left"], cell["size_bytes"], cell["factor"] or math.nan, cell["factor_low"] or 0,
                                             cell["factor_high"] or math.inf, cell["verdict"])


def self_mockups(scratch, profiles):
    """A library against itself."""
    library = arms(profiles)[0]
    count = races(5)
    violated = with_any = 0
    for number in range(1, count + 1):
        cells, seconds = all_judged(scratch, "self-%d" % number, library, number, "--budget", budget("5m"))
        found = [cell for cell in cells if is_violated(cell)]
        violated += len(found)
        with_any += bool(found)
        print("    %.0f s, %d launches of each cell at most, %d violated%s" %
              (seconds, max(cell["groups"] for cell in cells), len(found),
               ": " + "; ".join(map(words_of, found)) if found else ""), flush=True)
    row("guidelines: %s against itself, no tolerance, violated" % library, "at most 1 %", "%d of %d cells" % (violated, count * CELLS),
        violated <= 0.01 * count * CELLS)
    row("  runs with any", "at most 1 of 5", "%d of %d" % (with_any, count), with_any <= max(1, count // 5))


def planted(scratch, profiles):
    """Delays in the left side of some rules. Their length is known from a run in which nothing is planted."""
    library = arms(profiles)[0]
    shim = built_wrapper(scratch, profiles[library])
    cells, _ = all_judged(scratch, "pilot", planted_arm("planted", library, shim), 1, "--fixed", "--budget", budget("2m"))
    times_ns = {key_of(cell): cell["right_ns"] for cell in cells}
    long_enough = sorted(key for key, ns in times_ns.items() if ns >= LEAST_NS)
    drawn = random.Random(2016)
    count = races(3)
    for share, tolerance in ((0.12, ""), (0.03, " tolerance 5%")):
        found = others = 0
        for number in range(1, count + 1):
            chosen = sorted(drawn.sample(long_enough, PLANTED_CELLS))
            delays_ns = {key: share * times_ns[key] for key in chosen}
            cells, seconds = all_judged(scratch, "planted-%.0f-%d" % (100 * share, number),
                                        planted_arm("planted", library, shim, delays_ns), number, "--budget", budget("5m"),
                                        tolerance=tolerance)
            print("    %.0f %% planted, %.0f s" % (100 * share, seconds), flush=True)
            for cell in cells:
                if key_of(cell) in delays_ns:
                    found += is_violated(cell)
                    # The machine may be another one than in the pilot.
                    print("      planted %.1f ns (%.1f %% here), %s" %
                          (delays_ns[key_of(cell)], 100 * delays_ns[key_of(cell)] / cell["right_ns"], words_of(cell)))
                elif is_violated(cell):
                    others += 1
                    print("      nothing planted, " + words_of(cell))
        where = "%.0f %% planted in %d of %d cells%s" % (100 * share, PLANTED_CELLS, CELLS, "," + tolerance if tolerance else "")
        all_planted = count * PLANTED_CELLS
        if tolerance:
            row("guidelines: %s, violated" % where, "none", "%d of %d" % (found, all_planted), found == 0)
            row("  others violated", "none", "%d of %d" % (others, count * (CELLS - PLANTED_CELLS)), others == 0)
        else:
            row("guidelines: %s, violated" % where, "at least 5 of 6", "%d of %d" % (found, all_planted), found >= 5 / 6 * all_planted)
            row("  others violated", "at most 1 a run", "%d of %d" % (others, count * (CELLS - PLANTED_CELLS)), others <= count)


def open_mpi(profiles):
    if "openmpi" not in profiles:
        raise RuntimeError("needs Open MPI (apt-get install openmpi-bin libopenmpi-dev)")


def slow_algorithm(scratch, profiles):
    """Segments of 64 B: what a library has besides is slow as well, reference algorithms are not."""
    open_mpi(profiles)
    references = (SOURCE / "rules/references.rules").read_text().splitlines()
    rules = [line for line in references if line.startswith("bcast(")] + second_names(["bcast"])
    cells, _ = judged(scratch, "slow", rules, ["openmpi", SLOW_BCAST], "--ops", SECOND_NAMES, "--size", "4KiB:1MiB", "--budget",
                      budget("3m"), "--seed", 1)
    for right in dict.fromkeys(cell["right"] for cell in cells if cell["right"]):
        for arm in ("slow", "openmpi"):
            large = [cell for cell in cells if (cell["right"], cell["arm"]) == (right, arm) and (cell["size_bytes"] or 0) >= LARGE_BYTES]
            found = [cell for cell in large if is_violated(cell)]
            target, reached = "", None
            if right == "bcast=again":
                target, reached = "none", not found
            elif arm == "slow" and right == "bcast@binomial":
                target, reached = "all", len(found) == len(large) > 0
            row("guidelines: bcast(n) <= %s(n), 16 KiB to 1 MiB, %s, violated" % (right, arm), target,
                "%d of %d" % (len(found), len(large)), reached)
            print("    " + "; ".join(map(words_of, large)))


def same_algorithm(scratch, profiles):
    """A schedule's time / that of Open MPI by the same algorithm."""
    open_mpi(profiles)
    for operation, number, algorithm in SAME:
        ours = "%s@%s" % (operation, algorithm)
        forced = "forced=openmpi:%s,OMPI_MCA_coll_tuned_%s_algorithm=%d" % (DYNAMIC, operation, number)
        answer, _, _ = answered(ours, "race", forced, "--operation", "%s,%s" % (operation, ours), "--against", "operation", "--size",
                                "8,1KiB,64KiB", *TWO_RANKS, "--min-effect", "%.0f%%" % (100 * WITHIN), "--budget", budget("30s"),
                                "--seed", 1, "-o", scratch / ours)
        for cell in answer["cells"]:
            if cell["regime"] is not None:
                continue
            low, high = cell["ratio_low"] or 0, cell["ratio_high"] or math.inf
            inside = 1 / (1 + WITHIN) <= low and high <= 1 + WITHIN
            outside = high < 1 / (1 + WITHIN) or low > 1 + WITHIN
            row("guidelines: %s / Open MPI's %s %d, %d B" % (ours, operation, number, cell["size_bytes"]), "within 10 %",
                "%.3f [%.3f, %.3f]" % (cell["ratio"] or math.nan, low, high), True if inside else False if outside else None)


def marks(scratch, profiles):
    """An algorithm with its phases marked beside the same without, and the sum of the phases."""
    data = scratch / "marks"
    answer, _, _ = answered("marks", "race", arms(profiles)[0], "--operation", PHASED, "--against", "marks", "--with",
                            "marks=off,on", "--size", "8,1KiB,64KiB", *TWO_RANKS, "--budget", budget("60s"), "--seed", 1, "-o", data)
    for cell in answer["cells"]:
        if cell["regime"] is None:
            row("guidelines: %s marked / unmarked, %d B" % (PHASED, cell["size_bytes"]), "",
                "%.3f [%.3f, %.3f]" % (cell["ratio"] or math.nan, cell["ratio_low"] or 0, cell["ratio_high"] or math.inf), None)
    # From the start of the rank that ends last to its end: the call is longer by as much as that rank starts behind the first.
    sums = right = 0
    for line in csv.DictReader(io.StringIO(run(INVAR, "export", data, "--to", "csv"))):
        parts = [line[phase + "_ns"] for phase in PHASES]
        if int(line["flags"]) & INVALID or not all(parts) or not line["global_ns"]:
            continue
        sums += 1
        call_ns, skew_ns, sum_ns = float(line["global_ns"]), float(line["start_skew_ns"]), sum(map(float, parts))
        slack_ns = ROUNDING_NS * (len(parts) + 2)
        right += call_ns - skew_ns - slack_ns <= sum_ns <= call_ns + slack_ns
    if sums == 0:
        raise RuntimeError("no repetition of %s has the times of its phases" % data)
    row("  calls that their phases make up", "all", "%d of %d" % (right, sums), right == sums)


def paper(scratch, profiles):
    """The paper's rules at the paper's sizes."""
    library = arms(profiles)[0]
    answer, said, seconds = answered("paper", "guidelines", library, "--rules", "pgmpi", *TWO_RANKS, "--budget", budget("15m"),
                                     "--seed", 1, "-o", scratch / "paper")
    verdicts = [cell["verdict"] for cell in answer["guidelines"] if cell["verdict"] != "not-measured"]
    undecided = verdicts.count("undecided")
    row("guidelines: rules/pgmpi.rules, %s, undecided" % library, "at most 10 %",
        "%d of %d (%.0f s)" % (undecided, len(verdicts), seconds), undecided <= 0.1 * len(verdicts))
    row("  violated, hold", "", "%d, %d" % (verdicts.count("violated"), verdicts.count("holds")), None)
    print("    " + next((line for line in said.splitlines() if "would take" in line), "nothing said of 30 launches of 1000"))
