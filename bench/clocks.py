"""The clocks' subjects of run.py: goals and the ablation on simulated networks, where the truth is known, and goals on a
real library, whose clocks are virtual."""

import csv
import io
import json
import math
import statistics

from common import INVAR, SOURCE, row, run

# What nobody designed: round trips recorded in shared memory and on an emulated wire between hosts, on busy cores.
REPLAYS = ["replay:%s" % (SOURCE / ("bench/round_trips_%s.txt" % name)) for name in ("shared_memory", "wire")]


def short(network):
    return network.rsplit("/", 1)[-1].removesuffix(".txt")


def clock_errors(network, ranks, algorithms, duration="1s", seeds=40):
    """(algorithm, seconds after) -> median over seeds of the worst rank's error in ns; and seconds taken."""
    text = run(INVAR, "clocks", "accuracy", "--link", "simulated", "--network", network, "--ranks", ranks, "--algorithms",
               ",".join(algorithms), "--duration", duration, "--seeds", seeds, "--format", "csv")
    errors, taken = {}, {}
    for line in csv.DictReader(io.StringIO(text)):
        name = ":".join(part for part in line["algorithm"].split(":") if not part.startswith("duration="))
        errors[name, float(line["after_s"])] = float(line["worst_median_ns"])
        taken[name] = float(line["sync_s"])
    return errors, taken


def clocks(_, __):
    """Simulated networks, all algorithms with the same virtual time, medians over 40 seeds."""
    others = ["jk", "hca3"]
    for network, ranks, duration, target in (("bursty", 32, "500ms", 1 / 5), ("bursty", 32, "2s", 1 / 5),
                                             ("bursty", 64, "500ms", 1 / 5), ("bursty", 64, "2s", 1 / 5),
                                             ("quiet", 32, "1s", 1), ("quiet", 64, "1s", 1),
                                             ("asymmetric", 32, "1s", 1 / 2), ("asymmetric", 64, "1s", 1 / 2),
                                             (REPLAYS[0], 32, "1s", 1), (REPLAYS[1], 32, "8s", 1 / 5)):
        errors, _taken = clock_errors(network, ranks, others + ["mesh"], duration)
        for after in (0.0, 5.0, 20.0):
            best = min(errors[name, after] for name in others)
            row("clocks: mesh / best of jk and hca3, %s, %d ranks, %s, after %g s" % (short(network), ranks, duration, after),
                "at most %g" % target, "%.1f ns / %.1f ns = %.4f" % (errors["mesh", after], best, errors["mesh", after] / best),
                errors["mesh", after] <= target * best)
    # The bursts of 10 cycles take what they take: what grows with ranks is the tree, the barriers and the solution.
    small = clock_errors("quiet", 64, ["mesh:most-cycles=12"], "500ms", 1)[1]["mesh:most-cycles=12"]
    for ranks in (1024, 16384):
        large = clock_errors("quiet", ranks, ["mesh:most-cycles=12"], "500ms", 1)[1]["mesh:most-cycles=12"]
        target = math.log2(ranks) / math.log2(64)
        row("clocks: mesh's time beyond its 0.5 s, %d / 64 ranks" % ranks, "below %.1f ms" % (100 * target),
            "%.1f ms / %.1f ms" % (1e3 * (large - 0.5), 1e3 * (small - 0.5)), large - 0.5 <= 0.1 * target)


def library(_, profiles):
    """Two ranks of a real library whose virtual clocks are 13 ppm apart: mesh's first model, and tracked over a minute."""
    name = sorted(profiles)[0]
    text = run(INVAR, "clocks", "accuracy", "--library", name, "--ranks", 2, "--algorithms", "mesh", "--duration", "1s",
               "--after", "20s", "--seeds", 5, "--interval", "10s", "--virtual-skew", "13e-6", "--format", "csv")
    first = [line for line in csv.DictReader(io.StringIO(text)) if " " not in line["algorithm"]][0]
    row("clocks: mesh 20 s after 1 s, %s, 2 ranks, 13 ppm" % name, "at most 500 ns",
        "%.1f ns [%.1f, %.1f]" % tuple(float(first[key]) for key in ("worst_median_ns", "worst_min_ns", "worst_max_ns")),
        float(first["worst_median_ns"]) <= 500)
    text = run(INVAR, "clocks", "tracking", "--library", name, "--ranks", 2, "--duration", "60s", "--algorithms",
               "mesh:duration=1", "--virtual-skew", "13e-6", "--format", "csv")
    lines = list(csv.DictReader(io.StringIO(text)))
    for clock in ("predicted", "smoothed"):
        largest = max(float(line["max_ns"]) for line in lines if line["clock"] == clock)
        row("clocks: mesh tracked over 60 s, %s, largest error, %s" % (name, clock), "at most 500 ns", "%.1f ns" % largest,
            largest <= 500)
    share = float(lines[0]["tracking_share"])
    row("clocks: tracking's share of the time, %s" % name, "below 1 %", "%.3f %%" % (100 * share), share < 0.01)


def wilson(hits, tries):
    """95 % interval of a share (Wilson 1927)."""
    z, share = 1.96, hits / tries
    middle = (share + z * z / (2 * tries)) / (1 + z * z / tries)
    half = z / (1 + z * z / tries) * math.sqrt(share * (1 - share) / tries + z * z / (4 * tries * tries))
    return middle - half, middle + half


