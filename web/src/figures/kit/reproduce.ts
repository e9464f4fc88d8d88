// What the figures of reproducibility share.
import * as Plot from "@observablehq/plot";
import type { Levels, ReproducedCell, ReproducedMethod, Spread } from "../../data.ts";
import type { Drawing, View } from "../../figure.ts";
import { bytes, duration, ratio, share } from "../../format.ts";
import { cellLabel, hasArm, hasLevels } from "../../select.ts";
import { type Axis, chart, tips } from "./chart.ts";
import { bounded, groupBy } from "./facets.ts";
import { sheet } from "./sheet.ts";
import { sharedAxis, type SizeAxis } from "./sizes.ts";
import { levelColumns } from "./table.ts";
import { linearTicks, ratioTick, ratioTicks } from "./ticks.ts";

const kPanels = 12;
const kFar = 3;

/** "Invar", "OSU 7.5, one run". */
export function methodName(method: Pick<ReproducedMethod, "method" | "number" | "suite">): string {
  const name = method.suite ?? (method.method === "invar" ? "Invar" : method.method);
  const words = { answer: "", "one-run": ", one run", "same-time": ", mean of all runs" }[method.number] ?? `, ${method.number}`;
  return name + words;
}

export function selectedReproduced(view: View, cells: readonly ReproducedCell[]): ReproducedCell[] {
  return cells.filter((cell) => hasLevels(view.selection, cell) && hasArm(view.selection, cell.arm));
}

export interface Quantity {
  values: (cell: ReproducedCell) => (number | null)[];
  normalised: (cell: ReproducedCell) => (number | null)[];
  spread: (cell: ReproducedCell) => Spread | null;
  word: string; // "time", "ratio"
  format: (value: number) => string;
}

export const kTimes: Quantity = {
  values: (cell) => cell.times_ns,
  normalised: (cell) => cell.normalised_times,
  spread: (cell) => cell.time_ns,
  word: "time",
  format: (ns) => duration(ns),
};
export const kRatios: Quantity = {
  values: (cell) => cell.ratios,
  normalised: (cell) => cell.normalised_ratios,
  spread: (cell) => cell.ratio,
  word: "ratio",
  format: (value) => ratio(value),
};

interface Dot {
  cell: ReproducedCell;
  repeat: number;
  value: number;
  normalised: number;
}

export function dotsOf(cells: readonly ReproducedCell[], quantity: Quantity): Dot[] {
  return cells.flatMap((cell) =>
    quantity.normalised(cell).flatMap((normalised, i) => {
      const value = quantity.values(cell)[i] ?? null;
      return normalised === null || value === null ? [] : [{ cell, repeat: i + 1, value, normalised }];
    }),
  );
}

function drawPanel(
  view: View,
  cells: ReproducedCell[],
  quantity: Quantity,
  sizes: SizeAxis,
  domain: [number, number],
  width: number,
): SVGSVGElement {
  const { style } = view;
  const left = 44;
  const inner = width - left - 8;
  const arms = [...new Set(cells.map((cell) => cell.arm))];
  const each = Math.min(sizes.step(inner) * 0.8, 24 * arms.length) / arms.length;
  const log = domain[1] > kFar;
  const y: Axis = {
    type: log ? "log" : "linear",
    domain,
    ticks: log ? ratioTicks(...domain, 7) : linearTicks(...domain, 6),
    format: ratioTick,
  };
  const x: Axis = { type: "linear", domain: sizes.domain, ticks: sizes.ticks(inner), format: (place) => sizes.label(place) };
  const marks: Plot.Markish[] = [Plot.ruleY([1], { stroke: style.muted })];
  const at = { x: (d: Dot) => sizes.at(d.cell.size_bytes), y: (d: Dot) => d.normalised };
  arms.forEach((arm, i) => {
    const look = style.arm(arm);
    const dx = (i - (arms.length - 1) / 2) * each;
    const own = cells.filter((cell) => cell.arm === arm);
    const spans = own.flatMap((cell) => {
      const spread = quantity.spread(cell);
      return spread === null ? [] : [{ cell, high: 1 + spread.spread }];
    });
    marks.push(
      // From the least to the largest: a bar as wide as a box, its length is the spread.
      Plot.ruleX(spans, {
        x: (d: { cell: ReproducedCell }) => sizes.at(d.cell.size_bytes),
        y1: 1,
        y2: "high",
        dx,
        stroke: look.colour,
        strokeWidth: Math.max(2, each * 0.62),
        strokeOpacity: 0.22,
      }),
      Plot.dot(dotsOf(own, quantity), {
        ...at,
        dx,
        symbol: look.symbol,
        r: each > 6 ? 2.4 : 1.6,
        stroke: look.colour,
        strokeOpacity: 0.9,
        fill: look.colour,
        fillOpacity: 0.35,
      }),
    );
  });
  marks.push(
    tips(view, dotsOf(cells, quantity), {
      ...at,
      text: (d) =>
        `${d.cell.arm}, ${bytes(d.cell.size_bytes)}, repeat ${d.repeat}\n${quantity.word} ${quantity.format(d.value)}\n${share(d.normalised - 1)} above the least of this method`,
    }),
  );
  return chart(view, { width, height: 230, left, right: 8, x, y, marks });
}

