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
}

/** The operation whose rates the answer's half is of. */
const kInARow = "stream";

/** The halves of the curves of a panel: they are of one window, the best one, and another window's curve has another half. */
export function halvesOf<Row extends Levels & { arm: string }>(own: readonly Row[], summaries: readonly Summary[]): Summary[] {
  const first = own[0];
  if (first?.operation !== kInARow) return [];
  const window = Number(first.factors.window ?? 1);
  return summaries.filter(
    (one) => one.half_bandwidth_bytes !== null && (one.window ?? window) === window && own.some((row) => row.arm === one.arm),
  );
}

const gigabytes = (value: number): string => `${digits(value)}\u00a0GB/s`;

export const figure: Figure = {
  id: "bandwidth",
  section: { id: "messages" },
  question: "p2p",
  title: "Bandwidth of messages",
  read:
    "A line is the bytes of all messages of a call over the time until the last one has come, over the message size, with intervals. " +
    "An upright line marks the size from which messages in a row have half of the most: below it they are bound by what each message costs, above it by their bytes.",
  draw(view) {
    const answer = answerOf(view.campaign, "p2p");
    const rows = selectedRows(view, rowsOf<Bandwidth>(tableOf(answer, "bandwidth"))).flatMap((row): Point[] =>
      row.bandwidth_gb_s === null
        ? []
        : [{ ...row, value: row.bandwidth_gb_s, low: row.bandwidth_gb_s_low, high: row.bandwidth_gb_s_high, messages: row.message_rate_per_s }],
    );
    const summaries = rowsOf<Summary>(tableOf(answer, "summary")).filter(({ place }) => place === null);
    const halves = (own: Point[], axis: SizeAxis) =>
      halvesOf(own, summaries).map((one) =>
        Plot.ruleX([one], {
          x: (d: Summary) => axis.between(d.half_bandwidth_bytes!),
          stroke: view.style.arm(one.arm).colour,
          strokeDasharray: "4 3",
          strokeWidth: 1.25,
          title: (d: Summary) => `${d.arm}: half at ${bytes(d.half_bandwidth_bytes)}`,
        }),
      );
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
