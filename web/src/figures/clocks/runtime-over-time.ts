// What clocks do to run-times over thousands of repetitions (paper 000, figure 4; paper 002, figures 1, 7, 11).
import type { Figure, View } from "../../figure.ts";
import { count, digits, duration, timeUnit } from "../../format.ts";
import { boundedFiles, clockTable, contextOf, filesOf, num, shortNames, text, type Clocks } from "../kit/clocks.ts";
import { groupBy } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { linearDomain, linearTicks } from "../kit/ticks.ts";

export function binSeries(view: View, file: Clocks): LineSeries[] {
  const groups = groupBy(file.rows, (row) => text(row, "sync"));
  const names = shortNames([...groups.keys()]);
  return [...groups].map(([sync, own], i) => {
    const name = names.get(sync) ?? sync;
    const time = text(own[0]!, "time");
    const sorted = [...own].sort((a, b) => (num(a, "bin") ?? 0) - (num(b, "bin") ?? 0));
    const vertices: LineSeries["vertices"] = [];
    let before: number | null = null;
    for (const row of sorted) {
      const x = num(row, "seconds");
      const y = num(row, "median_ns");
      const bin = num(row, "bin");
      if (x === null || y === null) continue;
      // A bin without valid repetitions interrupts the line.
      if (before !== null && bin !== null && bin > before + 1) vertices.push({ x, y: NaN, text: "" });
      before = bin;
      const since = num(row, "since_sync_s");
      const mean = num(row, "mean_ns");
      const [low, high] = [num(row, "mean_low_ns"), num(row, "mean_high_ns")];
      const within = low === null || high === null ? "" : `, 95 % in ${duration(low)} to ${duration(high)}`;
      vertices.push({
        x,
        y,
        low: num(row, "q1_ns"),
        high: num(row, "q3_ns"),
        text: `${name}, ${time} time\n${digits(x)} s: median ${duration(y)}, half in ${duration(num(row, "q1_ns"))} to ${duration(num(row, "q3_ns"))}${mean === null ? "" : `\nmean ${duration(mean)}${within}`}${since === null ? "" : `\n${digits(since)} s after the last synchronisation`}\n${count(num(row, "repetitions") ?? 0)} repetitions`,
      });
    }
    return { name: `${name} (${time})`, style: view.style.series("algorithm", i), vertices, band: true, r: vertices.length > 60 ? 0 : 1.75 };
  });
}

/** The series that stay far below the others, if there are any such: on one axis they are all one line. */
export function flatOnes(series: readonly LineSeries[]): LineSeries[] {
  const highest = (one: LineSeries): number => Math.max(...one.vertices.map((vertex) => vertex.y).filter(Number.isFinite));
  const sorted = series.filter((one) => one.vertices.length > 0).sort((a, b) => highest(a) - highest(b));
  const gap = sorted.findIndex((one, i) => i > 0 && highest(one) > 3 * highest(sorted[i - 1]!));
  const below = new Set(gap > 0 ? sorted.slice(0, gap) : []);
  return series.filter((one) => below.has(one));
}

function drawPanel(view: View, series: LineSeries[], width: number): SVGSVGElement {
  const vertices = series.flatMap((one) => one.vertices).filter((vertex) => Number.isFinite(vertex.y));
  // Bands may be cut off: what matters are the medians.
  const y = linearDomain(
    vertices.map((vertex) => vertex.y),
    0.15,
  );
  const unit = timeUnit(y[1]);
  const last = Math.max(...vertices.map((vertex) => vertex.x), 1e-6);
  return lines(view, {
    width,
    height: 340,
    left: 60,
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
      format: (ns) => `${Number((ns / unit.factor).toPrecision(6))}\u00a0${unit.name}`,
    },
    series,
  });
}

export const figure: Figure = {
  id: "runtime-over-time",
  section: "clocks",
  title: "The same operation over time, under every synchronisation",
  read:
    "A line joins the medians of bins of repetitions, its band is the middle half; all synchronisations took turns, so that whatever the machine did is in all of them. " +
    "A line that rises steadily is not a slower operation but clocks that run apart, by exactly its slope.",
  draw(view) {
    const files = filesOf(view, "runtime-over-time");
    const { shown, note } = boundedFiles(files);
    const all = shown
      .map((file) => ({ file, series: binSeries(view, file) }))
      .filter((one) => one.series.some((series) => series.vertices.length > 0));
    if (all.length === 0) return null;
    const names = all[0]!.series;
    return {
      element: sheet(view, {
        label: "Run-times over time by synchronisation",
        legend: named(view.width)
          ? []
          : names.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash })),
        yTitle: "median run-time of a bin",
        xTitle: "time since the experiment began",
        panels: all.flatMap(({ file, series }): Panel[] => {
          const title = contextOf(file.rows[0]!);
          const subtitle = all.length > 1 ? file.source : "";
          const near = flatOnes(series);
          const panels = [{ title, subtitle, draw: (width: number) => drawPanel(view, series, width) }];
          if (near.length > 0)
            panels.push({ title: "Enlarged", subtitle: "without those far above", draw: (width: number) => drawPanel(view, near, width) });
          return panels;
        }),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary: `${names.length} synchronisations over time.`,
      note,
    };
  },
};
