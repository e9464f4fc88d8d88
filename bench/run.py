"""Benchmarks of Invar itself: `make bench`. Every figure is a ratio or a cost measured within this run; targets that a
noisy machine misses are shown as missed and fail nothing. Exit status 1: something could not be measured.

    python3 bench/run.py BUILD_DIR [timed-region turns engine analysis clocks clocks-library clocks-ablation]
"""

import csv
import io
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
INVAR = str(BUILD / "invar")
# Two-sided 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
T95 = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09]
SESSION_GROUPS = 10

rows = []


def row(figure, target, measured, reached):
    """reached: True, False or None (nothing to reach: for information)."""
    rows.append((figure, target, measured, {True: "reached", False: "MISSED", None: ""}[reached]))
    print("  %-58s %-26s %-34s %s" % rows[-1], flush=True)


def run(*words, **options):
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, **options)
    if result.returncode not in (0, 1):
        raise RuntimeError("%s: exit status %d\n%s" % (" ".join(map(str, words)), result.returncode, result.stderr[-2000:]))
    return result.stdout


def interval(values):
    """Mean and half-width of its 95 % interval."""
    if len(values) < 2:
        return statistics.mean(values), float("inf")
    t = T95[len(values) - 2] if len(values) - 1 <= len(T95) else 1.96
    return statistics.mean(values), t * statistics.stdev(values) / math.sqrt(len(values))


def libraries():
    profiles = json.loads(run(INVAR, "mpi", "list", "--format", "json"))["profiles"]
    return {profile["name"]: profile for profile in profiles if not profile["problem"]}


class Campaign:
    def __init__(self, scratch, name, arms, launches, rounds, repetitions, sizes="[8, 1024]", pairing="turns"):
        text = ('schema = 1\nname = "bench"\nseed = 5\n\n[design]\nlaunches = %d\nrounds = %d\nrepetitions = %d\n\n'
                '[[cells]]\noperation = "allreduce"\nsize = %s\nranks = 2\n\n[engine]\npairing = "%s"\n'
                % (launches, rounds, repetitions, sizes, pairing))
        for label, library in arms:
            text += '\n[[arm]]\nlibrary = "%s"\nlabel = "%s"\n' % (library, label)
        file = scratch / (name + ".toml")
        file.write_text(text)
        self.path = scratch / name
        begin = time.monotonic()
        run(INVAR, "run", file, "-o", self.path)
        self.seconds = time.monotonic() - begin
        self.groups = {}
        for line in (self.path / "manifest.jsonl").read_text().splitlines():
            entry = json.loads(line)
            if entry["type"] == "launch":
                self.groups.setdefault(entry["group"], []).append((entry["arm"], self.path / entry["dir"]))

    @staticmethod
    def visits(path):
        lines = map(json.loads, (path / "journal.jsonl").read_text().splitlines())
        return [line for line in lines if line["type"] == "visit"]

    @staticmethod
    def environment(path):
        return json.loads((path / "env.json").read_text())

    @staticmethod
    def medians(path):
        """Visit -> median of its valid local times in ns."""
        import struct
        values = {}
        for record in struct.iter_unpack("<IIqqqqqqIHH", (path / "timings.bin").read_bytes()):
            if not record[9] & 7:
                values.setdefault(record[0], []).append(record[4] / 1e3)
        return {visit: statistics.median(times) for visit, times in values.items()}


def usual(profiles):
    """A library whose wrapper needs no environment of its own, if there is one."""
    return next((name for name in ("mpich", "openmpi") if name in profiles), sorted(profiles)[0])


def timed_region(scratch, profiles):
    profile = profiles[usual(profiles)]
    objects = [path for path in (pathlib.Path(profile["engine"]).parent / "objects").glob("*.o")
               if not path.name.startswith("engine-")]
    program = scratch / "timed_region"
    run(profile["mpicxx"], "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I", SOURCE / "src",
        SOURCE / "bench/timed_region.cpp", *objects, "-pthread", "-o", program)
    blocks, rate = [], 0
    for line in run("taskset", "-c", min(os.sched_getaffinity(0)), program).splitlines():
        first, second = line.split()
        if first == "rate":
            rate = float(second)
        else:
            blocks.append((float(first), float(second)))
    differences = [(a - b) / rate * 1e9 for a, b in blocks]
    middle, half = interval(differences)
    row("timed region: empty minus two reads, mean of 10^6", "at most 5 ns",
        "%.2f ns [%.2f, %.2f]" % (middle, middle - half, middle + half), middle <= 5)
    row("  the same, median over 2000 blocks of 500", "", "%.2f ns" % statistics.median(differences), None)


