// What waits in the receiver's queues, and what that costs a message.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure, Value, View } from "../../figure.ts";
import { duration, durationTick, plural } from "../../format.ts";
import { cellName } from "../../select.ts";
import type { SeriesStyle } from "../../style.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { lines, type LineSeries } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { SizeAxis } from "../kit/sizes.ts";
import { levelColumns } from "../kit/table.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";
import { selectedRows } from "./message-curves.ts";

const kPanels = 8;

/** A row of the answer's table. */
interface Queue extends Levels {
  arm: string;
  kind: string;
  count: number;
  time_ns: number | null;
  time_low_ns: number | null;
  time_high_ns: number | null;
}

/** Kinds look alike in all panels. */
function stylesOf(view: View, rows: readonly Queue[]): Map<string, SeriesStyle> {
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  return new Map(kinds.map((kind, i) => [kind, view.style.series("level", i)]));
}

export const figure: Figure = {
  id: "queues",
  section: { id: "messages" },
  question: "p2p",
  title: "Messages and receives that wait",
  read:
    "A line is the time of a message while so many others wait in a queue that the library may have to look through first, with intervals; on the left nothing waits. " +
    "A line that rises means that every entry is looked at; a library with a queue for every sender does not mind what others have left.",
  draw(view) {
    const answer = answerOf(view.campaign, "p2p");
    const rows = selectedRows(view, rowsOf<Queue>(tableOf(answer, "queues"))).filter(({ time_ns }) => time_ns !== null);
    if (rows.length === 0) return null;
    const styles = stylesOf(view, rows);
    const { shown, note } = bounded([...groupBy(rows, (row) => `${row.arm}, ${cellName(row, rows)}`)], kPanels, "panels");
    const levels = levelColumns(rows);
    return {
      element: sheet(view, {
        label: "Time of a message over what waits in its receiver's queues",
        legend: [...styles].map(([label, { colour, symbol, dash }]) => ({ label, colour, symbol, dash })),
        yTitle: "time of a message",
        xTitle: "entries in the queue",
        panels: shown.map(([title, own]) => {
          // As sizes: powers of two mostly, and none has a place of its own.
          const axis = new SizeAxis(own.map(({ count }) => count));
          const series = [...groupBy(own, ({ kind }) => kind)].map(
            ([kind, of]): LineSeries => ({
              name: kind,
              style: styles.get(kind)!,
              r: 2.5,
              vertices: of.map((row) => ({
                x: axis.at(row.count),
                y: row.time_ns!,
                low: row.time_low_ns,
                high: row.time_high_ns,
                text: `${kind}: ${plural(row.count, "entry", "entries")}\n${duration(row.time_ns)}`,
              })),
            }),
          );
          const domain = logDomain(own.flatMap(({ time_ns, time_low_ns, time_high_ns }) => [time_ns, time_low_ns, time_high_ns]));
          return {
            title,
            draw: (width: number) =>
              lines(view, {
                width,
                height: 260,
                left: 60,
                x: {
                  type: "linear",
                  domain: axis.domain,
                  ticks: axis.ticks(width - 80, 40),
                  format: (at) => String(axis.sizes.find((count) => axis.at(count) === at) ?? Math.round(2 ** at)),
                },
                y: { type: "log", domain, ticks: logTicks(...domain, 6), format: durationTick },
                series,
              }),
          };
        }),
        least: 380,
        columns: 2,
      }),
      table: {
        columns: ["arm", ...levels.columns, "queue", "entries", "time (ns)", "from", "to"],
        rows: rows.map((row): Value[] => [
          row.arm,
          ...levels.of(row),
          row.kind,
          row.count,
          row.time_ns,
          row.time_low_ns,
          row.time_high_ns,
        ]),
      },
      summary: answer?.sentence ?? "",
      note,
    };
  },
};
