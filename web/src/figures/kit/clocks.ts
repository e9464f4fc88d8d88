// Rows of experiments with clocks: columns of their tidy tables by name, and names of algorithms.
import { rowsOf, tableOf } from "../../answers.ts";
import type { PageAnswer } from "../../data.ts";
import type { Table, Value, View } from "../../figure.ts";
import { plural } from "../../format.ts";
import type { SeriesStyle } from "../../style.ts";

/** The table of each experiment that its figure draws. */
export const kClockTables = {
  accuracy: "errors",
  pareto: "settings",
  scaling: "errors",
  tracking: "tracking",
  barriers: "barriers",
  drift: "points",
  "runtime-over-time": "bins",
  resolution: "clocks",
} as const;

export type ClocksKind = keyof typeof kClockTables;

export type ClockRow = Record<string, number | string | boolean | null>;

/** An experiment: its directory's name and the rows of its table. */
export interface Clocks {
  kind: ClocksKind;
  source: string;
  rows: ClockRow[];
}

function clocksOf(answer: PageAnswer): Clocks[] {
  if (!(answer.question in kClockTables)) return [];
  const kind = answer.question as ClocksKind;
  return [{ kind, source: answer.source, rows: rowsOf<ClockRow>(tableOf(answer, kClockTables[kind])) }];
}

export function num(row: ClockRow, column: string): number | null {
  const value = row[column];
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

export function text(row: ClockRow, column: string): string {
  const value = row[column];
  return value === null || value === undefined ? "" : String(value);
}

export function filesOf(view: View, kind: ClocksKind): Clocks[] {
  return view.page.answers
    .filter((answer) => answer.question === kind)
    .flatMap(clocksOf)
    .filter((one) => one.rows.length > 0);
}

/** "jk" of "jk:nfitpts=100:nexchanges=30", or all of it where two of `names` would be called the same. */
export function shortNames(names: readonly string[]): Map<string, string> {
  const all = [...new Set(names)];
  const short = (name: string): string => {
    const colon = name.indexOf(":");
    const end = colon < 0 ? -1 : name.indexOf(" ", colon);
    return colon < 0 ? name : name.slice(0, colon) + (end < 0 ? "" : name.slice(end));
  };
  const counts = new Map<string, number>();
  for (const name of all) counts.set(short(name), (counts.get(short(name)) ?? 0) + 1);
  return new Map(all.map((name) => [name, counts.get(short(name)) === 1 ? short(name) : name]));
}

/** "jk" of "jk:nfitpts=100 (2 ppm)". */
function family(name: string): string {
  return name.split(/[: ]/, 1)[0] ?? name;
}

/**
 * How each of `names` (algorithms, with settings or without) looks: an algorithm the same in every figure of clocks, and no two
 * of `names` alike.
 */
export function algorithmStyles(view: View, names: readonly string[]): Map<string, SeriesStyle> {
  const rows = view.page.answers.flatMap(clocksOf).flatMap((file) => file.rows);
  const families = [...new Set(rows.flatMap((row) => [text(row, "algorithm"), text(row, "settings")].filter(Boolean).map(family)))];
  const seen = new Set<string>();
  let next = families.length; // of further settings of an algorithm
  return new Map(
    [...new Set(names)].map((name) => {
      const own = family(name);
      const index = seen.has(own) || !families.includes(own) ? next++ : families.indexOf(own);
      seen.add(own);
      return [name, view.style.series("algorithm", index)];
    }),
  );
}

/** What was measured, said once: "bursty network, simulated, 16 ranks". */
export function contextOf(row: ClockRow): string {
  const parts: string[] = [];
  const link = text(row, "link");
  const network = text(row, "network");
  if (network) parts.push(link === "simulated" ? `${network} network, simulated` : `${link}, ${network}`);
  if (text(row, "library")) parts.push(text(row, "library"));
  if (text(row, "operation")) parts.push(text(row, "operation"));
  const ranks = num(row, "ranks");
  if (ranks !== null) parts.push(`${ranks} ranks`);
  return parts.join(", ");
}

function plain(value: ClockRow[string]): Value {
  return typeof value === "boolean" ? (value ? "yes" : "no") : (value ?? null);
}

/** All rows with their own columns, the experiment in front; names have the units. */
export function clockTable(files: readonly Clocks[]): Table {
  const columns = [...new Set(files.flatMap((file) => file.rows.flatMap((row) => Object.keys(row))))];
  return {
    columns: ["experiment", ...columns],
    rows: files.flatMap((file) => file.rows.map((row) => [file.source, ...columns.map((column) => plain(row[column] ?? null))])),
  };
}

const kFiles = 4;

/** The files that are drawn, and what to say about the others: these figures have no filters. */
export function boundedFiles(files: readonly Clocks[]): { shown: Clocks[]; note: string | undefined } {
  const shown = files.slice(0, kFiles);
  return {
    shown,
    note:
      files.length > kFiles
        ? `${kFiles} of ${files.length} experiments are drawn; the table has all of them. Make a report of fewer to see the others.`
        : undefined,
  };
}

/** Rows of which any of `columns` has a value that a logarithmic axis has no place for. Empty values are none. */
export function offLogAxis(rows: readonly ClockRow[], ...columns: string[]): number {
  return rows.filter((row) =>
    columns.some((column) => {
      const value = num(row, column);
      return value !== null && !(value > 0);
    }),
  ).length;
}

/** For the note: a clock without any error was measured all the same. */
export function offLogNote(number: number, what = "point"): string | undefined {
  if (number === 0) return undefined;
  return `${plural(number, `${what} is`, `${what}s are`)} not drawn: 0 and less have no place on a logarithmic axis. The table has them.`;
}
