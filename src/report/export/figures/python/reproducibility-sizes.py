values = [row for row in read("reproducibility.csv") if row["normalised"] is not None]
methods = levels(values, "method")
figure, parts = grid(levels(values, "number", "panel"), columns=2, width=4.5, height=2.8)
for axis, (number, panel) in parts:
    own = select(values, number=number, panel=panel)
    sizes = sorted(levels(own, "size_bytes", "size"), key=lambda one: one[0] or 0)
    for i, (method,) in enumerate(methods):
        line = {"color": COLOURS[i % len(COLOURS)]}
        for x, (_, size) in enumerate(sizes):
            shown = [row["normalised"] for row in select(own, method=method, size=size)]
            if not shown:
                continue
            axis.boxplot([shown], positions=[x + 0.8 * ((i + 0.5) / len(methods) - 0.5)],
                         widths=0.6 / len(methods), manage_ticks=False, boxprops=line,
                         medianprops=line, whiskerprops=line, capprops=line,
                         flierprops={"marker": ".", "markersize": 2, "markeredgecolor": line["color"]})
    axis.set_xticks(range(len(sizes)), [size for _, size in sizes], rotation=45, ha="right")
    if max(row["normalised"] for row in own) > 4:
        axis.set_yscale("log")
        log_ticks(axis.yaxis)
figure.supylabel("value of a repeat / least of all repeats")
figure.supxlabel("message size (a box: all repeats and arms of a size)")
legend(figure, [plt.Line2D([], [], color=COLOURS[i % len(COLOURS)]) for i in range(len(methods))],
       [method for (method,) in methods])
save(figure, "reproducibility-sizes")
