import csv
import math
import pathlib
import sys
import textwrap

try:
    import matplotlib
except ImportError:
    sys.exit("this script needs matplotlib: install the Debian package python3-matplotlib")

matplotlib.use("Agg")
matplotlib.rcParams.update({"font.size": 8, "pdf.fonttype": 42})
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"panel", "size", "arm", "reference", "verdict", "decided", "regime", "factor", "level",
         "influence", "pairing", "method", "number", "in_arm", "stars"}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
ARMS = []  # as (arm,), in the campaign's order
SYMBOLS, DASHES = "o^sDv", ["-", "--", "-.", ":"]


def read(name):
    """Rows as dictionaries; numbers are numbers, None where there is none."""
    with open(HERE / "data" / name, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        for key, text in row.items():  # a dollar sign would begin a formula
            row[key] = text.replace("$", r"\$") if key in WORDS else float(text) if text else None
    return rows


def levels(rows, *keys):
    """Each combination once, in the order of the file; arms in that of the campaign."""
    found = list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))
    return sorted(found, key=ARMS.index) if keys == ("arm",) and ARMS else found


def select(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def style(arm):
    """The same in every figure: by the place in the campaign's list of arms."""
    return look_of(ARMS.index((arm,)))


def look_of(i):
    return {"color": COLOURS[i % len(COLOURS)], "marker": SYMBOLS[i % len(SYMBOLS)],
            "linestyle": DASHES[i % len(DASHES)]}


NOT_DRAWN = []  # what the picture says of what it does not show


def grid(panels, most=12, columns=3, width=3.2, height=2.4, shared=False):
    """A figure with a part for each of the first panels; set `most` higher to draw more."""
    if len(panels) > most:
        NOT_DRAWN.append(f"{most} of {len(panels)} panels are drawn, the data have all")
        print(NOT_DRAWN[-1])
    panels = panels[:most]
    columns = min(columns, len(panels))
    lines = math.ceil(len(panels) / columns)
    width = max(5 / columns, width)
    titles = [textwrap.fill(", ".join(map(str, panel)), int(13 * width)) for panel in panels]
    height += 0.12 * max(title.count("\n") for title in titles)
    figure, axes = plt.subplots(lines, columns, squeeze=False, layout="constrained", sharex=shared,
                                sharey=shared, figsize=(width * columns, 0.8 + height * lines))
    for axis in axes.flat[len(panels):]:
        axis.remove()
    for axis, title in zip(axes.flat, titles):
        axis.set_title(title, fontsize=7)
        axis.tick_params(labelbottom=True)
    return figure, list(zip(axes.flat, panels))


def time_text(ns, _=None):
    for least, factor, unit in ((999.5e6, 1e9, "s"), (999.5e3, 1e6, "ms"), (99.95, 1e3, "\u00b5s")):
        if abs(ns) >= least:
            return f"{ns / factor:.3g} {unit}"
    return f"{ns:.3g} ns" if ns else "0"


def log_ticks(axis, text=lambda value, _: f"{value:.3g}"):
    """Numbers on a logarithmic axis, also on one of less than a decade."""
    low, high = axis.get_view_interval()
    digits = (1, 2, 5) if high / low < 100 else (1,)
    axis.set_major_locator(LogLocator(subs=digits) if high / low > 5 else MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(text))
    axis.set_minor_formatter(NullFormatter())


def legend(figure, handles, labels):
    """Above all parts, for which the picture grows; in as many columns as there is room for."""
    labels = [" " + label if label.startswith("_") else label for label in labels]
    columns = max(1, min(len(labels), int(17 * figure.get_figwidth() / (8 + max(map(len, labels))))))
    each, rest = divmod(len(labels), len({label.split(", ")[0] for label in labels}))
    if rest == 0 and 1 < each <= columns:  # levels of an arm: a line for it
        columns = each
        order = [i for first in range(each) for i in range(first, len(labels), each)]
        handles, labels = [handles[i] for i in order], [labels[i] for i in order]
    drawn = figure.legend(handles, labels, loc="upper left", ncol=columns, fontsize=7, frameon=False)
    drawn.set_in_layout(False)
    figure.canvas.draw()
    more = drawn.get_window_extent().height / figure.dpi
    high = figure.get_figheight() + more
    figure.set_figheight(high)
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - more / high))


def arms_legend(figure, arms, **more):
    handles = [plt.Line2D([], [], **{"markerfacecolor": "white", **style(arm), **more})
               for (arm,) in arms]
    legend(figure, handles, [arm for (arm,) in arms])


def save(figure, name):
    if NOT_DRAWN:  # below what the figure has there
        below = figure._supxlabel.get_text() if figure._supxlabel else ""
        figure.supxlabel("\n".join([below] * bool(below) + NOT_DRAWN))
    for kind in ("pdf", "png"):
        figure.savefig(HERE / f"{name}.{kind}", dpi=300)
        print(HERE / f"{name}.{kind}")


ARMS = levels(read("arms.csv"), "arm") if (HERE / "data" / "arms.csv").exists() else []
