rows = [row for row in read(SPEC["name"] + ".csv") if row["y"] is not None]
series = [name for (name,) in levels(rows, "series")]
panels = levels(rows, "panel")
figure, parts = grid(panels, height=3, columns=2, width=4.5)


def number(value, _=None):
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}"  # sizes as they are


def draw(axis, some, at, look, dense):
    interval = [(x, row) for x, row in zip(at, some) if row["low"] is not None]
    low, high = [row["low"] for _, row in interval], [row["high"] for _, row in interval]
    if dense:
        axis.fill_between([x for x, _ in interval], low, high, color=look["color"], alpha=0.2,
                          linewidth=0)
    else:
        axis.vlines([x for x, _ in interval], low, high, color=look["color"], linewidth=1)
    shown = {"markersize": 4, "markerfacecolor": "white", "linewidth": 0.9, **look}
    if dense:
        shown["marker"] = "none"
    if not SPEC["joined"]:
        shown["linestyle"] = "none"
    if SPEC["fit"]:
        shown.update(markersize=2, alpha=0.7)
    axis.plot(at, [row["y"] for row in some], **shown)


def draw_fit(axis, some, look):
    """A line beside the points, which breaks off between its pieces."""
    some = [row for row in some if row[SPEC["fit"]] is not None]
    for piece in sorted({row[SPEC["piece"]] for row in some} if SPEC["piece"] else {None}):
        part = [row for row in some if not SPEC["piece"] or row[SPEC["piece"]] == piece]
        at, values = [row["x"] for row in part], [row[SPEC["fit"]] for row in part]
        axis.plot(at, values, color="white", linewidth=2, zorder=3)
        axis.plot(at, values, color="black", linewidth=0.9, zorder=3, linestyle=look["linestyle"])


for axis, (panel,) in parts:
    own = select(rows, panel=panel)
    places = [place for (place,) in levels(own, "x")]
    for i, name in enumerate(series):
        some = select(own, series=name)
        at = [row["x"] for row in some]
        if SPEC["x"] == "words":
            at = [places.index(x) + 0.5 * ((i + 0.5) / len(series) - 0.5) for x in at]
        draw(axis, some, at, look_of(i), SPEC["joined"] and len(some) > 60)
        if SPEC["fit"]:
            draw_fit(axis, some, look_of(i))
    if SPEC["y"] == "ratio":
        axis.axhline(1, color="black", linewidth=0.6)
    if SPEC["y_log"]:
        axis.set_yscale("log")
        log_ticks(axis.yaxis, time_text if SPEC["y"] == "time" else number)
    elif SPEC["y"] != "time":
        axis.ticklabel_format(axis="y", useOffset=False)
    else:
        axis.yaxis.set_major_formatter(FuncFormatter(time_text))
    if SPEC["x"] == "words":
        axis.set_xticks(range(len(places)), places, rotation=45, ha="right")
        axis.set_xlim(-0.5, len(places) - 0.5)
    else:
        if SPEC["x_log"]:
            axis.set_xscale("log")
            log_ticks(axis.xaxis, number)
        if len(places) <= 8 and all(place == int(place) for place in places):
            axis.set_xticks(places)
figure.supylabel(SPEC["y_title"])
figure.supxlabel(SPEC["x_title"])
if len(series) > 1:
    handles = [plt.Line2D([], [], **{"markerfacecolor": "white", **look_of(i),
                                     **({} if SPEC["joined"] else {"linestyle": "none"})})
               for i in range(len(series))]
    legend(figure, handles, series)
save(figure, SPEC["name"])