def follow_differences(campaign, arm_count=2):
    """Log ratio of visits after the own arm to visits after another one: one value a group, mean over arms and cells."""
    values = []
    for launches in campaign.groups.values():
        order, medians = [], {}
        for arm, path in launches:
            for visit, median in Campaign.medians(path).items():
                medians[visit] = median
            order += [(visit["turn"], arm, visit["cell"], visit["visit"]) for visit in Campaign.visits(path)]
        order.sort()
        kinds = {}
        for before, now in zip(order, order[1:]):
            if now[3] in medians:
                kinds.setdefault((now[1], now[2]), ([], []))[before[1] == now[1]].append(math.log(medians[now[3]]))
        logs = [statistics.mean(own) - statistics.mean(other) for other, own in kinds.values() if own and other]
        if logs:
            values.append(statistics.mean(logs))
    return values


def group_ratios(campaign):
    """Per cell, the log ratio of every group's two arms: median over blocks by turns, of medians else."""
    ratios = {}
    for launches in campaign.groups.values():
        times = {}
        for arm, path in launches:
            medians = Campaign.medians(path)
            for visit in Campaign.visits(path):
                if visit["visit"] in medians:
                    times.setdefault((visit["cell"], arm), {})[visit["block"]] = math.log(medians[visit["visit"]])
        for cell in {cell for cell, _ in times}:
            first, second = (times.get((cell, arm), {}) for arm in ("a", "b"))
            blocks = [second[block] - first[block] for block in first if block in second]
            if blocks:
                ratios.setdefault(cell, []).append(statistics.median(blocks))
    return ratios


