from matplotlib.collections import PatchCollection  # noqa: E402
from matplotlib.colors import LogNorm  # noqa: E402
from matplotlib.patches import Rectangle  # noqa: E402

order, medians = read("order.csv"), read("order_median.csv")
perturbed = read("perturbations.csv")
most = max(row["count"] for row in order)
columns = len(levels(order, "arm"))
figure, parts = grid(levels(order, "panel", "size", "arm"), most=4 * columns, columns=columns,
                     width=3.8)
for axis, (panel, size, arm) in parts:
    rows = select(order, panel=panel, size=size, arm=arm)
    for stretch in perturbed:
        axis.axvspan(stretch["begin_s"], stretch["end_s"], color="#E69F00", alpha=0.4)
    raster = PatchCollection(
        [Rectangle((row["from_s"], row["low_ns"]), row["to_s"] - row["from_s"],
                   row["high_ns"] - row["low_ns"]) for row in rows],
        cmap="Greys", norm=LogNorm(0.3, max(most, 2)))
    raster.set_array([row["count"] for row in rows])
    axis.add_collection(raster)
    middle = select(medians, panel=panel, size=size, arm=arm)
    axis.plot([row["seconds"] for row in middle], [row["median_ns"] for row in middle], ".",
              markersize=2, color="#D55E00")
    axis.set_xlim(0, max(row["to_s"] for row in order))
    axis.set_ylim(min(row["low_ns"] for row in rows) * 0.9, max(row["high_ns"] for row in rows) * 1.1)
    axis.set_yscale("log")
    log_ticks(axis.yaxis, time_text)
figure.supylabel("time of one call (point: median; darker: more observations)")
figure.supxlabel("seconds of measuring since the campaign's start (orange: the machine ran slower)")
save(figure, "order")
