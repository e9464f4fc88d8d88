// Whether means of 30 observations are normally distributed, as methods that rest on them assume.
import * as Plot from "@observablehq/plot";
import type { Normality } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { digits, duration, timeUnit } from "../../format.ts";
import { cellName } from "../../select.ts";
import { boundedPanels, levelsOf, selectedItems } from "../kit/arms.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";
import { linearDomain, linearTicks } from "../kit/ticks.ts";

const kPanels = 12;

interface Pair {
  normal: number;
  ns: number;
}

function drawPanel(view: View, item: Normality, width: number): SVGSVGElement {
  const { style } = view;
  const pairs = item.normal.map((normal, i): Pair => ({ normal, ns: item.mean_ns[i] ?? NaN })).filter((pair) => Number.isFinite(pair.ns));
  const [low, high] = linearDomain(
    pairs.map((pair) => pair.normal),
    0.05,
  );
  const { intercept_ns, slope_ns } = item.line;
  const ends = [low, high].map((normal) => ({ normal, ns: intercept_ns + slope_ns * normal }));
  const domain = linearDomain([...pairs.map((pair) => pair.ns), ...ends.map((end) => end.ns)], 0.04);
  const unit = timeUnit(domain[1]);
  const y: Axis = {
    type: "linear",
    domain,
    ticks: linearTicks(domain[0] / unit.factor, domain[1] / unit.factor, 5).map((tick) => tick * unit.factor),
    format: (ns) => `${Number((ns / unit.factor).toPrecision(6))}\u00a0${unit.name}`,
  };
  const look = style.arm(item.arm);
  const at = { x: (d: Pair) => d.normal, y: (d: Pair) => d.ns };
  return chart(view, {
    width,
    height: 200,
    left: 62,
    x: { type: "linear", domain: [low, high], ticks: linearTicks(low, high, 6), format: (value) => String(value).replace("-", "−") },
    y,
    marks: [
      Plot.line(ends, { x: "normal", y: "ns", stroke: style.muted, strokeWidth: 1.25, strokeDasharray: "5 3" }),
      points(view, pairs, at, { series: look, r: 2.25 }),
      tips(view, pairs, { ...at, text: (d) => `${digits(d.normal, 2)} standard deviations\nmean ${duration(d.ns, 4)}` }),
    ],
  });
}

export const figure: Figure = {
  id: "normality",
  section: "normality",
  title: "Sample means against the normal distribution",
  read:
    "Each point is the mean of 30 observations, at the place where it would stand if such means were normally distributed: then all points lie on the dashed line, and Shapiro and Wilk's W is near 1. " +
    "A curve that bends upwards at the right end has a tail that 30 observations do not average out, and intervals for the mean from so few of them are too narrow.",
  draw(view) {
    const items = selectedItems(view, view.campaign.normality).filter((item) => item.normal.length > 1);
    if (items.length === 0) return null;
    const { shown: visible, note } = boundedPanels(view, items, kPanels);
    const columns = levelColumns(view.campaign.cells);
    const used = [...new Set(visible.map((item) => item.arm))];
    const size = visible[0]!.sample_size;
    const worst = Math.min(...visible.map((item) => item.w ?? 1));
    return {
      element: sheet(view, {
        label: `Quantiles of sample means against normal ones, ${visible.length} panels`,
        legend: used.map((arm) => ({ label: arm, colour: view.style.arm(arm).colour, symbol: view.style.arm(arm).symbol })),
        yTitle: `mean of ${size} observations`,
        xTitle: "quantile of the normal distribution, in standard deviations",
        panels: visible.map((item): Panel => ({
          title: cellName(levelsOf(view, item), view.campaign.cells),
          subtitle: item.w === null ? item.arm : `${item.arm}, W = ${item.w.toFixed(3)}`,
          draw: (width) => drawPanel(view, item, width),
        })),
        least: 220,
        columns: 4,
      }),
      table: {
        columns: [...columns.columns, "arm", "sample size", "W", "normal quantile", "mean (ns)"],
        rows: visible.flatMap((item) =>
          item.normal.map((normal, i) => [
            ...columns.of(levelsOf(view, item)),
            item.arm,
            item.sample_size,
            item.w,
            normal,
            item.mean_ns[i] ?? null,
          ]),
        ),
      },
      summary: `Means of ${size}; the least normal of ${visible.length} has W ${worst.toFixed(3)}.`,
      note,
    };
  },
};
