// Absolute run-times.
import * as Plot from "@observablehq/plot";
import type { Times } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, count, duration, durationTick, interval } from "../../format.ts";
import { levelsOf, selectedItems } from "../kit/arms.ts";
import { type Axis, chart, intervals, points, tips } from "../kit/chart.ts";
import { bounded, joinNotes } from "../kit/facets.ts";
import { type Series, seriesPanels } from "../kit/levels.ts";
import { regimesNote } from "../kit/regimes.ts";
import { runtimeTitle } from "../kit/runtime.ts";
import { sheet } from "../kit/sheet.ts";
import { sharedAxis, type SizeAxis } from "../kit/sizes.ts";
import { levelColumns } from "../kit/table.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

const kPanels = 12;

function drawPanel(view: View, series: Series<Times>[], sizes: SizeAxis, domain: [number, number], width: number, height: number): SVGSVGElement {
  const left = 54;
  const inner = width - left - 8;
  const y: Axis = { type: "log", domain, ticks: logTicks(...domain, 9), format: durationTick };
  const x: Axis = { type: "linear", domain: sizes.domain, ticks: sizes.ticks(inner), format: (place) => sizes.label(place) };
  const at = { x: (d: Times) => sizes.at(levelsOf(view, d).size_bytes), y: (d: Times) => d.median_ns };
  const dense = sizes.sizes.length > 40;
  const marks: Plot.Markish[] = [];
  for (const { style: look, items: own } of series) {
    marks.push(
      Plot.line(own, { ...at, stroke: look.colour, strokeWidth: 1.75, strokeDasharray: look.dash || "none" }),
      intervals(own, { x: at.x, low: (d) => d.low_ns, high: (d) => d.high_ns }, { colour: look.colour }),
      points(view, own, at, { series: look, r: dense ? 1.5 : 3.5 }),
    );
  }
  const named = series.flatMap(({ name, items }) => items.map((d) => ({ ...d, name })));
  marks.push(
    tips(view, named, {
      ...at,
      text: (d) =>
        `${d.name}, ${bytes(levelsOf(view, d).size_bytes)}\n${duration(d.median_ns)} [${interval(d.low_ns, d.high_ns, (ns) => duration(ns))}]\n` +
        `${count(d.observations)} observations in ${d.launches} launches\n95 % up to ${duration(d.p95_ns)}, 99 % up to ${duration(d.p99_ns)}`,
    }),
  );
  return chart(view, { width, height, left, right: 8, x, y, marks });
}

export const figure: Figure = {
  id: "times",
  section: "times",
  title: "Run-time of a call",
  read:
    "A point is the time of one call over launches (Hodges and Lehmann's estimate over their medians, of fewer than six their geometric mean), with its interval where that is longer than the point; both axes are logarithmic, so that equal distances are equal factors. " +
    "A flat stretch is latency, a straight rise is bandwidth, and a step is mostly where a library changes its algorithm or protocol.",
  draw(view) {
    const items = selectedItems(view, view.campaign.times).filter((item) => item.median_ns > 0);
    if (items.length === 0) return null;
    const { shown, note } = bounded(seriesPanels(view, items), kPanels, "panels");
    const itemsOf = (panel: (typeof shown)[number]): Times[] => panel.series.flatMap((one) => one.items);
    const visible = shown.flatMap(itemsOf);
    const looks = new Map(shown.flatMap((panel) => panel.series.map(({ name, style }) => [name, style])));
    const sizesOf = (items: typeof visible) => items.map((item) => levelsOf(view, item).size_bytes);
    const axisOf = sharedAxis(shown.map((panel) => sizesOf(itemsOf(panel))));
    const domain = logDomain(visible.flatMap((item) => [item.median_ns, item.low_ns, item.high_ns]));
    const columns = levelColumns(view.campaign.cells);
    return {
      element: sheet(view, {
        label: `Run-times over message sizes, ${shown.length} panels`,
        legend: [...looks].map(([label, { colour, symbol, dash }]) => ({ label, colour, symbol, dash })),
        yTitle: `${runtimeTitle(view.campaign, visible)} (logarithmic)`,
        xTitle: "message size (logarithmic)",
        panels: shown.map((panel) => {
          const axis = axisOf(sizesOf(itemsOf(panel)));
          return {
            ...panel,
            draw: (width: number) => drawPanel(view, panel.series, axis, domain, width, shown.length === 1 ? 360 : 250),
          };
        }),
        least: 290,
        columns: 3,
      }),
      table: {
        columns: [
          ...columns.columns,
          "arm",
          "time (ns)",
          "low (ns)",
          "high (ns)",
          "mean (ns)",
          "min (ns)",
          "q1 (ns)",
          "q3 (ns)",
          "p95 (ns)",
          "p99 (ns)",
          "launches",
          "observations",
          "estimate",
        ],
        rows: visible.map((d) => [
          ...columns.of(levelsOf(view, d)),
          d.arm,
          d.median_ns,
          d.low_ns,
          d.high_ns,
          d.mean_ns,
          d.min_ns,
          d.q1_ns,
          d.q3_ns,
          d.p95_ns,
          d.p99_ns,
          d.launches,
          d.observations,
          d.estimate ?? null,
        ]),
      },
      summary: `Times from ${duration(Math.min(...visible.map((d) => d.median_ns)))} to ${duration(Math.max(...visible.map((d) => d.median_ns)))}.`,
      note: joinNotes(regimesNote(view), note),
    };
  },
};
