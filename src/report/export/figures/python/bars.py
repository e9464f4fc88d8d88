launches = [row for row in read("launches.csv") if row["mean_ns"] is not None]
arms = levels(launches, "arm")
shown = sorted({row["group"] for row in launches})[:2]  # other launch groups: change this
launches = [row for row in launches if row["group"] in shown]
places = [(panel, f"launch group {group:g}") for (panel,) in levels(launches, "panel") for group in shown]
figure, parts = grid(places, columns=2, width=4)
for axis, (panel, name) in parts:
    own = [row for row in select(launches, panel=panel) if f"launch group {row['group']:g}" == name]
    sizes = levels(select(launches, panel=panel), "size")
    for i, (arm,) in enumerate(arms):
        rows = select(own, arm=arm)
        at = [sizes.index((row["size"],)) + 0.8 * ((i + 0.5) / len(arms) - 0.5) for row in rows]
        axis.bar(at, [row["mean_ns"] for row in rows], width=0.7 / len(arms), edgecolor="black",
                 linewidth=0.3, color=style(arm)["color"])
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
    axis.set_ylim(0, 1.05 * max(row["mean_ns"] for row in select(launches, panel=panel)))
    axis.yaxis.set_major_formatter(FuncFormatter(time_text))
figure.supylabel("mean of the repetitions of one launch")
figure.supxlabel("message size (without outliers)")
legend(figure, [plt.Rectangle((0, 0), 1, 1, facecolor=style(arm)["color"]) for (arm,) in arms],
       [arm for (arm,) in arms])
save(figure, "bars")
