"""The network model against known truth (bench/network.cpp: simulated campaigns, so the machine matters to no figure), on SimGrid's
calibration of a real network, and, by name (`network-limits`), eager limits of the real library."""

import json
import math

import pieces as lines
from common import BUILD, INVAR, SOURCE, row, run

MACHINES = 100
SHARED = 50
PER_BYTE = ("G", "G of trains", "o_s per byte", "o_r per byte")
LIMITS = (2048, 8192, 16384)
# Fifty sizes around the limit, 13 B apart.
LIMIT_BUDGET = "60s"
BELOW_BYTES, ABOVE_BYTES = 384, 256
NEAR_BYTES = 64


def share_interval(counts):
    """95 % interval of the share inside, of (identified, inside) of every machine. A machine's parameters are fitted to the same
    launch groups, so that they miss together: the machines are what is independent. A ratio of sums, linearised."""
    share = sum(inside for _, inside in counts) / sum(identified for identified, _ in counts)
    machines, mean = len(counts), sum(identified for identified, _ in counts) / len(counts)
    squares = sum((inside - share * identified) ** 2 for identified, inside in counts)
    half = 1.96 * math.sqrt(squares / (machines * (machines - 1))) / mean
    return share - half, share + half


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def simulated(kind, machines, burst_every, resamples=399):
    """Lines of bench_network by their first word: names (several words), then numbers."""
    found = {}
    for line in run(BUILD / "bench/bench_network", "machines", kind, 1, machines, burst_every, resamples).splitlines():
        word, *rest = line.split()
        names = [text for text in rest if not is_number(text)]
        found.setdefault(word, {})[" ".join(names)] = [float(text) for text in rest if is_number(text)]
    return found


def known_truth():
    found = simulated("wire", MACHINES, 5)
    inside_all = of_all = 0
    for name, (identified, inside, width, error, on_bound, _, _) in sorted(found["parameter"].items()):
        if not identified:
            continue
        inside_all, of_all = inside_all + inside, of_all + identified
        slope = name.split(" ", 1)[1] in PER_BYTE
        limit = 0.05 if slope else 0.10
        row("network: %s inside its 95 %% interval" % name, "at least 88 of 100", "%.1f of 100 (%.0f of %.0f; on its bound %.0f)" %
            (100 * inside / identified, inside, identified, on_bound), inside >= 0.88 * identified)
        row("  half-width, median; error, median", "at most %.0f %%" % (100 * limit), "%.1f %%; %+.2f %%" % (100 * width, 100 * error), width <= limit)
    low, high = share_interval(list(found["machine"].values()))
    row("network: all parameters, share inside", "interval holds 95 %", "%.1f %% [%.1f, %.1f] of %.0f" %
        (100 * inside_all / of_all, 100 * low, 100 * high, of_all), low <= 0.95 <= high)
    for name, (machines, bounded, inside) in found["threshold"].items():
        row("network: %s inside its interval" % name, "at least 88 of 100", "%.0f of %.0f (bounded %.0f)" % (inside, machines, bounded),
            inside >= 0.88 * machines)
    for name, (machines, right, more, breaks, inside, ratio) in found["breaks"].items():
        row("network: breaks of %s: right number; more" % name, "at least 95 of 100", "%.0f; %.0f of %.0f" % (right, more, machines),
            right >= 0.95 * machines)
        row("  of these inside; ends of the interval", "at least 95 of 100", "%.0f of %.0f; factor %.3f" % (inside, breaks, ratio),
            inside >= 0.95 * breaks)
    for name, (sizes, median, most) in found["held-out"].items():
        row("network: sizes held out, %s" % name, "median 5 %, 95 % below 15 %", "%.1f %%, %.1f %% of %.0f" % (100 * median, 100 * most, sizes),
            median <= 0.05 and most <= 0.15)
    quiet = simulated("wire", MACHINES, 0, 19)
    for name, (breaks, there, wrong) in found["detector"].items():
        planted, quiet_there, quiet_wrong = quiet["detector"][name]
        row("  %s: within 10 %%; none there" % name, "", "%.0f of %.0f; %.0f (no bursts: %.0f of %.0f; %.0f)" %
            (there, breaks, wrong, quiet_there, planted, quiet_wrong), None)
    row("network: a model of 3 minutes, CPU", "", "%.2f s" % found["seconds"][""][0], None)


