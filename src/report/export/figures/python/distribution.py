histogram, density, times = read("histogram.csv"), read("density.csv"), read("times.csv")
arms = levels(histogram, "arm")
figure, parts = grid(levels(histogram, "panel", "size"))
for axis, (panel, size) in parts:
    for (arm,) in arms:
        look = style(arm)
        bins = select(histogram, panel=panel, size=size, arm=arm)
        axis.bar([row["low_ns"] for row in bins], [row["per_ns"] for row in bins], align="edge",
                 width=[row["high_ns"] - row["low_ns"] for row in bins], color=look["color"],
                 alpha=0.3)
        line = select(density, panel=panel, size=size, arm=arm)
        axis.plot([row["ns"] for row in line], [row["per_ns"] for row in line], linewidth=0.8,
                  color=look["color"], linestyle=look["linestyle"])
        for row in select(times, panel=panel, size=size, arm=arm):
            axis.axvline(row["mean_ns"], color=look["color"], linestyle=look["linestyle"],
                         linewidth=0.6)
    axis.xaxis.set_major_formatter(FuncFormatter(time_text))
    axis.locator_params(axis="x", nbins=5)
    axis.yaxis.set_major_formatter(FuncFormatter(lambda per_ns, _: f"{1000 * per_ns:.3g}"))
    axis.locator_params(axis="y", nbins=5)
figure.supylabel("share of the observations per \u00b5s")
figure.supxlabel("time of one call (bars: histogram; line: kernel density, upright at the mean)")
arms_legend(figure, arms, marker="none")
save(figure, "distribution")
