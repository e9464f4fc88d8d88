ratio = read("regime_ratio.csv")
arms, regimes = levels(ratio, "arm"), levels(ratio, "regime")
palette = ["#4D4D4D", "#A6761D", "#7570B3", "#66A61E", "#E7298A"]  # not the arms' colours
places = [(arm, regime) for (arm,) in arms for (regime,) in regimes]
figure, parts = grid(levels(ratio, "panel"), height=2.8)
for axis, (panel,) in parts:
    sizes = levels(select(ratio, panel=panel), "size")
    for row in select(ratio, panel=panel):
        i = places.index((row["arm"], row["regime"]))
        x = sizes.index((row["size"],)) + 0.7 * ((i + 0.5) / len(places) - 0.5)
        colour = palette[regimes.index((row["regime"],)) % len(palette)]
        if row["ratio_low"] is not None:
            axis.plot([x, x], [row["ratio_low"], row["ratio_high"]], color=colour)
        axis.plot(x, row["ratio"], style(row["arm"])["marker"], color=colour, markersize=5,
                  markerfacecolor="white")
    axis.axhline(1, color="black", linewidth=0.6)
    axis.set_yscale("log")
    log_ticks(axis.yaxis)
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
references = ", ".join(name for (name,) in levels(ratio, "reference"))
figure.supylabel(f"time / time of {references}")
figure.supxlabel("message size (colour: regime of the machine, symbol: arm)")
handles = [plt.Line2D([], [], color="black", marker=style(arm)["marker"], linestyle="none",
                      markerfacecolor="white") for (arm,) in arms]
handles += [plt.Line2D([], [], color=palette[i % len(palette)]) for i in range(len(regimes))]
legend(figure, handles, [name for (name,) in arms + regimes])
save(figure, "regimes")
