// Rows of answers about a network's model: those of a campaign, and of somebody else's calibration, which has no campaign.
import * as Plot from "@observablehq/plot";
import { type Answer, answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { View } from "../../figure.ts";
import { hasArm } from "../../select.ts";
import type { SeriesStyle } from "../../style.ts";
import { BytesAxis, middle } from "../kit/bytes-axis.ts";
import { groupBy } from "../kit/facets.ts";
import { logTicks } from "../kit/ticks.ts";

export const kQuestion = "network" as const;

/** What all rows begin with. Another regime than the answer's is shown by nobody: it is in the answer. */
export interface ModelRow {
  arm: string;
  place: string | null;
  regime?: string | null;
}

export interface Piece extends ModelRow {
  series: string;
  from_bytes: number;
  to_bytes: number;
  intercept_ns: number;
  slope_ns_per_byte: number;
  next_bytes: number | null; // of the break behind it; null: it is the last one
  break_low_bytes: number | null;
  break_high_bytes: number | null;
  written: boolean | null;
}

export interface Point extends ModelRow {
  series: string;
  messages: number;
  delayed: boolean;
  size_bytes: number;
  time_ns: number;
  time_low_ns: number | null;
  time_high_ns: number | null;
  piece: number | null;
  fitted_ns: number | null;
  residual: number | null;
  groups: number;
  held_out: boolean;
}

export interface Threshold extends ModelRow {
  threshold: string;
  last_bytes: number | null;
  first_bytes: number | null;
  why: string | null;
}

/** The answer of the campaign, and those of calibrations by others, which have none. */
export function networkAnswers(view: View): Answer[] {
  const own = answerOf(view.campaign, kQuestion);
  return [...(own ? [own] : []), ...view.page.answers.filter(({ question }) => question === kQuestion)];
}

/** What is selected of a table of all answers. */
export function networkRows<Row extends ModelRow>(view: View, table: string): Row[] {
  return networkAnswers(view)
    .flatMap((answer) => rowsOf<Row>(tableOf(answer, table)))
    .filter(({ arm, regime }) => hasArm(view.selection, arm) && (regime ?? null) === null);
}

export function summaryOf(view: View): string {
  return networkAnswers(view)
    .map(({ sentence }) => sentence)
    .join(" ");
}

const kWords: Record<string, string> = {
  "round-trip": "half a round trip",
  send: "MPI_Send",
  "send-to-late": "MPI_Send to a late receiver",
  isend: "MPI_Isend",
  ssend: "MPI_Ssend",
  "late-receive": "MPI_Recv, late",
  "posted-receive": "receive posted before, completed late",
  gap: "gap: a further message of a train",
  bcast: "MPI_Bcast",
  allreduce: "MPI_Allreduce",
  halo: "halo exchange",
};

/** A series (or an operation of the check) as people say it. */
export function seriesWords(name: string): string {
  return kWords[name] ?? name;
}

/** An arm, and the place where it has several. */
export function whoOf({ arm, place }: ModelRow): string {
  return place ? `${arm}, ${place}` : arm;
}

/** How arms look; an arm's places (or what an arm of several places is) are told apart by the panels. */
export function armStyle(view: View, arm: string): SeriesStyle {
  return view.style.arm(arm);
}

/** A panel for each place and name, in the order of the rows. */
export function panelsOf<Row extends ModelRow>(rows: readonly Row[], name: (row: Row) => string): Map<string, Row[]> {
  return groupBy(rows, (row) => (row.place ? `${row.place}, ${name(row)}` : name(row)));
}

/** Where a break may be: all that its interval holds, at least from the last size before it to the first behind. */
export interface Break extends ModelRow {
  series: string;
  last_bytes: number;
  first_bytes: number;
  low_bytes: number;
  high_bytes: number;
  written: boolean;
}

export function breaksOf(pieces: readonly Piece[]): Break[] {
  return pieces.flatMap((piece): Break[] =>
    piece.next_bytes === null
      ? []
      : [
          {
            ...piece,
            last_bytes: piece.to_bytes,
            first_bytes: piece.next_bytes,
            low_bytes: Math.min(piece.break_low_bytes ?? piece.to_bytes, piece.to_bytes),
            high_bytes: Math.max(piece.break_high_bytes ?? piece.next_bytes, piece.next_bytes),
            written: piece.written === true,
          },
        ],
  );
}

/** The break's zone, and a line in its middle. */
export function breakMarks(view: View, breaks: readonly Break[], axis: BytesAxis, text: (one: Break) => string): Plot.Markish[] {
  return breaks.flatMap((one) => {
    const { colour } = armStyle(view, one.arm);
    return [
      Plot.rect([one], {
        x1: (d: Break) => axis.at(d.low_bytes),
        x2: (d: Break) => axis.at(d.high_bytes),
        fill: colour,
        fillOpacity: 0.11,
        title: text,
      }),
      Plot.ruleX([one], {
        x: (d: Break) => axis.at(middle(d.last_bytes, d.first_bytes)),
        stroke: colour,
        strokeWidth: 1,
        strokeOpacity: 0.55,
        title: text,
      }),
    ];
  });
}

/** Ticks of a logarithmic axis of times, those of a narrow panel fewer. */
export function timeTicks(domain: [number, number]): number[] {
  return logTicks(...domain, 6);
}
