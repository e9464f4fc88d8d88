launches, boxes, compared = read("launches.csv"), read("boxes.csv"), read("ratio.csv")
arms = levels(launches, "arm")
figure, parts = grid(levels(launches, "panel"), height=2.8)
for axis, (panel,) in parts:
    sizes = levels(select(launches, panel=panel), "size")
    # An axis for the boxes: launches far beyond them are counted, and would flatten them.
    top = 1 + 1.6 * max(0.02, max(row["high"] for row in select(boxes, panel=panel)) - 1)
    cut = max(row["relative"] for row in select(launches, panel=panel)) > top
    for i, (arm,) in enumerate(arms):
        look = style(arm)
        line = {"color": look["color"]}
        for box in select(boxes, panel=panel, arm=arm):
            at = sizes.index((box["size"],)) + 0.8 * ((i + 0.5) / len(arms) - 0.5)
            axis.bxp([{"whislo": box["low"], "q1": box["q1"], "med": box["median"],
                       "q3": box["q3"], "whishi": box["high"]}], positions=[at],
                     widths=0.6 / len(arms), showfliers=False, manage_ticks=False, boxprops=line,
                     medianprops=line, whiskerprops=line, capprops=line)
            values = [row["relative"]
                      for row in select(launches, panel=panel, size=box["size"], arm=arm)
                      if not box["low"] <= row["relative"] <= box["high"]]
            near = [value for value in values if value <= top]
            axis.plot([at] * len(near), near, look["marker"], markersize=2, color=look["color"])
            far = [value for value in values if value > top]
            if far:
                axis.text(at, top, f"\u2191{len(far)}: {max(far):.3g}", rotation=90, fontsize=5,
                          color=look["color"], ha="center", va="top")
            for row in select(compared, panel=panel, size=box["size"], arm=arm):
                axis.text(at, box["high"], row["stars"], ha="center", va="bottom",
                          color=look["color"])
    axis.set_xticks(range(len(sizes)), [size for (size,) in sizes], rotation=45, ha="right")
    if max(row["high"] for row in select(boxes, panel=panel)) > 4:
        axis.set_yscale("log")
        log_ticks(axis.yaxis)
    if cut:
        axis.set_ylim(top=1 + 1.08 * (top - 1))
figure.supylabel("median of the launch / smallest of the size")
figure.supxlabel("message size (an arrow: launches beyond the axis, and the farthest)")
arms_legend(figure, arms, linestyle="-")
save(figure, "launches")
