ratio = read("regime_ratio.csv")
arms, regimes = levels(ratio, "arm"), levels(ratio, "regime")
figure, parts = grid(levels(ratio, "panel"), height=2.8)
for axis, (panel,) in parts:
    sizes = levels(select(ratio, panel=panel), "size")
    for row in select(ratio, panel=panel):
        i = regimes.index((row["regime"],))
        x = sizes.index((row["size"],)) + 0.5 * ((i + 0.5) / len(regimes) - 0.5)
        colour = style(arms, row["arm"])["color"]
        if row["ratio_low"] is not None:
            axis.plot([x, x], [row["ratio_low"], row["ratio_high"]], color=colour)
        axis.plot(x, row["ratio"], SYMBOLS[i % len(SYMBOLS)], color=colour, markersize=5,
                  markerfacecolor="white")
    axis.axhline(1, color="black", linewidth=0.6)
    axis.set_yscale("log")
    log_ticks(axis.yaxis)
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
references = ", ".join(name for (name,) in levels(ratio, "reference"))
figure.supylabel(f"time / time of {references}")
figure.supxlabel("message size (symbol: regime of the machine, colour: arm)")
handles = [plt.Line2D([], [], color=style(arms, arm)["color"]) for (arm,) in arms]
handles += [plt.Line2D([], [], color="black", marker=SYMBOLS[i % len(SYMBOLS)], linestyle="none",
                       markerfacecolor="white") for i in range(len(regimes))]
figure.axes[0].legend(handles, [" " + name for (name,) in arms + regimes], loc="lower left",
                      bbox_to_anchor=(0, 1.1), ncol=3, fontsize=7, frameon=False)
save(figure, "regimes")
