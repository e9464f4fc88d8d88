"""Piecewise lines against a known truth (bench/pieces.cpp): simulated launch groups, so the machine matters to the time alone."""

from common import BUILD, row, run

MACHINES = 100


def pieces(scratch, _):
    program = BUILD / "bench/bench_pieces"
    milliseconds, sizes, count = map(float, run(program, "time").split())
    row("pieces: a fit of %.0f sizes, %.0f pieces, CPU" % (sizes, count), "at most 10 ms", "%.2f ms" % milliseconds,
        milliseconds <= 10 and count == 12)
    for groups, bursts in ((5, 0), (5, 1.5), (8, 1.5)):
        numbers = map(float, run(program, MACHINES, groups, bursts, "planted").split())
        right, more, breaks, slopes, intercepts, lines, slope, intercept, ratio, *others, planted = numbers
        row("pieces: %d groups, %g bursts a group, 2 to 5 breaks" % (groups, bursts), "", "%.0f breaks in all" % planted, None)
        row("  right number of pieces; more of them", "at least 95 of 100", "%.0f; %.0f of %d" % (right, more, MACHINES),
            right >= 0.95 * MACHINES)
        row("  of these: all breaks inside their intervals", "at least 95 of 100", "%.0f of %.0f" % (breaks, right),
            breaks >= 0.95 * right)
        row("  slopes, intercepts inside (95 %)", "at least 88 of 100",
            "%.1f %%, %.1f %% of %.0f" % (100 * slopes / lines, 100 * intercepts / lines, lines),
            min(slopes, intercepts) >= 0.88 * lines)
        row("  half-widths of slopes, intercepts; ends of a break", "",
            "%.1f %%, %.1f %%; factor %.2f" % (100 * slope, 100 * intercept, ratio), None)
        for name, found, wrong in zip(("NetGauge", "PLogP", "LoOgGP"), others[::2], others[1::2]):
            row("  %s on the first group: within 10 %%; none there" % name, "", "%.0f of %.0f; %.0f" % (found, planted, wrong), None)
    for bursts in (0, 1.5):
        right, more, *rest = map(float, run(program, MACHINES, 8, bursts, 0).split())
        row("pieces: none planted, %g bursts a group: none invented" % bursts, "at least 95 of 100",
            "%.0f of %d" % (right, MACHINES), right >= 0.95 * MACHINES)
        for name, wrong in zip(("NetGauge", "PLogP", "LoOgGP"), rest[8::2]):
            row("  %s: breaks that are none" % name, "", "%.0f" % wrong, None)
