// Pairs of ranks in both directions as a square, an arm and a cell each.
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure, Value, View } from "../../figure.ts";
import { digits, duration, interval, plural, probability, ratio } from "../../format.ts";
import { cellName, hasArm, hasLevels } from "../../select.ts";
import { type Axis, chart, kTickSize, tips } from "../kit/chart.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";

const kPanels = 8;
const kSide = 460; // px at most
const kLeft = 36;
const kBottom = 26;
const kLetterPx = 7; // of a label

export interface PairRow extends Levels {
  arm: string;
  from: number;
  to: number;
  /** The mean of both directions: the clocks leave open which one is slower. */
  both_ways: boolean;
  at_once: number;
  time_ns: number;
  time_low_ns: number | null;
  time_high_ns: number | null;
  bandwidth_gb_s: number | null;
  ratio: number | null;
  ratio_low: number | null;
  ratio_high: number | null;
  p_adjusted: number | null;
  outlier: boolean;
}

/** The cell without its pattern: all matchings are one square, and a filter of patterns chooses among cells that were measured. */
function placeOf({ operation, size_bytes, ranks, factors }: PairRow): Levels {
  const { pattern: _, ...others } = factors;
  return { operation, size_bytes, ranks, factors: others };
}

/** Rows that are selected, by square: an arm in a cell. */
export function squaresOf(view: View): PairRow[][] {
  const rows = rowsOf<PairRow>(tableOf(answerOf(view.campaign, "all-pairs"), "pairs"));
  const shown = rows.filter((row) => hasArm(view.selection, row.arm) && hasLevels(view.selection, placeOf(row)));
  return [...groupBy(shown, (row) => JSON.stringify([row.arm, placeOf(row)])).values()];
}

/** In both places of the square where it is of both directions. */
export function drawnRows(square: readonly PairRow[]): PairRow[] {
  return square.flatMap((row) => (row.both_ways ? [row, { ...row, from: row.to, to: row.from }] : [row]));
}

/** How strong a pair's colour is, in (0, 1]: from the fastest of its square to the slowest, which is at least a tenth slower. By its
 *  ratio to the pairs that it can be compared with; where some pair has none, all by their times. */
export function shadeOf(row: PairRow, square: readonly PairRow[]): number {
  const compared = square.every((one) => one.ratio !== null);
  const valueOf = (one: PairRow): number => (compared ? one.ratio! : one.time_ns);
  const values = square.map(valueOf);
  const low = Math.min(...values);
  const high = Math.max(...values, 1.1 * low);
  return Math.max(0.01, Math.log(valueOf(row) / low) / Math.log(high / low));
}

/** What stands in a pair's place: its ratio, or the time of one that has none. */
export function labelOf(row: PairRow): string {
  return row.ratio === null ? duration(row.time_ns) : ratio(row.ratio);
}

function ranksText({ from, to, both_ways }: PairRow): string {
  return both_ways ? `ranks ${Math.min(from, to)} and ${Math.max(from, to)}` : `rank ${from} to rank ${to}`;
}

function ratioText(row: PairRow): string {
  if (row.ratio === null) return "nothing to compare with";
  const ends = row.ratio_low === null ? "" : ` [${interval(row.ratio_low, row.ratio_high, ratio)}]`;
  return `${ratio(row.ratio)}${ends} times the median`;
}

function tipText(row: PairRow): string {
  const rate = row.bandwidth_gb_s === null ? "" : `, ${digits(row.bandwidth_gb_s, 3)} GB/s`;
  return [
    `${ranksText(row)}${row.both_ways ? ", mean of both directions" : ""}${row.outlier ? ": slower than the others" : ""}`,
    `${duration(row.time_ns)}${rate}`,
    ratioText(row),
    `p ${probability(row.p_adjusted)}, ${plural(row.at_once, "other pair")} at once`,
  ].join("\n");
}

interface Shaded {
  row: PairRow;
  shade: number;
}