def shared_memory():
    found = simulated("shared", SHARED, 5, 99)
    identified, _, _, _, on_bound, told, _ = found["parameter"]["LogP L"]
    row("network: L below 0 by subtraction is on its bound", "all", "%.0f of %.0f; identified %.0f" % (on_bound, SHARED, identified),
        on_bound >= 0.95 * SHARED)
    row("  of these with what it would be", "all", "%.0f of %.0f" % (told, on_bound), told == on_bound)


def graphene():
    for breaks in ((), ("own",)):
        found = {}
        for line in run(BUILD / "bench/bench_network", "imported", SOURCE / "tests/golden/graphene_eth", *breaks).splitlines():
            words = line.split()
            if words[0] == "held-out":
                found[" ".join(words[1:3])] = list(map(float, words[3:]))
            elif words[0] == "simulated":
                found[words[1]] = list(map(float, words[2:]))
        name = "our breaks" if breaks else "its author's breaks"
        for of in ("pieces round-trip", "LogGP round-trip"):
            sizes, median, most = found[of]
            row("network: graphene_eth, %s, %s" % (name, of), "median 5 %", "%.1f %%, 95 %% below %.0f %% of %.0f sizes" %
                (100 * median, 100 * most, sizes), median <= 0.05)
        exact, usual = found["exact"], found["usual"]
        row("  simulated: exact inversion; usual formulas", "below the usual ones", "%.1f %%; %.1f %% (%.0f sizes have no time)" %
            (100 * exact[1], 100 * usual[1], usual[3]), exact[1] < usual[1])


def network(scratch, profiles):
    known_truth()
    shared_memory()
    graphene()
    difference, others, divisions = map(float, run(BUILD / "bench/bench_pieces", "golden", SOURCE / "tests/golden/stats_segmented.csv").split())
    row("network: squares beside R's strucchange", "within 1e-9, same breaks", "%.1g; %.0f of %.0f with other breaks" % (difference, others, divisions),
        difference <= 1e-9 and others == 0)
    lines.pieces(scratch, profiles)


def limits(scratch, profiles):
    library = "openmpi"
    if library not in profiles:
        raise RuntimeError("no Open MPI here, whose limit this is")
    for limit in LIMITS:
        answer = json.loads(run(INVAR, "network", "%s:OMPI_MCA_btl_vader_eager_limit=%d" % (library, limit), "--sizes",
                                "%d:%d" % (limit - BELOW_BYTES, limit + ABOVE_BYTES), "--budget", LIMIT_BUDGET, "-o", scratch / ("limit-%d" % limit),
                                "--format", "json"))
        breaks = [piece for piece in answer["pieces"] if piece["series"] == "round-trip" and piece["next_bytes"] is not None]
        if not breaks:
            row("network: eager limit of %d B" % limit, "a break within 64 B", "none", False)
            continue
        # The limit counts a header of 56 B (docs/papers.md, figure 1a): 8 B are left for where in its gap a break lies.
        nearest = min(breaks, key=lambda piece: abs(piece["next_bytes"] - limit))
        row("network: eager limit of %d B, %d breaks" % (limit, len(breaks)), "a break within 64 B", "%d to %d B [%.0f, %.0f]" %
            (nearest["to_bytes"], nearest["next_bytes"], nearest["break_low_bytes"], nearest["break_high_bytes"]),
            abs((nearest["to_bytes"] + nearest["next_bytes"]) / 2 - limit) <= NEAR_BYTES)