def turns(scratch, profiles):
    library = usual(profiles)
    arms = [("a", library), ("b", library)]
    # In halves and in turns, so that a change of the machine is in both.
    paired = [Campaign(scratch, "turns-%d" % i, arms, SESSION_GROUPS // 2, 10, 50) for i in (1,)]
    apart = [Campaign(scratch, "launches-%d" % i, arms, SESSION_GROUPS // 2, 10, 50, pairing="launches") for i in (1, 2)]
    paired.append(Campaign(scratch, "turns-2", arms, SESSION_GROUPS // 2, 10, 50))
    gaps, canaries = [], []
    for campaign in paired:
        for launches in campaign.groups.values():
            visits = sorted((visit for _, path in launches for visit in Campaign.visits(path)), key=lambda v: v["turn"])
            own = [(b["begin_ps"] - a["end_ps"]) / 1e6 for a, b in zip(visits, visits[1:]) if b["turn"] == a["turn"] + 1]
            gaps.append(statistics.median(own))
            canaries += [max(visit["canary_ps"]) / 1e3 for visit in visits if visit["canary_ps"]]
    middle, half = interval(gaps)
    row("turns: barrier, hand-over and wake of a visit", "below 60 us",
        "%.1f us [%.1f, %.1f]" % (middle, middle - half, middle + half), middle < 60)
    # Its interval needs more groups than the spreads do.
    followed = Campaign(scratch, "followed", arms, 4 * SESSION_GROUPS, 10, 50)
    middle, half = interval(follow_differences(followed))
    low, high = (100 * math.expm1(x) for x in (middle - half, middle + half))
    row("turns: visits after the own arm / after another", "within 2 %",
        "%+.2f %% [%+.2f, %+.2f]" % (100 * math.expm1(middle), low, high), low > -2 and high < 2)
    deviations = []
    for campaigns in (paired, apart):
        # The spread within each campaign: their levels may differ.
        deviations.append(statistics.median(
            statistics.stdev(values) for campaign in campaigns for values in group_ratios(campaign).values()))
    canaries.sort()
    low, high = canaries[len(canaries) // 20], canaries[-1 - len(canaries) // 20]
    several = high / low > 1.5
    row("A/A spread (sd of log ratios) by turns / by launches", "at most 1/3" if several else "at most 1",
        "%.4f / %.4f = %.2f" % (deviations[0], deviations[1], deviations[0] / deviations[1]),
        deviations[0] / deviations[1] <= (1 / 3 if several else 1))
    row("  machine time of both", "", "%.1f s / %.1f s" % tuple(sum(c.seconds for c in cs) for cs in (paired, apart)), None)
    row("  canary, 5 % and 95 % of visits", "", "%.0f ns, %.0f ns" % (low, high), None)


def engine(scratch, profiles):
    library = usual(profiles)
    few = Campaign(scratch, "few", [("a", library)], 5, 20, 20)
    # Both fill a segment: until the first is full, memory does grow with the visits.
    some = Campaign(scratch, "some", [("a", library)], 1, 200, 20)
    many = Campaign(scratch, "many", [("a", library)], 1, 2000, 20)
    costs = [Campaign.environment(path)["own_costs"] for launches in few.groups.values() for _, path in launches]
    middle, half = interval([(cost["first_visit_ns"] - cost["waiting_ns"]) / 1e6 for cost in costs])
    row("engine: MPI_Init to first visit, without waiting", "below 50 ms",
        "%.1f ms [%.1f, %.1f]" % (middle, middle - half, middle + half), middle < 50)
    peaks = [[Campaign.environment(path)["own_costs"]["peak_memory_bytes"] for ls in c.groups.values() for _, path in ls]
             for c in (some, many)]
    grown = statistics.mean(peaks[1]) - statistics.mean(peaks[0])
    # The plan itself grows by what its rows take; nothing else may.
    plan_bytes = len((next(iter(many.groups.values()))[0][1] / "visits.csv").read_bytes())
    row("engine: peak memory of rank 0, 4000 / 400 visits", "no growth but the plan",
        "%.1f / %.1f MB, plan %.2f MB" % (statistics.mean(peaks[1]) / 1e6, statistics.mean(peaks[0]) / 1e6, plan_bytes / 1e6),
        grown <= 4 * plan_bytes + 1e6)
    milliseconds = [float(run(BUILD / "bench/bench_analysis", "plan", 100000)) for _ in range(3)]
    row("engine: a plan of 10^5 visits read (by each rank)", "100 ms", "%.0f ms" % min(milliseconds), min(milliseconds) <= 100)


def analysis(scratch, _):
    program = BUILD / "bench/bench_analysis"
    results = {}
    for launches in (8, 30):
        run(program, "generate", scratch / ("data-%d" % launches), launches)
        results[launches] = [list(map(float, run(program, "compare", scratch / ("data-%d" % launches)).split()))
                             for _ in range(3)]
    best = {launches: min(measured, key=lambda values: values[3]) for launches, measured in results.items()}
    count, wall, read, cpu, memory, _ = best[30]
    walls = sorted(values[1] for values in results[30])
    row("analysis: %.2g observations to the table, wall time" % count, "at most 1.5 s",
        "%.2f s [%.2f, %.2f] (CPU %.2f s)" % (wall, walls[0], walls[-1], cpu), cpu <= 1.5)
    row("  of that reading and checking", "", "%.2f s" % read, None)
    row("analysis: memory beyond mapped files", "at most 300 MB", "%.0f MB" % (memory / 1e6), memory <= 300e6)
    slope = (best[30][3] / best[30][0]) / (best[8][3] / best[8][0])
    row("analysis: CPU per observation, %.2g / %.2g" % (count, best[8][0]), "at most 1.2 (linear)", "%.2f" % slope,
        slope <= 1.2)
    if not shutil.which("Rscript"):
        raise RuntimeError("no Rscript here (apt-get install r-base-core)")
    table = scratch / "data.csv"
    run(INVAR, "export", scratch / "data-8", "--to", "csv", "-o", table)
    begin = time.monotonic()
    run("Rscript", SOURCE / "bench/analysis.R", table)
    seconds = time.monotonic() - begin
    row("analysis: R from the CSV / invar, %.2g observations" % best[8][0], "20 or more expected",
        "%.1f s / %.2f s = %.0f" % (seconds, best[8][1], seconds / best[8][1]), seconds / best[8][1] >= 20)


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
                                             ("asymmetric", 32, "1s", 1 / 2), ("asymmetric", 64, "1s", 1 / 2)):
        errors, _taken = clock_errors(network, ranks, others + ["mesh"], duration)
        for after in (0.0, 5.0, 20.0):
            best = min(errors[name, after] for name in others)
            row("clocks: mesh / best of jk and hca3, %s, %d ranks, %s, after %g s" % (network, ranks, duration, after),
                "at most %g" % target, "%.1f ns / %.1f ns = %.4f" % (errors["mesh", after], best, errors["mesh", after] / best),
                errors["mesh", after] <= target * best)
    # The bursts of 10 cycles take what they take: what grows with ranks is the tree, the barriers and the solution.
    small = clock_errors("quiet", 64, ["mesh:most-cycles=10"], "500ms", 1)[1]["mesh:most-cycles=10"]
    for ranks in (1024, 16384):
        large = clock_errors("quiet", ranks, ["mesh:most-cycles=10"], "500ms", 1)[1]["mesh:most-cycles=10"]
        target = math.log2(ranks) / math.log2(64)
        row("clocks: mesh's time beyond its 0.5 s, %d / 64 ranks" % ranks, "below %.1f ms" % (100 * target),
            "%.1f ms / %.1f ms" % (1e3 * (large - 0.5), 1e3 * (small - 0.5)), large - 0.5 <= 0.1 * target)


def clocks_library(_, profiles):
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


def clocks_ablation(_, __):
    """Each part of mesh off: error relative to the whole, on every network; a part must be worth a fifth somewhere."""
    parts = ["spread", "alternate", "excess", "noise", "bias", "huber", "deskew"]
    worth = {}
    for network in ("quiet", "bursty", "lan", "far", "asymmetric", "detour", "rerouted",
                    "replay:%s" % (SOURCE / "bench/round_trips_shared_memory.txt")):
        errors, _taken = clock_errors(network, 32, ["mesh"] + ["mesh:%s=0" % part for part in parts], "1s", 10)
        for part in parts:
            ratios = [errors["mesh:%s=0" % part, after] / errors["mesh", after] for after in (0.0, 5.0, 20.0)]
            worth[part] = max(worth.get(part, 0), max(ratios))
            row("  without %s, %s: error after 0, 5, 20 s" % (part, network.split("/")[-1]), "",
                "%.2f, %.2f, %.2f" % tuple(ratios), None)
    errors, _taken = clock_errors("bursty", 1024, ["mesh:most-cycles=10", "mesh:most-cycles=10:scatter=0"], "1s", 2)
    worth["scatter"] = max(errors["mesh:most-cycles=10:scatter=0", after] / errors["mesh:most-cycles=10", after]
                           for after in (0.0, 5.0, 20.0))
    for part, ratio in worth.items():
        row("clocks: mesh without %s, largest ratio" % part, "at least 1.25", "%.2f" % ratio, ratio >= 1.25)


def main():
    subjects = {"timed-region": timed_region, "turns": turns, "engine": engine, "analysis": analysis, "clocks": clocks,
                "clocks-library": clocks_library, "clocks-ablation": clocks_ablation}
    wanted = sys.argv[2:] or list(subjects)
    print("load %.1f on %d CPUs: figures of a busy machine are those of the machine" %
          (os.getloadavg()[0], len(os.sched_getaffinity(0))))
    profiles = libraries() if any(name not in ("clocks", "clocks-ablation") for name in wanted) else {}
    unmeasured = []
    for name in wanted:
        scratch = pathlib.Path(tempfile.mkdtemp(prefix="invar-bench-"))
        try:
            subjects[name](scratch, profiles)
        except (RuntimeError, OSError, KeyError, ValueError, ZeroDivisionError, statistics.StatisticsError) as error:
            print("  %s: not measured: %s" % (name, error), file=sys.stderr)
            unmeasured.append(name)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    missed = sum(1 for entry in rows if entry[3] == "MISSED")
    print("%d reached, %d missed%s" % (sum(1 for entry in rows if entry[3] == "reached"), missed,
                                       ", not measured: " + ", ".join(unmeasured) if unmeasured else ""))
    return 1 if unmeasured else 0


if __name__ == "__main__":
    sys.exit(main())
