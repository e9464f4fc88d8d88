// How far clocks are apart, some time after they were synchronised (paper 002, figures 8 and 9).
import type { Figure, View } from "../../figure.ts";
import { digits, duration, durationTick } from "../../format.ts";
import { algorithmStyles, boundedFiles, clockTable, type ClockRow, contextOf, filesOf, num, offLogAxis, offLogNote, shortNames, text } from "../kit/clocks.ts";
import { groupBy, joinNotes } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { linearTicks, logDomain, logTicks } from "../kit/ticks.ts";

export function accuracySeries(view: View, rows: readonly ClockRow[]): LineSeries[] {
  const groups = groupBy(rows, (row) => text(row, "algorithm"));
  const names = shortNames([...groups.keys()]);
  const styles = algorithmStyles(view, [...groups.keys()]);
  return [...groups].map(([algorithm, own]) => ({
    name: names.get(algorithm) ?? algorithm,
    style: styles.get(algorithm)!,
    vertices: own
      .flatMap((row) => {
        const x = num(row, "after_s");
        const y = num(row, "worst_median_ns");
        if (x === null || y === null || !(y > 0)) return [];
        const low = num(row, "worst_q1_ns");
        const high = num(row, "worst_q3_ns");
        return [
          {
            x,
            y,
            low,
            high,
            text: `${algorithm}\n${digits(x)} s after: ${duration(y)}\nhalf of the synchronisations ${duration(low)} to ${duration(high)}`,
          },
        ];
      })
      .sort((a, b) => a.x - b.x),
  }));
}

export const figure: Figure = {
  id: "clock-accuracy",
  section: "clocks",
  title: "Error of the clocks after a synchronisation",
  read:
    "A point is by how much the worst rank's clock is wrong that long after the synchronisation, the median over repetitions with their middle half as a line; the axis is logarithmic. " +
    "A line that rises belongs to an algorithm that knows offsets but not how fast the clocks drift apart, and whatever is timed with it grows by as much.",
  draw(view) {
    const files = filesOf(view, "accuracy");
    if (files.length === 0) return null;
    const { shown, note } = boundedFiles(files);
    const all = shown.map((file) => ({ file, series: accuracySeries(view, file.rows) }));
    const vertices = all.flatMap((one) => one.series.flatMap((series) => series.vertices));
    const left = shown.reduce((sum, file) => sum + offLogAxis(file.rows, "worst_median_ns"), 0);
    if (vertices.length === 0 && left === 0) return null;
    const y = logDomain(vertices.flatMap((vertex) => [vertex.y, vertex.low, vertex.high]));
    const last = Math.max(...vertices.map((vertex) => vertex.x), 1e-3);
    const names = [...new Map(all.flatMap((one) => one.series).map((series) => [series.name, series])).values()];
    return {
      element: sheet(view, {
        label: "Error of clocks over the time since they were synchronised, by algorithm",
        legend: named(view.width)
          ? []
          : names.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash })),
        yTitle: "error of the worst rank (logarithmic)",
        xTitle: "time since the synchronisation",
        panels: all.map(({ file, series }) => ({
          title: contextOf(file.rows[0]!),
          subtitle: all.length > 1 ? file.source : "",
          draw: (width) =>
            lines(view, {
              width,
              height: 340,
              left: 56,
              x: {
                type: "linear",
                domain: [-last * 0.02, last * 1.02],
                ticks: linearTicks(0, last, Math.max(2, Math.floor(width / 110))),
                format: (second) => `${second}\u00a0s`,
              },
              y: { type: "log", domain: y, ticks: logTicks(...y, 9), format: durationTick },
              series,
            }),
        })),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary:
        vertices.length === 0
          ? `${names.length} algorithms, none of them with an error.`
          : `${names.length} algorithms; errors from ${duration(Math.min(...vertices.map((v) => v.y)))} to ${duration(Math.max(...vertices.map((v) => v.y)))}.`,
      note: joinNotes(note, offLogNote(left)),
    };
  },
};