def coverage(_, profiles):
    """Live drifts of virtual clocks that are 50 ppm apart: how often the interval of 95 % holds the truth."""
    name = "mpich" if "mpich" in profiles else sorted(profiles)[0]
    hits, halves, runs = 0, [], 100
    for _ in range(runs):
        text = run(INVAR, "clocks", "drift", "--library", name, "--ranks", 2, "--virtual-skew", "50e-6", "--duration", "1s",
                   "--interval", "50ms", "--format", "json")
        line = json.loads(text)["lines"][0]
        hits += line["drift_low_ppm"] <= line["true_ppm"] <= line["drift_high_ppm"]
        halves.append((line["drift_high_ppm"] - line["drift_low_ppm"]) / 2)
    low, high = wilson(hits, runs)
    row("clocks: drift of 50 ppm in 1 s, %s: the interval covers" % name, "90 of 100 and more",
        "%d of %d [%.0f, %.0f %%]" % (hits, runs, 100 * low, 100 * high), hits >= 90)
    row("  half of its length", "", "median %.3f ppm" % statistics.median(halves), None)


class Worth:
    """What the error becomes without each part, relative to the whole: the largest ratio, and the smallest."""

    def __init__(self):
        self.ratios = {}

    def add(self, part, off_ns, on_ns, where):
        self.ratios.setdefault(part, []).append((off_ns / on_ns, on_ns, off_ns, where))
        return off_ns / on_ns

    def tell(self):
        for part, ratios in self.ratios.items():
            most, least = max(ratios), min(ratios)
            row("clocks: without %s, largest ratio" % part, "at least 1.25",
                "%.2f (%.3g -> %.3g ns: %s)" % most, most[0] >= 1.25)
            row("  the smallest ratio", "", "%.2f (%.3g -> %.3g ns: %s)" % least, None)


def synchronisation_parts(worth):
    parts = ["spread", "alternate", "excess", "noise", "bias", "huber", "deskew"]
    for network in ["quiet", "bursty", "lan", "far", "asymmetric", "detour", "rerouted"] + REPLAYS:
        errors, _taken = clock_errors(network, 32, ["mesh"] + ["mesh:%s=0" % part for part in parts], "1s", 20)
        for part in parts:
            ratios = [worth.add(part, errors["mesh:%s=0" % part, after], errors["mesh", after],
                                "%s, after %g s" % (short(network), after)) for after in (0.0, 5.0, 20.0)]
            row("  without %s, %s: error after 0, 5, 20 s" % (part, short(network)), "", "%.2f, %.2f, %.2f" % tuple(ratios),
                None)
    few = "mesh:most-cycles=12"
    errors, _taken = clock_errors("bursty", 1024, [few, few + ":scatter=0"], "1s", 2)
    for after in (0.0, 5.0, 20.0):
        worth.add("scatter", errors[few + ":scatter=0", after], errors[few, after], "bursty, 1024 ranks, after %g s" % after)


# Part -> what replaces it, and which of the clocks it is for. Of several replacements the best one counts.
TRACKING_PARTS = {
    "Kalman's filter (the best of: newest look, line through two)": (("looks=1:cubic=0", "looks=1", "looks=2:cubic=0"), ""),
    "gate": (("gate=0",), ""), "floors carried over": (("carry-floors=0",), ""),
    "biases carried over": (("carry-biases=0",), ""), "wander fitted": (("fit-wander=0",), ""),
    "noise fitted": (("fit-noise=0",), ""), "smoothing (filtered states instead)": (("smooth=0",), "smoothed"),
    "cubic (lines instead)": (("cubic=0",), "smoothed")}


def tracked_errors(network, ranks, interval, duration, setting):
    """(clock, statistic) -> error in ns of the worst rank: mean over six parts of the time of the median and of what 95 % of
    the times of 10 machines are at most."""
    text = run(INVAR, "clocks", "tracking", "--link", "simulated", "--network", network, "--ranks", ranks, "--algorithms",
               "mesh:duration=1" + setting, "--interval", interval, "--duration", duration, "--seeds", 10, "--format", "csv")
    errors = {}
    for line in csv.DictReader(io.StringIO(text)):
        for statistic in ("median", "q95"):
            errors.setdefault((line["clock"], statistic), []).append(float(line[statistic + "_ns"]))
    return {key: statistics.mean(values) for key, values in errors.items()}


def tracking_parts(worth):
    for network in ["quiet", "warming", "bursty", "lan", "far", "asymmetric", "detour", "rerouted"] + REPLAYS:
        for ranks, interval, duration in ((2, "1s", "60s"), (16, "1s", "60s"), (16, "10s", "120s")):
            where = "%s, %d ranks, every %s" % (short(network), ranks, interval)
            whole = tracked_errors(network, ranks, interval, duration, "")
            first = [worth.add("tracking (first model instead)", whole["first-model", s], whole["predicted", s],
                               "%s, %s" % (where, s)) for s in ("median", "q95")]
            row("  without tracking, %s: median, 95 %%" % where, "", "%.2f, %.2f" % tuple(first), None)
            later = [worth.add("what comes after (prediction instead)", whole["predicted", s], whole["smoothed", s],
                               "%s, %s" % (where, s)) for s in ("median", "q95")]
            row("  prediction / smoothed, %s: median, 95 %%" % where, "", "%.2f, %.2f" % tuple(later), None)
            for part, (settings, only) in TRACKING_PARTS.items():
                others = [tracked_errors(network, ranks, interval, duration, ":" + setting) for setting in settings]
                ratios = [worth.add(part, min(other[key] for other in others), whole[key], "%s, %s, %s" % ((where,) + key))
                          for key in whole if key[0] == only or not only and key[0] != "first-model"]
                row("  without %s, %s" % (part.split(" (")[0], where), "", ", ".join("%.2f" % ratio for ratio in ratios), None)


def ablation(_, __):
    """Each part of mesh off: error relative to the whole, on every network; a part must be worth a fifth somewhere."""
    worth = Worth()
    synchronisation_parts(worth)
    # Columns: predicted (median and 95 % of the times), smoothed (the same); of parts that only results use, smoothed.
    tracking_parts(worth)
    worth.tell()
