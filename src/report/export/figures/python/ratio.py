ratio = read("ratio.csv")
arms = levels(ratio, "arm")
figure, parts = grid(levels(ratio, "panel"), height=2.8)
for axis, (panel,) in parts:
    sizes = levels(select(ratio, panel=panel), "size")
    for i, (arm,) in enumerate(arms):
        look = {**style(arm), "linestyle": "none", "markersize": 5}
        for row in select(ratio, panel=panel, arm=arm):
            if row["band_low"] is not None:
                axis.axhspan(row["band_low"], row["band_high"], color="0.88", zorder=0)
            x = sizes.index((row["size"],)) + 0.5 * ((i + 0.5) / len(arms) - 0.5)
            if row["ratio_low"] is not None:
                axis.plot([x, x], [row["ratio_low"], row["ratio_high"]], color=look["color"])
            filled = look["color"] if row["decided"] == "yes" else "white"
            axis.plot(x, row["ratio"], markerfacecolor=filled, **look)
    axis.axhline(1, color="black", linewidth=0.6)
    axis.set_yscale("log")
    log_ticks(axis.yaxis)
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
references = ", ".join(name for (name,) in levels(ratio, "reference"))
figure.supylabel(f"time / time of {references}")
grey = "; grey: differences that do not matter" if any(row["band_low"] for row in ratio) else ""
figure.supxlabel(f"message size (filled: decided{grey})")
arms_legend(figure, arms, linestyle="none")
save(figure, "ratio")
