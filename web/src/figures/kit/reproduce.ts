// What the figures of reproducibility share.
import * as Plot from "@observablehq/plot";
import type { Box, Levels, ReproducedCell, ReproducedMethod, Spread, SpreadSummary } from "../../data.ts";
import type { Drawing, View } from "../../figure.ts";
import { bytes, duration, ratio, share } from "../../format.ts";
import { cellLabel, hasArm, hasLevels } from "../../select.ts";
import { boxes, lyingBoxes } from "./boxes.ts";
import { Rows } from "./category.ts";
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
  summary: (method: ReproducedMethod) => SpreadSummary | null;
  word: string; // "time", "ratio"
  format: (value: number) => string;
}

export const kTimes: Quantity = {
  values: (cell) => cell.times_ns,
  normalised: (cell) => cell.normalised_times,
  spread: (cell) => cell.time_ns,
  summary: (method) => method.times,
  word: "time",
  format: (ns) => duration(ns),
};
export const kRatios: Quantity = {
  values: (cell) => cell.ratios,
  normalised: (cell) => cell.normalised_ratios,
  spread: (cell) => cell.ratio,
  summary: (method) => method.ratios,
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
    const boxed = own.filter((cell) => quantity.spread(cell) !== null);
    marks.push(
      ...boxes(
        boxed,
        (cell) => sizes.at(cell.size_bytes),
        (cell) => quantity.spread(cell)!.box,
        { colour: look.colour, half: Math.max(1.5, Math.min(9, each * 0.36)), dx, opacity: 0.25 },
      ),
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

const kRow = 34; // px of a method

interface Summarised {
  name: string;
  box: Box;
  dots: Dot[];
}

/** Every method's box over all cells and arms, its points on top: figure 12 of Hunold and Carpen-Amarie 2016. */
function drawMethods(view: View, all: Summarised[], quantity: Quantity, domain: [number, number], width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(all.map((one) => one.name));
  const most = width * 0.34;
  const left = rows.margin(view, most);
  const right = 14;
  const log = domain[1] > kFar;
  const room = Math.max(3, Math.floor((width - left - right) / 70));
  const x: Axis = {
    type: log ? "log" : "linear",
    domain,
    ticks: log ? ratioTicks(...domain, room) : linearTicks(...domain, room),
    format: ratioTick,
    grid: true,
  };
  const y = (one: Summarised): number => rows.at(one.name);
  const dots = all.flatMap((one) => one.dots.map((dot, i) => ({ dot, y: y(one) + ((i * 0.618034) % 1) * 0.44 - 0.22, name: one.name })));
  const marks: Plot.Markish[] = [
    rows.lines(view),
    ...lyingBoxes(all, y, (one) => one.box, { colour: style.muted, half: 9, opacity: 0.35, median: style.text }),
  ];
  for (const [arm, own] of groupBy(dots, (one) => one.dot.cell.arm)) {
    const look = style.arm(arm);
    marks.push(
      Plot.dot(own, {
        x: (d: (typeof dots)[number]) => d.dot.normalised,
        y: "y",
        symbol: look.symbol,
        r: own.length > 400 ? 1.3 : 2,
        stroke: look.colour,
        strokeOpacity: 0.8,
        fill: look.colour,
        fillOpacity: 0.3,
      }),
    );
  }
  marks.push(
    rows.labels(view, most, width, 15),
    tips(view, all, {
      x: (one) => one.box.median,
      y,
      text: ({ name, box }) =>
        `${name}\nmedian ${ratio(box.median)}, half of the ${quantity.word}s in ${ratio(box.q1)} to ${ratio(box.q3)}\nwhiskers ${ratio(box.low)} to ${ratio(box.high)}`,
    }),
  );
  const height = rows.names.length * rows.pitch(view, most, kRow) + 36;
  return chart(view, { width, height, left, right, x, y: null, yDomain: rows.domain, marks });
}

/** The methods as a whole, if nothing is selected away: their boxes are of all cells and arms. */
function summarised(view: View, quantity: Quantity): Summarised[] {
  return (view.page.reproduce?.methods ?? []).flatMap((method) => {
    const box = quantity.summary(method)?.box;
    const all = selectedReproduced(view, method.cells).length === method.cells.length;
    return box && all ? [{ name: methodName(method), box, dots: dotsOf(method.cells, quantity) }] : [];
  });
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
  const methods = summarised(view, quantity);
  return {
    element: sheet(view, {
      wide:
        methods.length > 0
          ? {
              title: "Each method over all sizes, operations and arms",
              subtitle: `${quantity.word} in a repeat / smallest one`,
              draw: (width) => drawMethods(view, methods, quantity, domain, width),
            }
          : undefined,
      label: `Normalised ${quantity.word}s of ${reproduce.repeats} repeats by method, ${shown.length} panels`,
      legend: [
        ...arms.map((arm) => ({ label: `${arm}: one repeat`, colour: view.style.arm(arm).colour, symbol: view.style.arm(arm).symbol })),
        { label: "box: middle half, median, whiskers to 1.5 box lengths", colour: view.style.muted, area: 0.3 },
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
