times = [row for row in read("times.csv") if row["size_bytes"]]
arms = levels(times, "arm")
figure, parts = grid(levels(times, "panel"), height=2.8)
for axis, (panel,) in parts:
    for (arm,) in arms:
        rows = sorted(select(times, panel=panel, arm=arm), key=lambda row: row["size_bytes"])
        look = style(arms, arm)
        axis.plot([row["size_bytes"] for row in rows], [row["median_ns"] for row in rows],
                  markersize=4, markerfacecolor="white", linewidth=0.8, **look)
        for row in rows:
            if row["low_ns"] is not None:
                axis.plot([row["size_bytes"]] * 2, [row["low_ns"], row["high_ns"]],
                          color=look["color"], linewidth=1.2)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    log_ticks(axis.yaxis, time_text)
    axis.xaxis.set_major_formatter(FuncFormatter(
        lambda b, _: f"{b:g} B" if b < 1024 else f"{b / 1024:g} KiB" if b < 2**20
        else f"{b / 2**20:g} MiB"))
    axis.tick_params(axis="x", rotation=45)
figure.supylabel("time of one call")
figure.supxlabel("message size (time over launches with its 95 % interval)")
legend(figure, arms)
save(figure, "times")
