launches = read("launches.csv")
arms = levels(launches, "arm")
figure, parts = grid(levels(launches, "panel"), height=2.8)
for axis, (panel,) in parts:
    sizes = levels(select(launches, panel=panel), "size")
    for i, (arm,) in enumerate(arms):
        look = style(arm)
        line = {"color": look["color"]}
        for x, (size,) in enumerate(sizes):
            values = [row["relative"] for row in select(launches, panel=panel, size=size, arm=arm)]
            if not values:
                continue
            at = x + 0.8 * ((i + 0.5) / len(arms) - 0.5)
            axis.boxplot([values], positions=[at], widths=0.6 / len(arms), manage_ticks=False,
                         boxprops=line, medianprops=line, whiskerprops=line, capprops=line,
                         flierprops={"marker": look["marker"], "markersize": 2,
                                     "markeredgecolor": look["color"]})
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
    if max(row["relative"] for row in select(launches, panel=panel)) > 4:
        axis.set_yscale("log")
        log_ticks(axis.yaxis)
figure.supylabel("median of the launch / smallest of the size")
figure.supxlabel("message size")
arms_legend(figure, arms, linestyle="-")
save(figure, "launches")
