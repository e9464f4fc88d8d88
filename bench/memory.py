"""The memory hierarchy. Known truth: memories that are simulated access by access (bench/memory.cpp), so the machine matters to the
time alone."""

from common import BUILD, row, run

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


def memory(_scratch, _profiles):
    known_truth()
