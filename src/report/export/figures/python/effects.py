effects = read("effects.csv")
symbols = {"matters": ("o", "black"), "does not matter": ("s", "black"),
           "undecided": ("o", "white"), "none": ("x", "black")}
what = levels(effects, "factor", "level", "reference")[::-1]
figure, parts = grid(levels(effects, "panel", "size"), height=0.8 + 0.18 * len(what), columns=2,
                     width=4.5, shared=True)
for axis, (panel, size) in parts:
    for row in select(effects, panel=panel, size=size):
        y = what.index((row["factor"], row["level"], row["reference"]))
        axis.axvspan(row["band_low"], row["band_high"], color="0.88", zorder=0)
        if row["ratio_low"] is not None:
            axis.plot([row["ratio_low"], row["ratio_high"]], [y, y], color="black", linewidth=0.9)
        symbol, filled = symbols[row["influence"]]
        axis.plot(row["ratio"], y, symbol, color="black", markerfacecolor=filled, markersize=4)
    axis.axvline(1, color="black", linewidth=0.6)
    axis.set_xscale("log")
    log_ticks(axis.xaxis)
    axis.set_yticks(range(len(what)), [f"{f}: {level} / {of}" for f, level, of in what])
figure.supxlabel("time of the level / time of the reference (circle: matters; square: does not; "
                 "hollow: undecided)")
save(figure, "effects")
