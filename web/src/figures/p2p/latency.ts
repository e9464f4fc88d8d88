// Half the round trip of messages over their size, and one way there and back where that was measured.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure } from "../../figure.ts";
import { duration, durationTick } from "../../format.ts";
import { intervals, points } from "../kit/chart.ts";
import type { SizeAxis } from "../kit/sizes.ts";
import { type CurveRow, selectedRows, sizeCurves } from "./message-curves.ts";

/** A row of the answer's table. */
interface Latency extends Levels {
  arm: string;
  half_round_trip_ns: number | null;
  half_round_trip_low_ns: number | null;
  half_round_trip_high_ns: number | null;
  there_ns: number | null;
  there_low_ns: number | null;
  there_high_ns: number | null;
  back_ns: number | null;
  back_low_ns: number | null;
  back_high_ns: number | null;
  asymmetry_ns: number | null;
  asymmetry_missing: string | null;
}

interface Point extends CurveRow {
  row: Latency;
}

/** Their places beside the line's own point. */
const kBeside = { there: -5, back: 5 };

export const figure: Figure = {
  id: "latency",
  section: { id: "messages", title: "How fast are messages between two ranks?", short: "Messages", before: "clocks" },
  question: "p2p",
  title: "Half the round trip",
  read:
    "A line is half the time from the first rank's send until the answer is there, over the message size, with intervals. " +
    "Hollow points beside it are one-way times, there on the left and back on the right, which need ranks that read one clock; where they differ by less than comparing the ranks' clocks leaves open, nobody can tell which direction is slower.",
  draw(view) {
    const answer = answerOf(view.campaign, "p2p");
    const rows = selectedRows(view, rowsOf<Latency>(tableOf(answer, "latency"))).flatMap((row): Point[] =>
      row.half_round_trip_ns === null
        ? []
        : [{ ...row, row, value: row.half_round_trip_ns, low: row.half_round_trip_low_ns, high: row.half_round_trip_high_ns }],
    );
    const oneWay = (own: Point[], axis: SizeAxis) =>
      own.flatMap(({ row }) => {
        const x = axis.at(row.size_bytes);
        const series = view.style.arm(row.arm);
        const mark = (value: number | null, low: number | null, high: number | null, dx: number) =>
          value === null
            ? []
            : [
                intervals([{}], { x: () => x, low: () => low, high: () => high }, { colour: series.colour, width: 1, dx }),
                points(view, [{}], { x: () => x, y: () => value }, { series, hollow: true, r: 3, dx }),
              ];
        return [
          ...mark(row.there_ns, row.there_low_ns, row.there_high_ns, kBeside.there),
          ...mark(row.back_ns, row.back_low_ns, row.back_high_ns, kBeside.back),
        ];
      });
    return sizeCurves(view, rows, {
      label: "Half the round trip over message size",
      yTitle: "half the round trip",
      text: duration,
      tick: durationTick,
      over: oneWay,
      columns: ["half round trip (ns)", "from", "to", "there (ns)", "back (ns)", "there - back (ns)", "why not"],
      values: ({ row, value, low, high }) => [value, low, high, row.there_ns, row.back_ns, row.asymmetry_ns, row.asymmetry_missing],
      summary: answer?.sentence ?? "",
    });
  },
};
