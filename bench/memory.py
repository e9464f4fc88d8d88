"""The memory hierarchy. Known truth: memories that are simulated access by access (bench/memory.cpp), so the machine matters to the
time alone. Peers: our kernels (bench/kernels.cpp) and those of likwid-bench in turns, and a chase beside a plain one; ten minutes."""

import json
import re
import shutil
import statistics

from common import BUILD, INVAR, ratio_of_medians, row, run

SEEDS = 100
# What each level is, fastest first; which of them the targets are of.
PLANTED = (("LRU, TLB, LRU, random replacement", ("lru", "lru", "lru", "random"), True), ("three by LRU", ("lru",) * 3, True),
           ("three by random replacement", ("random",) * 3, True), ("LRU, TLB, pages by chance, random", ("lru", "lru", "pages", "random"), True),
           ("three by pages that chance puts", ("pages",) * 3, False), ("three of independent accesses", ("independent",) * 3, False))


def known_truth():
    program = BUILD / "bench/bench_memory"
    milliseconds = float(run(program, "time"))
    row("memory: plateaus of 80 sizes, 8 groups, 399 resamples, CPU", "at most 500 ms", "%.0f ms" % milliseconds, milliseconds <= 500)
    for groups in (5, 8):
        for name, policies, judged in PLANTED:
            right, more, strict, knees, inside, regions, slopes, ends, wide, error, seeds = map(float, run(program, SEEDS, groups, *policies).split())
            row("memory: %s, %d groups: right number of knees" % (name, groups), "", "%.0f of %d" % (right, SEEDS), None)
            row("  none invented", "at least 95 of 100" if judged else "", "%.0f of %d" % (SEEDS - more, SEEDS),
                SEEDS - more >= 0.95 * SEEDS if judged else None)
            row("  all of their capacities inside the knees' regions", "at least 90 of 100" if judged else "",
                "%.0f of %.0f (%.0f of %.0f knees)" % (seeds, right, regions, knees), seeds >= 0.9 * right if judged else None)
            row("  in the capacity's own interval; seeds with all of them", "", "%.0f; %.0f of %.0f" % (inside, strict, right), None)
            row("  slopes behind inside (95 %); error of capacities; ends of a capacity, of a region", "",
                "%.0f of %.0f; %.1f %%; factor %.2f, %.2f" % (slopes, knees, 100 * error, ends, wide), None)
        right, more, *_ = map(float, run(program, SEEDS, groups).split())
        row("memory: one level, %d groups: none invented" % groups, "at least 95 of 100", "%.0f of %d" % (right, SEEDS), right >= 0.95 * SEEDS)


TURNS = 12
TRIES = 2  # of each of their kernels and each of our unrollings, before the best ones take turns
LINEAR_RUNS = 7
# Ours, and likwid-bench's name for the same work; arrays. The latter has kernels that store around the caches among its own.
RATES = ((("read",), "load", 1), (("copy", "copy_nt"), "copy", 2), (("triad", "triad_nt"), "stream", 3))
# What likwid-bench calls kernels whose loads and stores are so wide.
WIDTH_WORDS = {16: "sse", 32: "avx", 64: "avx512"}
# Arrays begin at pages there: so many turns of its loop apart, too, because places in a page may matter (4 KiB aliases).
TURNS_APART = 5


def kernels(*words, core=None):
    """Lines of numbers that bench_kernels prints, on one core."""
    pinned = [] if core is None else ["taskset", "-c", core]
    return [line.split() for line in run(*pinned, BUILD / "bench/bench_kernels", *words, fine=(0,)).splitlines()]


