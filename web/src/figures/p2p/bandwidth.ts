// Bytes in a second, by size and arm, with the size from which half of the most is reached.
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure } from "../../figure.ts";
import { bytes, digits } from "../../format.ts";
import type { SizeAxis } from "../kit/sizes.ts";
import { type CurveRow, selectedRows, sizeCurves } from "./message-curves.ts";

/** A row of the answer's table. */
interface Bandwidth extends Levels {
  arm: string;
  bandwidth_gb_s: number | null;
  bandwidth_gb_s_low: number | null;
  bandwidth_gb_s_high: number | null;
  message_rate_per_s: number | null;
}

interface Point extends CurveRow {
  messages: number | null;
}

export interface Summary {
  arm: string;
  place: string | null;
  window: number | null;
  half_bandwidth_bytes: number | null;
  /** Of the interval; of a bracket, whose half is not known, the sizes around it. */
  half_bandwidth_low_bytes: number | null;
  half_bandwidth_high_bytes: number | null;
  /** In words, with the sizes between which it is lost again. */
  half_bandwidth: string | null;
}

/** What is known of a half: a size, or sizes that it lies between. */
export interface HalfMark {
  arm: string;
  low_bytes: number;
  high_bytes: number;
  title: string;
}

/** The operation whose rates the answer's half is of. */
const kInARow = "stream";

/** The halves of the curves of a panel: they are of one window, the best one, and another window's curve has another half. */
export function halvesOf<Row extends Levels & { arm: string }>(own: readonly Row[], summaries: readonly Summary[]): Summary[] {
  const first = own[0];
  if (first?.operation !== kInARow) return [];
  const window = Number(first.factors.window ?? 1);
  return summaries.filter(
    (one) => markOf(one) !== null && (one.window ?? window) === window && own.some((row) => row.arm === one.arm),
  );
}

/** A line where the half is known, a band where only two sizes around it are; null: nothing is known of it. */
export function markOf(one: Summary): HalfMark | null {
  const half = one.half_bandwidth_bytes;
  const [low, high] = [half ?? one.half_bandwidth_low_bytes, half ?? one.half_bandwidth_high_bytes];
  if (low === null || high === null) return null;
  const words = one.half_bandwidth ?? (half === null ? `between ${bytes(low)} and ${bytes(high)}` : bytes(half));
  return { arm: one.arm, low_bytes: low, high_bytes: high, title: `${one.arm}: half ${half === null ? "" : "at "}${words}` };
}

const gigabytes = (value: number): string => `${digits(value)}\u00a0GB/s`;

export const figure: Figure = {
  id: "bandwidth",
  section: { id: "messages" },
  question: "p2p",
  title: "Bandwidth of messages",
  read:
    "A line is the bytes of all messages of a call over the time until the last one has come, over the message size, with intervals. " +
    "An upright line marks the size from which messages in a row have half of the most, a band the two sizes that it lies between where more is not known: below it they are bound by what each message costs, above it by their bytes.",
  draw(view) {
    const answer = answerOf(view.campaign, "p2p");
    const rows = selectedRows(view, rowsOf<Bandwidth>(tableOf(answer, "bandwidth"))).flatMap((row): Point[] =>
      row.bandwidth_gb_s === null
        ? []
        : [{ ...row, value: row.bandwidth_gb_s, low: row.bandwidth_gb_s_low, high: row.bandwidth_gb_s_high, messages: row.message_rate_per_s }],
    );
    const summaries = rowsOf<Summary>(tableOf(answer, "summary")).filter(({ place }) => place === null);
    const halves = (own: Point[], axis: SizeAxis) =>
      halvesOf(own, summaries).map((one) => {
        const mark = markOf(one)!;
        const colour = view.style.arm(one.arm).colour;
        if (mark.low_bytes < mark.high_bytes) {
          return Plot.rect([mark], {
            x1: (d: HalfMark) => axis.between(d.low_bytes),
            x2: (d: HalfMark) => axis.between(d.high_bytes),
            fill: colour,
            fillOpacity: 0.12,
            title: "title",
          });
        }
        return Plot.ruleX([mark], {
          x: (d: HalfMark) => axis.between(d.low_bytes),
          stroke: colour,
          strokeDasharray: "4 3",
          strokeWidth: 1.25,
          title: "title",
        });
      });
    return sizeCurves(view, rows, {
      label: "Bandwidth over message size",
      yTitle: "GB in a second",
      text: gigabytes,
      tick: (value) => String(Number(value.toPrecision(6))),
      under: halves,
      columns: ["GB/s", "from", "to", "messages/s"],
      values: ({ value, low, high, messages }) => [value, low, high, messages],
      summary: answer?.sentence ?? "",
    });
  },
};