function drawSquare(view: View, measured: readonly PairRow[], width: number): SVGSVGElement {
  const { style } = view;
  const square = drawnRows(measured);
  const ranks = Math.max(...square.map((row) => Math.max(row.from, row.to))) + 1;
  const side = Math.min(width - kLeft - 12, kSide);
  const each = side / ranks;
  const every = Math.ceil(ranks / Math.max(1, Math.floor(side / 22)));
  const axis = (domain: [number, number]): Axis => ({
    type: "linear",
    domain,
    ticks: Array.from({ length: Math.ceil(ranks / every) }, (_, i) => i * every + 0.5),
    format: (at) => String(at - 0.5),
    grid: false,
  });
  const shaded = square.map((row): Shaded => ({ row, shade: shadeOf(row, square) }));
  const box = { x1: (d: Shaded) => d.row.to, x2: (d: Shaded) => d.row.to + 1, y1: (d: Shaded) => d.row.from, y2: (d: Shaded) => d.row.from + 1 };
  const centre = { x: (d: Shaded) => d.row.to + 0.5, y: (d: Shaded) => d.row.from + 0.5 };
  const longest = Math.max(...square.map((row) => labelOf(row).length));
  const words = (dark: boolean): Plot.Markish =>
    Plot.text(
      shaded.filter(({ shade }) => shade > 0.45 === dark),
      { ...centre, text: (d: Shaded) => labelOf(d.row), fill: dark ? style.background : style.text, fontSize: kTickSize },
    );
  return chart(view, {
    width,
    height: side + 6 + kBottom,
    left: kLeft,
    right: width - kLeft - side,
    top: 6,
    bottom: kBottom,
    x: axis([0, ranks]),
    y: axis([ranks, 0]), // from rank 0 at the top
    marks: [
      Plot.rect(shaded, { ...box, fill: ({ shade }: Shaded) => style.ramp(shade), inset: 0.5 }),
      ...(each >= longest * kLetterPx ? [words(false), words(true)] : []),
      Plot.rect(
        shaded.filter(({ row }) => row.outlier),
        { ...box, fill: "none", stroke: style.warn, strokeWidth: 3, inset: 1.5 },
      ),
      tips(view, shaded, { ...centre, text: ({ row }) => tipText(row) }),
    ],
  });
}

function slowWords(row: PairRow): string {
  return `${row.arm}, ${row.operation}, ${ranksText(row)}: ${ratioText(row)}`;
}

export const figure: Figure = {
  id: "pair-matrix",
  section: { id: "messages" },
  question: "all-pairs",
  title: "Which pairs are slower than the others",
  read:
    "Each square is a pair of ranks in one direction, from the rank of the row to the rank of the column: the stronger its colour, the longer it takes against the median of comparable pairs (where these are too few, the longer its time; where clocks leave open which direction is slower, both have their mean). " +
    "A frame is around those that the test over launches calls slower, after correction for all of them; all pairs of a matching talk at once.",
  draw(view) {
    const squares = squaresOf(view);
    if (squares.length === 0) return null;
    const { shown, note } = bounded(squares, kPanels, "squares");
    const cells = squares.map((square) => placeOf(square[0]!));
    const rows = squares.flat();
    const levels = levelColumns(rows);
    const slow = rows.filter(({ outlier }) => outlier);
    return {
      element: sheet(view, {
        label: "Pairs of ranks, from row to column, by their time against the median",
        legend: [
          { label: "fastest", colour: view.style.ramp(0.01), area: 1 },
          { label: "slowest", colour: view.style.ramp(1), area: 1 },
          { label: "slower than the others", colour: view.style.warn, area: 0 },
        ],
        yTitle: "from rank",
        xTitle: "to rank",
        panels: shown.map((square) => ({
          title: cellName(placeOf(square[0]!), cells),
          subtitle: square[0]!.arm + (square.every((row) => row.both_ways) ? ", mean of both directions" : ""),
          draw: (width: number) => drawSquare(view, square, width),
        })),
        least: 300,
        columns: 3,
      }),
      table: {
        columns: ["arm", ...levels.columns, "from", "to", "both ways", "others at once", "time_ns", "time_low_ns", "time_high_ns", "bandwidth_gb_s", "time / median", "low", "high", "p_adjusted", "slower"],
        rows: rows.map((row): Value[] => [
          row.arm,
          ...levels.of(row),
          row.from,
          row.to,
          row.both_ways ? "yes" : "no",
          row.at_once,
          row.time_ns,
          row.time_low_ns,
          row.time_high_ns,
          row.bandwidth_gb_s,
          row.ratio,
          row.ratio_low,
          row.ratio_high,
          row.p_adjusted,
          row.outlier ? "yes" : "no",
        ]),
      },
      summary: slow.length === 0 ? "No pair can be told to be slower than the others." : slow.map(slowWords).join("; "),
      note,
    };
  },
};
