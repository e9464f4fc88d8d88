"""Adaptive sizes against a known truth (bench/sizes.cpp): simulated, with measured noise, so the machine does not matter."""

from common import BUILD, SOURCE, row, run

SEEDS = 100
SMOOTH_SEEDS = 1000


def sizes(scratch, _):
    lines = run(BUILD / "bench/bench_sizes", SOURCE / "tests/golden/aa_groups", SEEDS, SMOOTH_SEEDS).splitlines()
    for line in lines:
        library, rule, *numbers = line.split()
        whole, near, steps, wrong, count, most, choosing, judging, rounds, smooth, smooth_count = map(float, numbers)
        ours = rule == "invar"
        what = "sizes: %s, noise of %s" % (rule, library)
        row("%s: all 5 steps found within 5 %%" % what, "at least 95 of 100" if ours else "",
            "%.0f of %d (%.0f of %d steps)" % (whole, SEEDS, steps, 5 * SEEDS), whole >= 0.95 * SEEDS if ours else None)
        row("  sizes on both sides within 5 %", "", "%.0f of %d" % (near, SEEDS), None)
        row("  sizes, mean and most", "at most 100" if ours else "", "%.1f, %.0f" % (count, most), most <= 100 if ours else None)
        row("  groups a size, choosing and judging", "at most 30" if ours else "", "%.1f + %.1f in %.1f rounds" % (choosing, judging, rounds),
            choosing + judging <= 30 if ours else None)
        row("  steps that are none", "", "%.0f" % wrong, None)
        row("  smooth curves with a step", "at most 66 of 1000" if ours else "", "%.0f of %d" % (smooth, SMOOTH_SEEDS),
            smooth <= 0.066 * SMOOTH_SEEDS if ours else None)
        row("  sizes on a smooth curve (of 40 to begin with)", "", "%.1f" % smooth_count, None)
