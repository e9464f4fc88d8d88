// A figure of any tidy table: one estimate a row, with its interval, behind what tells the rows apart.
import { answerOf, rowsOf, type Kind, tableOf, type TidyColumn, type TidyTable } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure, Value, View } from "../../figure.ts";
import { digits, duration, durationTick, interval, probability, ratio, share } from "../../format.ts";
import { cellName, hasArm, hasLevels } from "../../select.ts";
import type { SeriesStyle } from "../../style.ts";
import { Rows } from "./category.ts";
import { type Axis, chart, intervalsX, points, tips } from "./chart.ts";
import { bounded, groupBy } from "./facets.ts";
import { sheet } from "./sheet.ts";
import { levelColumns } from "./table.ts";
import { linearDomain, linearTicks } from "./ticks.ts";

const kRows = 60;

export interface AnswerFigure extends Pick<Figure, "id" | "section" | "title" | "read"> {
  question: string;
  table: string; // its id
  column: string; // of the estimate; its interval is drawn where it has one
  /** What tells rows of one cell apart; without it all their texts. */
  texts?: (row: Row) => string[];
}

interface Point {
  name: string;
  arm: string | null; // null: the table has no arms
  value: number;
  low: number | null;
  high: number | null;
}

export type Row = Record<string, unknown>;

function number(row: Row, column: string | null): number | null {
  const value = column === null ? null : row[column];
  return typeof value === "number" ? value : null;
}

function textOf(kind: Kind): (value: number | null) => string {
  if (kind === "time") return duration;
  if (kind === "share") return share;
  if (kind === "p") return probability;
  if (kind === "ratio") return ratio;
  return (value) => (value === null ? "" : digits(value, 3));
}

function hasCells(table: TidyTable): boolean {
  return table.columns.some(({ kind }) => kind === "cell");
}

/** The rows that are selected and have a value, named by their cell and their texts, and those rows themselves. */
export function pointsOf(
  view: View,
  table: TidyTable,
  column: TidyColumn,
  textsOf?: AnswerFigure["texts"],
): { points: Point[]; rows: Row[] } {
  const all = rowsOf<Row>(table);
  const cells = hasCells(table) ? (all as unknown as Levels[]) : [];
  const words = table.columns.filter(({ kind }) => kind === "text").map(({ name }) => name);
  const points: Point[] = [];
  const rows: Row[] = [];
  all.forEach((row, i) => {
    const cell = cells[i];
    if (cell && !hasLevels(view.selection, cell)) return;
    if (typeof row.arm === "string" && !hasArm(view.selection, row.arm)) return;
    const value = number(row, column.name);
    if (value === null) return;
    const texts = textsOf?.(row) ?? words.map((word) => row[word]).filter((text) => typeof text === "string" && text !== "");
    points.push({
      arm: typeof row.arm === "string" ? row.arm : null,
      name: [...(cell ? [cellName(cell, cells)] : []), ...texts].join(", "),
      value,
      low: number(row, column.low),
      high: number(row, column.high),
    });
    rows.push(row);
  });
  return { points, rows };
}

/** Marks of each arm as it looks in every figure; rows without arms are one series. */
export function looksOf(view: View, data: readonly Point[]): { series: SeriesStyle; points: Point[] }[] {
  const arms = groupBy(data, ({ arm }) => arm);
  return [...arms].map(([arm, points]) => ({ series: arm === null ? view.style.series("role", 0) : view.style.arm(arm), points }));
}

function drawPoints(view: View, data: readonly Point[], kind: Kind, width: number): SVGSVGElement {
  const rows = new Rows(data.map(({ name }) => name));
  const most = width * 0.44;
  const left = rows.margin(view, most);
  const domain = linearDomain(
    data.flatMap(({ value, low, high }) => [value, low, high]),
    0.08,
  );
  const text = textOf(kind);
  const format = kind === "time" ? (ns: number) => (ns === 0 ? "0" : durationTick(Number(ns.toPrecision(6)))) : text;
  const x: Axis = {
    type: "linear",
    domain,
    ticks: linearTicks(...domain, Math.max(2, Math.floor((width - left) / 80))),
    format,
    grid: true,
  };
  const at = { x: (d: Point) => d.value, y: (d: Point) => rows.at(d.name) };
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 26) + 40,
    left,
    right: 16,
    top: 6,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      ...looksOf(view, data).flatMap(({ series, points: of }) => [
        intervalsX(of, { y: at.y, low: (d) => d.low, high: (d) => d.high }, { colour: series.colour, width: 2 }),
        points(view, of, at, { series }),
      ]),
      rows.labels(view, most, width),
      tips(view, data, {
        ...at,
        text: (d) => `${d.name}\n${text(d.value)}${d.low === null ? "" : ` [${interval(d.low, d.high, text)}]`}`,
      }),
    ],
  });
}

/** The same rows as they stand in the answer's table. */
function tableRows(table: TidyTable, rows: readonly Row[]): { columns: string[]; rows: Value[][] } {
  const levels = hasCells(table) ? levelColumns(rows as unknown as Levels[]) : null;
  const own = table.columns.filter(({ kind }) => kind !== "cell").map(({ name }) => name);
  const plain = (value: unknown): Value =>
    value === null || value === undefined ? null : typeof value === "number" ? value : String(value);
  return {
    columns: [...(levels?.columns ?? []), ...own],
    rows: rows.map((row) => [...(levels?.of(row as unknown as Levels) ?? []), ...own.map((name) => plain(row[name]))]),
  };
}

export function answerFigure({ question, table: id, column: name, texts, ...figure }: AnswerFigure): Figure {
  return {
    ...figure,
    question,
    draw(view) {
      const answer = answerOf(view.campaign, question);
      const table = tableOf(answer, id);
      const column = table?.columns.find((one) => one.name === name);
      if (!answer || !table || !column) return null;
      const { points: data, rows } = pointsOf(view, table, column, texts);
      if (data.length === 0) return null;
      const { shown, note } = bounded(data, kRows, "rows");
      return {
        element: sheet(view, {
          label: figure.title,
          xTitle: column.unit ? `${name.replace(/_/g, " ")} (${column.unit})` : name.replace(/_/g, " "),
          panels: [{ draw: (width) => drawPoints(view, shown, column.kind, width) }],
        }),
        table: tableRows(table, rows.slice(0, shown.length)),
        summary: answer.sentence,
        note,
      };
    },
  };
}
