ecdf, tail = read("ecdf.csv"), read("tail.csv")
arms = levels(ecdf, "arm")
cells = levels(ecdf, "panel", "size")
figure, parts = grid([(*cell, part) for cell in cells for part in ("share", "beyond")], most=24,
                     columns=4, width=2.8)
for axis, (panel, size, part) in parts:
    for (arm,) in arms:
        rows = select(ecdf if part == "share" else tail, panel=panel, size=size, arm=arm)
        look = style(arm)
        axis.step([row["ns"] for row in rows], [row[part] for row in rows], where="post",
                  color=look["color"], linestyle=look["linestyle"], linewidth=0.9)
    axis.set_xscale("log")
    log_ticks(axis.xaxis, time_text)
    if part == "beyond" and select(tail, panel=panel, size=size):
        axis.set_yscale("log")
        log_ticks(axis.yaxis)
figure.supylabel("share of the observations (beyond: that are longer)")
figure.supxlabel("time of one call")
arms_legend(figure, arms, marker="none")
save(figure, "ecdf")
