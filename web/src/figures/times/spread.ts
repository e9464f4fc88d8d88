// One number for every method: how far apart its repeats are (Hunold and Carpen-Amarie 2016, table 1).
import * as Plot from "@observablehq/plot";
import type { ReproducedCell, ReproducedMethod, SpreadSummary } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, plural, share } from "../../format.ts";
import { type Axis, chart, tips } from "../kit/chart.ts";
import { Rows } from "../kit/category.ts";
import { kRatios, kTimes, methodName, type Quantity, selectedReproduced } from "../kit/reproduce.ts";
import { sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";
import { logTicks, percentTick } from "../kit/ticks.ts";

// Spreads that are smaller are drawn here: they are no differences to care about.
const kLeast = 1e-4;

interface Dot {
  method: ReproducedMethod;
  cell: ReproducedCell;
  spread: number;
}

export function spreadsOf(view: View, methods: readonly ReproducedMethod[], quantity: Quantity): Dot[] {
  return methods.flatMap((method) =>
    selectedReproduced(view, method.cells).flatMap((cell) => {
      const spread = quantity.spread(cell);
      return spread === null ? [] : [{ method, cell, spread: spread.spread }];
    }),
  );
}

function drawPanel(
  view: View,
  methods: readonly ReproducedMethod[],
  quantity: Quantity,
  domain: [number, number],
  width: number,
): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(methods.map(methodName));
  const most = width * 0.42;
  const left = rows.margin(view, most);
  const dots = spreadsOf(view, methods, quantity);
  const summary = (method: ReproducedMethod): SpreadSummary | null => (quantity === kTimes ? method.times : method.ratios);
  const some = methods.filter((method) => summary(method) !== null);
  const x: Axis = {
    type: "log",
    domain,
    ticks: logTicks(...domain, Math.max(2, Math.floor((width - left) / 60))),
    format: percentTick,
    grid: true,
  };
  const y = (method: ReproducedMethod): number => rows.at(methodName(method));
  const at = { x: (d: Dot) => Math.max(kLeast, d.spread), y: (d: Dot) => y(d.method) };
  const marks: Plot.Markish[] = [rows.lines(view)];
  for (const arm of new Set(dots.map((dot) => dot.cell.arm))) {
    const look = style.arm(arm);
    marks.push(
      Plot.dot(
        dots.filter((dot) => dot.cell.arm === arm),
        { ...at, symbol: look.symbol, r: 3.5, fill: look.colour, fillOpacity: 0.35, stroke: look.colour },
      ),
    );
  }
  const median = (method: ReproducedMethod): number => Math.max(kLeast, summary(method)!.median);
  marks.push(
    Plot.ruleX(some, {
      x: median,
      y1: (d: ReproducedMethod) => y(d) - 0.24,
      y2: (d: ReproducedMethod) => y(d) + 0.24,
      stroke: style.text,
      strokeWidth: 2.5,
    }),
    Plot.text(some, {
      x: median,
      y: (d: ReproducedMethod) => y(d) + 0.24,
      dy: -6,
      text: (d: ReproducedMethod) => share(summary(d)!.median),
      fill: style.text,
      fontSize: 11,
      fontWeight: 600,
      stroke: style.background,
      strokeWidth: 3,
    }),
    rows.labels(view, most, width, 40),
    tips(view, dots, {
      ...at,
      text: (d) =>
        `${methodName(d.method)}\n${d.cell.operation}, ${bytes(d.cell.size_bytes)}, ${d.cell.arm}\nlargest repeat ${share(d.spread)} above the least`,
    }),
  );
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, rows.stacked(view, most) ? 54 : 42) + 40,
    left,
    right: 24,
    top: 14,
    x,
    y: null,
    yDomain: rows.domain,
    marks,
  });
}

export const figure: Figure = {
  id: "spread",
  section: "reproducibility",
  title: "How far apart the repeats are",
  read:
    "Each point is one size and arm: how much larger the largest of a method's reports is than the smallest one, with nothing changed between them; the bar is the median over all cells. " +
    "Differences between libraries that are smaller than a method's spread cannot be seen by it, whatever it prints.",
  draw(view) {
    const { reproduce } = view.page;
    if (!reproduce) return null;
    const times = spreadsOf(view, reproduce.methods, kTimes);
    const ratios = spreadsOf(view, reproduce.methods, kRatios);
    if (times.length === 0) return null;
    const all = [...times, ...ratios].map((dot) => Math.max(kLeast, dot.spread));
    const domain: [number, number] = [Math.min(...all) / 1.3, Math.max(...all, 0.02) * 1.3];
    const arms = [...new Set(times.map((dot) => dot.cell.arm))];
    const columns = levelColumns(reproduce.methods.flatMap((method) => method.cells));
    const changed = reproduce.methods.filter((method) => method.comparisons > 0);
    return {
      element: sheet(view, {
        label: "Spread of repeats by method",
        legend: [
          ...arms.map((arm) => ({ label: arm, colour: view.style.arm(arm).colour, symbol: view.style.arm(arm).symbol })),
          { label: "median over all cells", colour: view.style.text, bar: true },
        ],
        xTitle: "largest over least repeat, minus one (logarithmic)",
        panels: [
          { title: "Times", draw: (width) => drawPanel(view, reproduce.methods, kTimes, domain, width) },
          ...(ratios.length > 0
            ? [{ title: "Ratios of two arms", draw: (width: number) => drawPanel(view, reproduce.methods, kRatios, domain, width) }]
            : []),
        ],
        least: 380,
        columns: 2,
      }),
      table: {
        columns: [
          "method",
          ...columns.columns,
          "arm",
          "least (ns)",
          "largest (ns)",
          "spread (%)",
          "least ratio",
          "largest ratio",
          "spread of ratios (%)",
          "winner changed",
        ],
        rows: times.map(({ method, cell }) => [
          methodName(method),
          ...columns.of(cell),
          cell.arm,
          cell.time_ns!.least,
          cell.time_ns!.largest,
          100 * cell.time_ns!.spread,
          cell.ratio?.least ?? null,
          cell.ratio?.largest ?? null,
          cell.ratio ? 100 * cell.ratio.spread : null,
          cell.winner_changed === null ? null : cell.winner_changed ? "yes" : "no",
        ]),
      },
      summary:
        reproduce.methods
          .filter((method) => method.times)
          .map((method) => `${methodName(method)}: median ${share(method.times!.median)}, worst ${share(method.times!.worst)}`)
          .join("; ") + ".",
      note:
        changed.length > 0
          ? `The winner changed between repeats: ${changed.map((method) => `${methodName(method)} ${method.winners_changed} of ${plural(method.comparisons, "comparison")}`).join("; ")}.`
          : undefined,
    };
  },
};