export function drawReproduced(view: View, quantity: Quantity): Drawing | null {
  const { reproduce } = view.page;
  if (!reproduce) return null;
  const among: Levels[] = reproduce.methods.flatMap((method) => method.cells);
  const panels = reproduce.methods.flatMap((method) => {
    const cells = selectedReproduced(view, method.cells).filter((cell) => quantity.spread(cell) !== null);
    const groups = groupBy(cells, (cell) => cellLabel(cell, among));
    return [...groups].map(([label, own]) => ({ method, label, cells: own }));
  });
  if (panels.length === 0) return null;
  const labels = new Set(panels.map((panel) => panel.label));
  const { shown, note } = bounded(panels, kPanels, "panels", "operation or ranks");
  const visible = shown.flatMap((panel) => panel.cells);
  const highest = Math.max(...visible.map((cell) => 1 + quantity.spread(cell)!.spread));
  // One repeat that is many times off would flatten all others: then the axis is logarithmic.
  const domain: [number, number] =
    highest > kFar ? [0.93, highest * 1.1] : [1 - (highest - 1) * 0.03, highest + (highest - 1) * 0.05 + 1e-4];
  const sizesOf = (cells: readonly ReproducedCell[]) => cells.map((cell) => cell.size_bytes);
  const axisOf = sharedAxis(
    shown.map((panel) => sizesOf(panel.cells)),
    true,
  );
  const arms = [...new Set(visible.map((cell) => cell.arm))];
  const columns = levelColumns(among);
  return {
    element: sheet(view, {
      label: `Normalised ${quantity.word}s of ${reproduce.repeats} repeats by method, ${shown.length} panels`,
      legend: [
        ...arms.map((arm) => ({ label: `${arm}: one repeat`, colour: view.style.arm(arm).colour, symbol: view.style.arm(arm).symbol })),
        { label: "from the least to the largest repeat", colour: view.style.muted, area: 0.22 },
      ],
      yTitle: `${quantity.word} in a repeat / smallest one of that method and size (one axis for all methods)`,
      xTitle: "message size",
      panels: shown.map((panel) => ({
        title: methodName(panel.method),
        ...(labels.size > 1 ? { subtitle: panel.label } : {}),
        draw: (width) => drawPanel(view, panel.cells, quantity, axisOf(sizesOf(panel.cells)), domain, width),
      })),
      least: 290,
      columns: 3,
    }),
    table: {
      columns: ["method", ...columns.columns, "arm", "repeat", quantity.word === "time" ? "time (ns)" : "ratio", "over the least"],
      rows: shown.flatMap((panel) =>
        dotsOf(panel.cells, quantity).map((d) => [
          methodName(panel.method),
          ...columns.of(d.cell),
          d.cell.arm,
          d.repeat,
          d.value,
          d.normalised,
        ]),
      ),
    },
    summary:
      shown
        .map(
          (panel) => `${methodName(panel.method)}: up to ${share(Math.max(...panel.cells.map((cell) => quantity.spread(cell)!.spread)))}`,
        )
        .join("; ") + ".",
    note,
  };
}
