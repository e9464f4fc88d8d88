power = read("power.csv")
groups = levels(power, "groups")
figure, parts = grid(levels(power, "pairing"), height=3)
for axis, (pairing,) in parts:
    for i, (group,) in enumerate(groups):
        rows = sorted(select(power, pairing=pairing, groups=group), key=lambda row: row["effect"])
        axis.plot([100 * row["effect"] for row in rows], [100 * row["found"] for row in rows],
                  color=COLOURS[i % len(COLOURS)], marker=SYMBOLS[i % len(SYMBOLS)],
                  markerfacecolor="white", label=f"{group:g} launch groups")
    axis.axhline(100 * power[0]["alpha"], color="black", linestyle="--", linewidth=0.6)
    axis.set_ylim(-3, 103)
    axis.legend(fontsize=6)
figure.supylabel("found, % of the tables (at 0: false verdicts)")
figure.supxlabel("planted delay, % of the time of a call (dashed: alpha)")
save(figure, "power")