def places(scratch):
    """(name, bytes of all arrays): half of each cache, and 8 times the last one, which is as large as it behaves."""
    run(INVAR, "memory", "--budget", "60s", "-o", scratch / "memory")
    caches = json.loads(run(INVAR, "memory", scratch / "memory", "--format", "json"))["hierarchy"]
    told = [(cache["cache"], cache["told_bytes"]) for cache in caches if cache["told_bytes"]]
    last = caches[-1]
    detected = last["behaves_bytes"] or last["told_bytes"]
    row("memory: %s, %s" % (last["cache"], "as it behaves" if last["behaves_bytes"] else "as it says, because none was detected"), "",
        "%.1f MiB, says %.1f" % (detected / 2**20, (last["told_bytes"] or 0) / 2**20), None)
    return ([("half of " + name, size // 2) for name, size in told if name != last["cache"]] +
            [("half of " + last["cache"], detected // 2), ("8 x " + last["cache"], 8 * detected)])


class Likwid:
    """likwid-bench with one thread on its first core. Its rate is of the loop alone: no start, no first touch."""

    def __init__(self, width_bytes):
        words = [line.split()[0] for line in run("likwid-bench", "-a").splitlines() if " - " in line]
        self.of = {family: [name for name in words if name.split("_")[0] == family and WIDTH_WORDS[width_bytes] in name.split("_")]
                   for _, family, _ in RATES}
        self.core = self.rate("load", 1, 4096, 1, False)[1]

    @staticmethod
    def rate(kernel, arrays, array_bytes, passes, apart):
        """GB/s and the core."""
        work = "N:%dB:1" % (arrays * array_bytes)
        if apart:
            turn = int(re.search(r"Loop stride: (\d+)", run("likwid-bench", "-l", kernel))[1])
            work = "-w %s-%s" % (work, ",".join("%d:N:%d" % (i, i * TURNS_APART * turn) for i in range(arrays)))
        else:
            work = "-W " + work
        text = run("likwid-bench", "-t", kernel, *work.split(), "-i", passes)
        said = {word: re.search(word + r":?\s+([0-9.]+)", text) for word in (r"Size \(Byte\)", "Iterations", "MByte/s", "on hwthread")}
        if not all(said.values()) or [float(found[1]) for found in list(said.values())[:2]] != [arrays * array_bytes, passes]:
            raise RuntimeError("likwid-bench did something else than %s of %s, %d times:\n%s" % (kernel, work, passes, text[-2000:]))
        return float(said["MByte/s"][1]) / 1e3, int(said["on hwthread"][1])


def against_likwid(likwid, place, total_bytes, kernel_names, family, arrays, width):
    """Our best kernel and unrolling, and their best kernel and placement of that width: as many passes each, in turns."""
    array_bytes = total_bytes // arrays // 1024 * 1024
    ours, theirs = {}, {}
    for _ in range(TRIES):
        for name in kernel_names:
            for unroll, rate, passes in kernels("rate", name, width, array_bytes, core=likwid.core):
                ours[name, unroll] = max(ours.get((name, unroll), (0, 0)), (float(rate), int(passes)))
    best = max(ours, key=ours.get)
    passes = ours[best][1]
    for _ in range(TRIES):
        for name in likwid.of[family]:
            for apart in (False, True) if arrays > 1 else (False,):
                rate, _ = likwid.rate(name, arrays, array_bytes, passes, apart)
                theirs[name, apart] = max(theirs.get((name, apart), 0), rate)
    their_best = max(theirs, key=theirs.get)
    ways = {"ours": lambda: float(kernels("rate", best[0], width, array_bytes, best[1], passes, core=likwid.core)[0][1]),
            "theirs": lambda: likwid.rate(their_best[0], arrays, array_bytes, passes, their_best[1])[0]}
    rates = {way: [] for way in ways}
    for turn in range(TURNS):
        for way in list(ways)[::1 if turn % 2 else -1]:
            rates[way].append(ways[way]())
    ratio, low, high = ratio_of_medians(rates["ours"], rates["theirs"])
    row("memory: %s (unroll %s) / likwid's %s%s, %s: %s%s" %
        (*best, their_best[0], " apart" if their_best[1] else "", place, "%d x " % arrays if arrays > 1 else "", size_text(array_bytes)),
        "at least 0.95", "%.3f [%.3f, %.3f]" % (ratio, low, high), ratio >= 0.95)


def size_text(size):
    return "%.3g MiB" % (size / 2**20) if size >= 2**20 else "%.3g KiB" % (size / 2**10)


def chase(place, total_bytes):
    turns = [tuple(map(float, turn)) for turn in kernels("chase", total_bytes, TURNS)]
    ratio, low, high = ratio_of_medians(*zip(*turns))
    row("memory: chase, %s: %s, time / plain chase" % (place, size_text(total_bytes)), "within 5 %",
        "%.3f [%.3f, %.3f]" % (ratio, low, high), 0.95 <= ratio <= 1.05)


def linear():
    """Lack of fit of times in the passes, median of several runs: a run that the machine disturbed says nothing of a kernel."""
    lacks = {}
    for _ in range(LINEAR_RUNS):
        for kernel, width, lack in kernels("linear"):
            lacks.setdefault((kernel, int(width)), []).append(float(lack))
    medians = {which: statistics.median(values) for which, values in lacks.items()}
    worst = max(medians, key=medians.get)
    row("memory: time linear in passes, worst of %d kernels (%s, %d B)" % (len(medians), *worst), "lack of fit below 1 %",
        "%.2f %% (median of %d runs)" % (100 * medians[worst], LINEAR_RUNS), medians[worst] < 0.01)
    return max(width for _, width in lacks)


def peers(scratch, _):
    width = linear()
    where = places(scratch)
    for place, total_bytes in where:
        chase(place, total_bytes)
    if not shutil.which("likwid-bench"):
        row("memory: rates against likwid-bench", "at least 0.95", "likwid-bench is not installed: apt-get install likwid", None)
        return
    if width not in WIDTH_WORDS:
        row("memory: rates against likwid-bench", "at least 0.95", "no kernels of %d B there" % width, None)
        return
    likwid = Likwid(width)
    for kernel_names, family, arrays in RATES:
        for place, total_bytes in where:
            against_likwid(likwid, place, total_bytes, kernel_names, family, arrays, width)


def memory(scratch, profiles):
    known_truth()
    peers(scratch, profiles)
