"""Benchmarks of Invar itself: `make bench`. Every figure is a ratio or a cost measured within this run; targets that a
noisy machine misses are shown as missed and fail nothing. Exit status 1: something could not be measured.

    python3 bench/run.py BUILD_DIR [SUBJECT...]     subjects: the names at the end of this file
"""

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

import claims
import clocks
import guidelines
import limits
import memory
import network
import overlap
import p2p
import pieces
import sizes
import stress
from common import BUILD, INVAR, SOURCE, interval, libraries, row, rows, run

SESSION_GROUPS = 10


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


def engine_piece(scratch, profiles, name):
    """What bench/NAME.cpp prints, built by a library's own wrapper with the engine's objects, on one core."""
    profile = profiles[usual(profiles)]
    objects = [path for path in (pathlib.Path(profile["engine"]).parent / "objects").glob("*.o")
               if "engine-" not in path.name]
    program = scratch / name
    run(profile["mpicxx"], "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I", SOURCE / "src",
        "-I", SOURCE / "tests", SOURCE / "bench" / (name + ".cpp"), *objects, "-pthread", "-o", program, fine=(0,))
    return run("taskset", "-c", min(os.sched_getaffinity(0)), program, fine=(0,)).splitlines()


def timed_region(scratch, profiles):
    blocks, rate = [], 0
    for line in engine_piece(scratch, profiles, "timed_region"):
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


def executor(scratch, profiles):
    """Steps of reference algorithms against the same loops written by hand; the MPI calls of both do nothing."""
    blocks, steps, rate = {}, {}, 0
    for line in engine_piece(scratch, profiles, "executor"):
        words = line.split()
        if words[0] == "rate":
            rate = float(words[1])
        else:
            steps[words[0]] = int(words[1])
            blocks.setdefault(words[0], []).append((float(words[2]) * 1e9, float(words[3]) * 1e9))
    for name, ticks in sorted(blocks.items()):
        a_step = [(ours - by_hand) / rate / steps[name] for ours, by_hand in ticks]
        middle, half = interval(a_step)
        row("executor: %s, beyond the loop written by hand" % name, "at most 10 ns a step",
            "%.2f ns [%.2f, %.2f]" % (middle, middle - half, middle + half), middle <= 10)
        row("  the same, median over %d blocks; a call of %d steps" % (len(ticks), steps[name]), "",
            "%.2f ns; %.0f / %.0f ns" % (statistics.median(a_step), *(statistics.median(side) / rate for side in zip(*ticks))), None)


def shim(scratch, profiles):
    library = usual(profiles)
    library_file = scratch / "libinvar-tuned.so"
    run(INVAR, "mpi", "shim", library, "-o", library_file)
    program = scratch / "shim_passes_on"
    run(profiles[library]["mpicxx"], "-std=c++20", "-O2", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
        SOURCE / "bench/shim_passes_on.cpp", "-o", program)
    table = scratch / "table.csv"
    table.write_text("operation,ranks,from_bytes,to_bytes,candidate\nbarrier,1,0,0,mockup:barrier=allreduce\n"
                     "allreduce,1,16,1048576,mockup:allreduce=reduce+bcast\n")
    blocks = {}
    lines = run(INVAR, "mpi", "run", library, "--ranks", 1, "--env", "LD_PRELOAD=%s" % library_file,
                "--env", "INVAR_TUNED_TABLE=%s" % table, "--", program).splitlines()
    for line in lines:
        kind, through, past = line.split()
        blocks.setdefault(kind, []).append((float(through), float(past)))
    for kind, pairs in blocks.items():
        differences = sorted(through - past for through, past in pairs)
        low, high = differences[len(differences) // 4], differences[-1 - len(differences) // 4]
        added = statistics.median(differences)
        row("shim: added to a call that it passes on, " + kind.replace("-", " "), "at most 30 ns",
            "%.1f ns [%.1f, %.1f] of %.0f ns" % (added, low, high, statistics.median(past for _, past in pairs)), added <= 30)


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
    # In turns with the comparison, so that a change of the machine is in both.
    pages = []
    for _ in range(3):
        compared = list(map(float, run(program, "compare", scratch / "data-30").split()))
        page = list(map(float, run(program, "report", scratch / "data-30").split()))
        pages.append((page[0] - compared[1], page[1] - compared[3], page[2], page[0] / compared[1]))
    beyond = min(pages, key=lambda values: values[1])
    row("report: a page's data beyond the comparison, %.2g observations" % count, "at most 2 s",
        "%.2f s (CPU %.2f s), %.1f times the comparison" % (beyond[0], beyond[1], beyond[3]), beyond[1] <= 2)
    row("report: size of a page's data", "at most 4 MB", "%.1f MB" % (beyond[2] / 1e6), beyond[2] <= 4e6)
    if not shutil.which("Rscript"):
        raise RuntimeError("no Rscript here (apt-get install r-base-core)")
    table = scratch / "data.csv"
    run(INVAR, "export", scratch / "data-8", "--to", "csv", "-o", table)
    begin = time.monotonic()
    run("Rscript", SOURCE / "bench/analysis.R", table)
    seconds = time.monotonic() - begin
    row("analysis: R from the CSV / invar, %.2g observations" % best[8][0], "20 or more expected",
        "%.1f s / %.2f s = %.0f" % (seconds, best[8][1], seconds / best[8][1]), seconds / best[8][1] >= 20)


def main():
    subjects = {"timed-region": timed_region, "shim": shim, "turns": turns, "engine": engine, "analysis": analysis, "clocks": clocks.clocks,
                "clocks-library": clocks.library, "clocks-coverage": clocks.coverage,
                "clocks-ablation": clocks.ablation, "claims": claims.claims,
                "machine-time": claims.machine_time, "imb": claims.imb, "p2p-imb": claims.p2p_imb, "budgets": limits.budgets, "gate": limits.gate,
                "executor": executor, "guidelines-self": guidelines.self_mockups, "guidelines-planted": guidelines.planted,
                "guidelines-slow": guidelines.slow_algorithm, "guidelines-same": guidelines.same_algorithm,
                "guidelines-marks": guidelines.marks, "guidelines-paper": guidelines.paper, "overlap": overlap.overlap,
                "p2p": p2p.loops, "p2p-ways": p2p.ways, "sizes": sizes.sizes, "pieces": pieces.pieces, "memory": memory.memory,
                "network": network.network, "network-limits": network.limits, "stress-rare": stress.rare,
                "stress-faults": stress.faults, "stress-sound": stress.sound}
    # A quarter of an hour and more, or of one library alone: by name only.
    by_name = ("claims", "imb", "p2p-imb", "budgets", "gate", "clocks-coverage", "guidelines-self", "guidelines-planted",
               "guidelines-slow", "guidelines-same", "guidelines-marks", "guidelines-paper", "overlap", "memory", "network",
               "network-limits", "stress-rare", "stress-faults", "stress-sound")
    wanted = sys.argv[2:] or [name for name in subjects if name not in by_name]
    print("load %.1f on %d CPUs: figures of a busy machine are those of the machine" %
          (os.getloadavg()[0], len(os.sched_getaffinity(0))))
    # Without a library.
    simulated = ("clocks", "clocks-ablation", "sizes", "pieces", "memory", "network")
    profiles = libraries() if any(name not in simulated for name in wanted) else {}
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
