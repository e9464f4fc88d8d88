import csv
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"font.size": 8, "pdf.fonttype": 42})
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"panel", "size", "arm", "reference", "verdict", "decided", "regime", "factor", "level",
         "influence", "pairing", "method", "number"}
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
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
    """Each combination once, in the order of the file."""
    return list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))


def select(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def style(arms, arm):
    i = arms.index((arm,))
    return {"color": COLOURS[i % len(COLOURS)], "marker": SYMBOLS[i % len(SYMBOLS)],
            "linestyle": DASHES[i % len(DASHES)]}


def grid(panels, most=12, columns=3, width=3.2, height=2.4):
    """A figure with a part for each of the first panels; set `most` higher to draw more."""
    if len(panels) > most:
        print(f"{len(panels) - most} more panels are in the data and not drawn")
    panels = panels[:most]
    columns = min(columns, len(panels))
    lines = math.ceil(len(panels) / columns)
    figure, axes = plt.subplots(lines, columns, squeeze=False, layout="constrained",
                                figsize=(max(5, width * columns), 0.8 + height * lines))
    for axis in axes.flat[len(panels):]:
        axis.remove()
    for axis, panel in zip(axes.flat, panels):
        axis.set_title(", ".join(map(str, panel)), fontsize=7)
    return figure, list(zip(axes.flat, panels))


def time_text(ns, _=None):
    return f"{ns / 1e6:.3g} ms" if ns >= 999.5e3 else f"{ns / 1e3:.3g} us"


def log_ticks(axis, text=lambda value, _: f"{value:.3g}"):
    """Numbers on a logarithmic axis, also on one of less than a decade."""
    low, high = axis.get_view_interval()
    digits = (1, 2, 5) if high / low < 100 else (1,)
    axis.set_major_locator(LogLocator(subs=digits) if high / low > 5 else MaxNLocator(5))
    axis.set_major_formatter(FuncFormatter(text))
    axis.set_minor_formatter(NullFormatter())


def legend(figure, arms, **more):
    """Above the first part; also where a label begins with an underscore."""
    handles = [plt.Line2D([], [], markerfacecolor="white", **{**style(arms, arm), **more})
               for (arm,) in arms]
    labels = [" " + arm if arm.startswith("_") else arm for (arm,) in arms]
    figure.axes[0].legend(handles, labels, loc="lower left", bbox_to_anchor=(0, 1.1), ncol=3,
                          fontsize=7, frameon=False)


def save(figure, name):
    for kind in ("pdf", "png"):
        figure.savefig(HERE / f"{name}.{kind}", dpi=150)
        print(HERE / f"{name}.{kind}")
