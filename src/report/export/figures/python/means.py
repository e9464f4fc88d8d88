launches = [row for row in read("launches.csv") if row["mean_ns"] is not None]
arms = levels(launches, "arm")
figure, parts = grid(levels(launches, "panel", "size"))
for axis, (panel, size) in parts:
    for (arm,) in arms:
        look = {**style(arm), "linestyle": "none"}
        rows = select(launches, panel=panel, size=size, arm=arm)
        known = [row for row in rows if row["mean_low_ns"] is not None]
        axis.vlines([row["group"] for row in known], [row["mean_low_ns"] for row in known],
                    [row["mean_high_ns"] for row in known], color=look["color"], linewidth=1)
        axis.plot([row["group"] for row in rows], [row["mean_ns"] for row in rows], markersize=3,
                  markerfacecolor="white", **look)
    axis.yaxis.set_major_formatter(FuncFormatter(time_text))
    axis.xaxis.set_major_locator(MaxNLocator(integer=True))
figure.supylabel("mean of the launch (95 % interval)")
figure.supxlabel("launch group, in the order of measurement (intervals over repetitions, without outliers)")
arms_legend(figure, arms, linestyle="none")
save(figure, "means")
