// Ratios in rows with names: factors, synchronisations, whatever has no order of its own.
import * as Plot from "@observablehq/plot";
import type { View } from "../../figure.ts";
import { Rows } from "./category.ts";
import { type Axis, chart, estimates, intervalsX, type Mark, tips } from "./chart.ts";
import { logDomain, ratioTick, ratioTicks } from "./ticks.ts";

export interface ForestRow {
  name: string;
  ratio: number;
  low: number | null;
  high: number | null;
  mark: Mark;
  value: string; // written beside the row
  text: string; // of the tooltip
}

/** With as many decimals in every row of a column. */
export function fixedRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(3);
}

export function forestDomain(rows: readonly Pick<ForestRow, "ratio" | "low" | "high">[], min_effect: number): [number, number] {
  const band = 1 + Math.max(min_effect, 0.005);
  return logDomain([1 / band, band, ...rows.flatMap((row) => [row.ratio, row.low, row.high])], 0.06);
}

export function forest(
  view: View,
  rows: readonly ForestRow[],
  options: { width: number; domain: [number, number]; min_effect: number; height?: number },
): SVGSVGElement {
  const { style } = view;
  const { width, domain, min_effect } = options;
  const names = new Rows(rows.map((row) => row.name));
  const most = width * 0.44;
  const left = names.margin(view, most);
  const right = width >= 300 ? 52 : 12;
  const inner = width - left - right;
  const x: Axis = { type: "log", domain, ticks: ratioTicks(...domain, Math.max(3, Math.floor(inner / 44))), format: ratioTick, grid: true };
  const at = { x: (d: ForestRow) => d.ratio, y: (d: ForestRow) => names.at(d.name) };
  const marks: Plot.Markish[] = [
    Plot.rect([0], {
      x1: 1 / (1 + min_effect),
      x2: 1 + min_effect,
      y1: names.domain[0],
      y2: names.domain[1],
      fill: style.muted,
      fillOpacity: 0.18,
    }),
    Plot.ruleX([1], { stroke: style.muted }),
  ];
  for (const row of rows) {
    marks.push(
      intervalsX([row], { y: at.y, low: (d) => d.low, high: (d) => d.high }, { colour: row.mark.colour, width: 2 }),
      estimates(view, [row], at, { mark: row.mark, r: 4.5 }),
    );
  }
  if (width >= 300) {
    marks.push(
      Plot.text(rows as ForestRow[], { x: domain[1], y: at.y, dx: 6, textAnchor: "start", text: "value", fill: style.text, fontSize: 11 }),
    );
  }
  marks.push(names.labels(view, most, width), tips(view, rows, { ...at, text: (d) => d.text }));
  return chart(view, {
    width,
    height: names.names.length * names.pitch(view, most, options.height ?? 24) + 40,
    left,
    right,
    top: 6,
    x,
    y: null,
    yDomain: names.domain,
    marks,
  });
}
