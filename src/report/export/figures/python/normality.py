means = read("normality.csv")
arms = levels(means, "arm")
figure, parts = grid(levels(means, "panel", "size"))
for axis, (panel, size) in parts:
    for (arm,) in arms:
        rows = select(means, panel=panel, size=size, arm=arm)
        look = style(arm)
        axis.plot([row["normal"] for row in rows], [row["line_ns"] for row in rows],
                  color=look["color"], linestyle=look["linestyle"], linewidth=0.8)
        axis.plot([row["normal"] for row in rows], [row["mean_ns"] for row in rows],
                  markersize=2.5, markerfacecolor="white", **{**look, "linestyle": "none"})
    axis.yaxis.set_major_formatter(FuncFormatter(time_text))
samples = ", ".join(f"{size:g}" for (size,) in levels(means, "sample_size"))
figure.supylabel(f"mean of {samples} repetitions of one launch")
figure.supxlabel("quantile of the normal distribution (on the line: normally distributed)")
arms_legend(figure, arms)
save(figure, "normality")
