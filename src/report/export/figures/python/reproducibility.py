import random  # noqa: E402

values = [row for row in read("reproducibility.csv") if row["normalised"] is not None]
boxes = read("reproducibility_box.csv")
methods = levels(values, "method")[::-1]
figure, parts = grid(levels(values, "number"), columns=2, width=4.5,
                     height=1 + 0.25 * len(methods))
spread = random.Random(1)
for axis, (number,) in parts:
    for y, (method,) in enumerate(methods):
        shown = [row["normalised"] for row in select(values, number=number, method=method)]
        for row in select(boxes, number=number, method=method):
            axis.bxp([{"whislo": row["low"], "q1": row["q1"], "med": row["median"],
                       "q3": row["q3"], "whishi": row["high"]}],
                     positions=[y], widths=0.6, vert=False, showfliers=False,
                     manage_ticks=False, medianprops={"color": "black", "linewidth": 1.5})
        axis.plot(shown, [y + spread.uniform(-0.2, 0.2) for _ in shown], ".", markersize=3,
                  color=COLOURS[0], alpha=0.4, zorder=3)
    if max(row["normalised"] for row in values) > 4:
        axis.set_xscale("log")
        log_ticks(axis.xaxis)
    axis.set_yticks(range(len(methods)), [method for (method,) in methods])
figure.supxlabel("value of a repeat / least of all repeats; a point is a cell and arm in one repeat")
save(figure, "reproducibility")
