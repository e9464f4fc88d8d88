// Means of the launches with their intervals (paper 000, figure 3).
import * as Plot from "@observablehq/plot";
import type { Factors } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { count, duration, interval } from "../../format.ts";
import { type Axis, chart, intervals, points, tips } from "../kit/chart.ts";
import { boundedTargets, targetsOf } from "../kit/factors.ts";
import { timeAxis } from "../kit/observations.ts";
import { sheet } from "../kit/sheet.ts";
import { linearTicks } from "../kit/ticks.ts";

const kPanels = 9;

type Launch = Factors["figures"]["launches"][number];

function drawPanel(view: View, launches: Launch[], width: number): SVGSVGElement {
  const { style } = view;
  const values = launches.flatMap((d) => [d.mean_ns, d.median_ns, d.low_ns ?? d.mean_ns, d.high_ns ?? d.mean_ns]);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max((high - low) * 0.06, high * 1e-3);
  const y: Axis = { ...timeAxis(low - margin, high + margin, 300, false).axis, grid: true };
  // In order, because numbers of launches have gaps where arms take turns.
  const sorted = [...launches].sort((a, b) => a.launch - b.launch);
  const at = (d: Launch): number => sorted.indexOf(d) + 1;
  const x: Axis = {
    type: "linear",
    domain: [0.3, sorted.length + 0.7],
    ticks: linearTicks(1, sorted.length, 6).filter(Number.isInteger),
    format: String,
  };
  const look = style.series("role", 0);
  return chart(view, {
    width,
    height: 210,
    left: 62,
    x,
    y,
    marks: [
      Plot.dot(sorted, { x: at, y: "median_ns", symbol: style.series("role", 1).symbol, r: 2.25, stroke: style.series("role", 1).colour, fill: style.background }),
      intervals(sorted, { x: at, low: (d) => d.low_ns, high: (d) => d.high_ns }, { colour: look.colour, width: 2 }),
      points(view, sorted, { x: at, y: (d) => d.mean_ns }, { series: look, r: 3 }),
      tips(view, sorted, {
        x: at,
        y: (d) => d.mean_ns,
        text: (d) =>
          `launch ${d.launch}\nmean ${duration(d.mean_ns, 4)} [${interval(d.low_ns, d.high_ns, (ns) => duration(ns, 4))}]\nmedian ${duration(d.median_ns, 4)}, ${count(d.observations)} observations`,
      }),
    ],
  });
}

export const figure: Figure = {
  id: "factor-launches",
  section: "factors",
  title: "Means of the launches",
  read:
    "Each point is the mean of one launch without outliers, with the interval that its repetitions give it, and each hollow point its median; all factors are at their first level. " +
    "Intervals that do not overlap show that launches differ by more than repetitions can explain, although nothing else was changed.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const all = targetsOf(view, data)
      .map((target) => ({ target, launches: data.figures.launches.filter((launch) => launch.target === target.index) }))
      .filter((one) => one.launches.length > 0);
    if (all.length === 0) return null;
    const { shown, note } = boundedTargets(all, kPanels);
    const { style } = view;
    return {
      element: sheet(view, {
        label: "Means of launches with intervals",
        legend: [
          { label: "mean, with interval", colour: style.series("role", 0).colour, symbol: style.series("role", 0).symbol, bar: true },
          { label: "median", colour: style.series("role", 1).colour, symbol: style.series("role", 1).symbol, hollow: true },
        ],
        yTitle: "run-time of a call",
        xTitle: "launch, in order",
        panels: shown.map((one) => ({ title: one.target.name, draw: (width) => drawPanel(view, one.launches, width) })),
        least: 280,
        columns: 3,
        gap: 24,
      }),
      table: {
        columns: ["operation", "size (B)", "launch", "observations", "mean (ns)", "low (ns)", "high (ns)", "median (ns)"],
        rows: shown.flatMap((one) =>
          one.launches.map((d) => [
            one.target.operation,
            one.target.size_bytes,
            d.launch,
            d.observations,
            d.mean_ns,
            d.low_ns,
            d.high_ns,
            d.median_ns,
          ]),
        ),
      },
      summary: `${shown.reduce((sum, one) => sum + one.launches.length, 0)} launches.`,
      note,
    };
  },
};
