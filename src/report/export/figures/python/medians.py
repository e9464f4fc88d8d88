launches, times = read("launches.csv"), read("times.csv")
arms = levels(launches, "arm")
figure, parts = grid(levels(launches, "panel", "size"))
for axis, (panel, size) in parts:
    for (arm,) in arms:
        look = style(arm)
        rows = select(launches, panel=panel, size=size, arm=arm)
        axis.plot([row["group"] for row in rows], [row["median_ns"] for row in rows],
                  markersize=3, markerfacecolor="white", **{**look, "linestyle": "none"})
        for row in select(times, panel=panel, size=size, arm=arm):
            axis.axhline(row["median_ns"], color=look["color"], linestyle=look["linestyle"],
                         linewidth=0.8)
            if row["low_ns"] is not None:
                axis.axhspan(row["low_ns"], row["high_ns"], color=look["color"], alpha=0.15)
    axis.set_yscale("log")
    log_ticks(axis.yaxis, time_text)
figure.supylabel("median of the launch (line and band: over all launches, 95 %)")
figure.supxlabel("launch group, in the order of measurement")
arms_legend(figure, arms)
save(figure, "medians")
