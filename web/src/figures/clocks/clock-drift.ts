// How clocks run apart when nobody corrects them (paper 002, figure 6).
import type { Figure, View } from "../../figure.ts";
import { digits, duration, plural, timeUnit } from "../../format.ts";
import { boundedFiles, clockTable, contextOf, filesOf, num, type Clocks } from "../kit/clocks.ts";
import { groupBy } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { linearDomain, linearTicks } from "../kit/ticks.ts";

const kRanks = 16;

/** Offsets since each rank's first point: clocks of different hosts are thousands of seconds apart, and that is not drift. */
export function driftSeries(view: View, file: Clocks): LineSeries[] {
  const ranks = [...groupBy(file.rows, (row) => num(row, "rank") ?? -1)].filter(([rank]) => rank >= 0).slice(0, kRanks);
  return ranks.map(([rank, own], i) => {
    const first = num(own[0]!, "offset_ns") ?? 0;
    return {
      name: `rank ${rank}`,
      style: view.style.series("algorithm", i),
      r: own.length > 60 ? 0 : 1.75,
      band: true,
      vertices: own.flatMap((row) => {
        const x = num(row, "seconds");
        const offset = num(row, "offset_ns");
        if (x === null || offset === null) return [];
        const half = num(row, "half_width_ns");
        return [
          {
            x,
            y: offset - first,
            low: half === null ? null : offset - first - half,
            high: half === null ? null : offset - first + half,
            text: `rank ${rank}, ${digits(x)} s\n${duration(offset - first)} since the first point${half === null ? "" : ` ± ${duration(half)}`}`,
          },
        ];
      }),
    };
  });
}

export const figure: Figure = {
  id: "clock-drift",
  section: "clocks",
  title: "Drift of the clocks",
  read:
    "A line is the clock of one rank against rank 0's, from its first measurement on, its band what ping-pongs leave open: a slope of one microsecond in a second is a clock that is wrong by one part in a million. " +
    "Straight lines can be corrected with an offset and a slope; lines that bend need clocks that are tracked, or short measurements.",
  draw(view) {
    const files = filesOf(view, "drift");
    const { shown, note } = boundedFiles(files);
    const all = shown
      .map((file) => ({ file, series: driftSeries(view, file) }))
      .filter((one) => one.series.some((series) => series.vertices.length > 0));
    if (all.length === 0) return null;
    const names = all[0]!.series;
    const more = shown.some((file) => new Set(file.rows.map((row) => num(row, "rank"))).size > kRanks);
    return {
      element: sheet(view, {
        label: "Offsets of clocks against rank 0's over time",
        legend: named(view.width)
          ? []
          : names.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash })),
        yTitle: "offset to rank 0's clock, since the first measurement",
        xTitle: "time",
        panels: all.map(({ file, series }) => {
          const vertices = series.flatMap((one) => one.vertices);
          const y = linearDomain(vertices.flatMap((vertex) => [vertex.y, vertex.low, vertex.high]));
          const unit = timeUnit(Math.max(Math.abs(y[0]), Math.abs(y[1])));
          const last = Math.max(...vertices.map((vertex) => vertex.x), 1e-6);
          return {
            title: contextOf(file.rows[0]!),
            subtitle: all.length > 1 ? file.source : "",
            draw: (width) =>
              lines(view, {
                width,
                height: 320,
                left: 62,
                x: {
                  type: "linear",
                  domain: [0, last * 1.01],
                  ticks: linearTicks(0, last, Math.max(2, Math.floor(width / 110))),
                  format: (second) => `${second}\u00a0s`,
                },
                y: {
                  type: "linear",
                  domain: y,
                  ticks: linearTicks(y[0] / unit.factor, y[1] / unit.factor, 7).map((tick) => tick * unit.factor),
                  format: (ns) => `${String(Number((ns / unit.factor).toPrecision(6))).replace("-", "−")}\u00a0${unit.name}`,
                },
                series,
              }),
          };
        }),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary: `${plural(names.length, "clock")} against rank 0's.`,
      note: [note, more ? `The first ${kRanks} ranks are drawn; the table has all of them.` : ""].filter(Boolean).join(" ") || undefined,
    };
  },
};
