times = read("times.csv")
arms = levels(times, "arm")
NO_SIZE, ZERO = 2**-6, 2**-3  # places on the logarithmic axis


def place(row):
    return NO_SIZE if row["size_bytes"] is None else row["size_bytes"] or ZERO


figure, parts = grid(levels(times, "panel"), height=2.8)
for axis, (panel,) in parts:
    for (arm,) in arms:
        rows = sorted(select(times, panel=panel, arm=arm), key=place)
        look = style(arm)
        for row in rows:
            if row["low_ns"] is not None:
                axis.plot([place(row)] * 2, [row["low_ns"], row["high_ns"]], color=look["color"],
                          linewidth=1.2)
        sized = [row for row in rows if row["size_bytes"]]
        for some in (sized, [row for row in rows if row not in sized]):
            axis.plot([place(row) for row in some], [row["median_ns"] for row in some],
                      markersize=4, markerfacecolor="white", linewidth=0.8, **look)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    log_ticks(axis.yaxis, time_text)
    rows = select(times, panel=panel)
    ticks = sorted({place(row): row["size"] for row in rows}.items())
    ticks = [tick for i, tick in enumerate(ticks) if tick[0] < 1 or i % (1 + len(ticks) // 12) == 0]
    axis.set_xticks([at for at, _ in ticks], [size for _, size in ticks], rotation=45, ha="right")
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlim(ticks[0][0] / 1.5, max(map(place, rows)) * 1.5)
figure.supylabel("time of one call")
figure.supxlabel("message size (time over launches with its 95 % interval)")
arms_legend(figure, arms)
save(figure, "times")
