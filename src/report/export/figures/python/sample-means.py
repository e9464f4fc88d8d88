means, histogram = read("sample_means.csv"), read("sample_means_histogram.csv")
arms = levels(means, "arm")
numbers = [size for (size,) in levels(means, "sample_size")]
places = [(*cell, f"{kind} of {number:g}") for cell in levels(means, "panel", "size")[:4]
          for number in numbers for kind in ("means", "Q-Q")]
figure, parts = grid(places, most=len(places), columns=2 * len(numbers), width=2.2)
for axis, (panel, size, part) in parts:
    kind, number = part.split(" of ")
    for (arm,) in arms:
        look = style(arm)
        wanted = {"panel": panel, "size": size, "arm": arm, "sample_size": float(number)}
        if kind == "means":
            bins = select(histogram, **wanted)
            axis.bar([row["low_ns"] for row in bins], [row["count"] for row in bins], align="edge",
                     width=[row["high_ns"] - row["low_ns"] for row in bins], alpha=0.4,
                     color=look["color"])
            axis.xaxis.set_major_formatter(FuncFormatter(time_text))
            axis.locator_params(axis="x", nbins=3)
            continue
        rows = select(means, **wanted)
        axis.plot([row["normal"] for row in rows], [row["line_ns"] for row in rows],
                  color=look["color"], linestyle=look["linestyle"], linewidth=0.8)
        axis.plot([row["normal"] for row in rows], [row["mean_ns"] for row in rows], markersize=2,
                  markerfacecolor="white", **{**look, "linestyle": "none"})
        axis.yaxis.set_major_formatter(FuncFormatter(time_text))
figure.supylabel("samples, of 500 (Q-Q: mean)")
figure.supxlabel("mean of a sample (Q-Q: quantile of the normal distribution; on the line: normal)")
arms_legend(figure, arms)
save(figure, "sample-means")
