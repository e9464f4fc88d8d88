// What tracking the clocks during a measurement is worth.
import type { Figure } from "../../figure.ts";
import { duration, durationTick, share } from "../../format.ts";
import { boundedFiles, clockTable, contextOf, filesOf, num, offLogAxis, offLogNote, text } from "../kit/clocks.ts";
import { groupBy, joinNotes } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { linearTicks, logDomain, logTicks } from "../kit/ticks.ts";

const kNames: Record<string, string> = {
  "first-model": "first model, not tracked",
  predicted: "predicted",
  smoothed: "smoothed afterwards",
};

export const figure: Figure = {
  id: "clock-tracking",
  section: "clocks",
  title: "Error of tracked clocks over a measurement",
  read:
    "A line is the median error of the worst rank until that time, its band reaches up to where 95 % of the errors lie: of the first model alone, of the prediction that starts repetitions, and of the smoothed clock that results are computed with. " +
    "Where the first model leaves the other two behind, clocks have to be tracked while a measurement lasts.",
  draw(view) {
    const files = filesOf(view, "tracking");
    if (files.length === 0) return null;
    const { shown, note } = boundedFiles(files);
    const all = shown.map((file) => ({
      file,
      series: [...groupBy(file.rows, (row) => text(row, "clock"))].map(([clock, own], i): LineSeries => ({
        name: kNames[clock] ?? clock,
        style: view.style.series("algorithm", i),
        band: true,
        vertices: own.flatMap((row) => {
          const x = num(row, "until_s");
          const y = num(row, "median_ns");
          if (x === null || y === null || !(y > 0)) return [];
          return [
            {
              x,
              y,
              low: y,
              high: num(row, "q95_ns"),
              text: `${kNames[clock] ?? clock}, until ${x} s\nmedian ${duration(y)}, 95 % up to ${duration(num(row, "q95_ns"))}, largest ${duration(num(row, "max_ns"))}`,
            },
          ];
        }),
      })),
    }));
    const vertices = all.flatMap((one) => one.series.flatMap((series) => series.vertices));
    const left = shown.reduce((sum, file) => sum + offLogAxis(file.rows, "median_ns"), 0);
    if (vertices.length === 0 && left === 0) return null;
    const domain = logDomain(vertices.flatMap((vertex) => [vertex.y, vertex.high]));
    const last = Math.max(...vertices.map((vertex) => vertex.x), 1e-3);
    const shares = shown.map((file) => num(file.rows[0]!, "tracking_share")).filter((part): part is number => part !== null);
    return {
      element: sheet(view, {
        label: "Error of tracked and untracked clocks over time",
        legend: named(view.width)
          ? []
          : all[0]!.series.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash })),
        yTitle: "error of the worst rank (logarithmic)",
        xTitle: "time since the synchronisation",
        panels: all.map(({ file, series }) => ({
          title: contextOf(file.rows[0]!),
          subtitle: all.length > 1 ? file.source : "",
          draw: (width) =>
            lines(view, {
              width,
              height: 280,
              left: 56,
              most: 0.32,
              x: {
                type: "linear",
                domain: [0, last * 1.02],
                ticks: linearTicks(0, last, Math.max(2, Math.floor(width / 110))),
                format: (second) => `${second}\u00a0s`,
              },
              y: { type: "log", domain, ticks: logTicks(...domain, 7), format: durationTick },
              series,
            }),
        })),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary: shares.length > 0 ? `Tracking takes ${share(shares[0]!)} of the time.` : "Errors of tracked clocks.",
      note: joinNotes(note, offLogNote(left)),
    };
  },
};
