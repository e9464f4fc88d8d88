// Curves of an answer about messages: a line an arm, a panel for what else tells cells apart.
import type * as Plot from "@observablehq/plot";
import type { Levels } from "../../data.ts";
import type { Drawing, Value, View } from "../../figure.ts";
import { cellLabel, hasArm, hasLevels } from "../../select.ts";
import { armLegend } from "../kit/arms.ts";
import type { Axis } from "../kit/chart.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { lines, type LineSeries, type Vertex } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { SizeAxis } from "../kit/sizes.ts";
import { levelColumns } from "../kit/table.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

const kPanels = 8;

/** A point of a curve, whatever it is an estimate of. */
export interface CurveRow extends Levels {
  arm: string;
  value: number;
  low: number | null;
  high: number | null;
}

export interface CurvesOptions<Row extends CurveRow> {
  label: string;
  yTitle: string;
  text: (value: number) => string; // in tooltips
  tick: (value: number) => string;
  /** What else stands in a panel, above and below its lines. */
  over?: (rows: Row[], axis: SizeAxis) => Plot.Markish[];
  under?: (rows: Row[], axis: SizeAxis) => Plot.Markish[];
  /** Columns of the figure's table behind those that tell the row. */
  columns: string[];
  values: (row: Row) => Value[];
  summary: string;
}

/** What is selected of these rows. */
export function selectedRows<Row extends Levels & { arm: string }>(view: View, rows: readonly Row[]): Row[] {
  return rows.filter((row) => hasArm(view.selection, row.arm) && hasLevels(view.selection, row));
}

/** Sizes that are compared in families of their own are one curve, unless two families have the same size. */
export function curvesOf<Row extends CurveRow>(rows: readonly Row[]): Map<string, Row[]> {
  return groupBy(rows, (row) => cellLabel(row, rows));
}

/** Over message sizes, both axes logarithmic; sizes of 0 have a place of their own. */
export function sizeCurves<Row extends CurveRow>(view: View, rows: Row[], options: CurvesOptions<Row>): Drawing | null {
  if (rows.length === 0) return null;
  const { shown, note } = bounded([...curvesOf(rows)], kPanels, "curves", "operation or ranks");
  const arms = [...new Set(rows.map(({ arm }) => arm))];
  const levels = levelColumns(rows);
  return {
    element: sheet(view, {
      label: options.label,
      legend: armLegend(view, arms, "both"),
      yTitle: options.yTitle,
      xTitle: "message size",
      panels: shown.map(([title, own]) => {
        const axis = new SizeAxis(own.map(({ size_bytes }) => size_bytes));
        const sorted = [...own].sort((a, b) => (a.size_bytes ?? -1) - (b.size_bytes ?? -1));
        const series = [...groupBy(sorted, ({ arm }) => arm)].map(
          ([arm, of]): LineSeries => ({
            name: arm,
            style: view.style.arm(arm),
            r: 2.5,
            vertices: of.map(
              (row): Vertex => ({
                x: axis.at(row.size_bytes),
                y: row.value,
                low: row.low,
                high: row.high,
                text: `${arm}, ${axis.label(axis.at(row.size_bytes))}\n${options.text(row.value)}`,
              }),
            ),
          }),
        );
        const domain = logDomain(own.flatMap(({ value, low, high }) => [value, low, high]));
        const y: Axis = { type: "log", domain, ticks: logTicks(...domain, 6), format: options.tick };
        return {
          title,
          draw: (width: number) =>
            lines(view, {
              width,
              height: 260,
              left: 60,
              x: { type: "linear", domain: axis.domain, ticks: axis.ticks(width - 80), format: (at) => axis.label(at) },
              y,
              series,
              under: options.under?.(own, axis) ?? [],
              over: options.over?.(own, axis) ?? [],
            }),
        };
      }),
      least: 380,
      columns: 2,
    }),
    table: {
      columns: ["arm", ...levels.columns, ...options.columns],
      rows: rows.map((row): Value[] => [row.arm, ...levels.of(row), ...options.values(row)]),
    },
    summary: options.summary,
    note,
  };
}
