// Error and cost of a synchronisation over the number of ranks (paper 002, figure 8).
import type { Figure, View } from "../../figure.ts";
import { duration, durationTick } from "../../format.ts";
import type { Axis } from "../kit/chart.ts";
import { algorithmStyles, boundedFiles, clockTable, type ClockRow, filesOf, num, offLogAxis, offLogNote, shortNames, text, type Clocks } from "../kit/clocks.ts";
import { groupBy, joinNotes } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

interface Quantity {
  title: string;
  column: string;
  of: (row: ClockRow) => number | null;
  low?: (row: ClockRow) => number | null;
  high?: (row: ClockRow) => number | null;
}

const kQuantities: Quantity[] = [
  {
    title: "Error of the worst rank",
    column: "worst_median_ns",
    of: (row) => num(row, "worst_median_ns"),
    low: (row) => num(row, "worst_q1_ns"),
    high: (row) => num(row, "worst_q3_ns"),
  },
  {
    title: "Time of a synchronisation",
    column: "sync_s",
    of: (row) => {
      const seconds = num(row, "sync_s");
      return seconds === null ? null : seconds * 1e9;
    },
  },
];

function seriesOf(view: View, rows: readonly ClockRow[], quantity: Quantity): LineSeries[] {
  const groups = groupBy(rows, (row) => text(row, "algorithm"));
  const names = shortNames([...groups.keys()]);
  const styles = algorithmStyles(view, [...groups.keys()]);
  return [...groups].map(([algorithm, own]) => ({
    name: names.get(algorithm) ?? algorithm,
    style: styles.get(algorithm)!,
    vertices: own
      .flatMap((row) => {
        const ranks = num(row, "ranks");
        const ns = quantity.of(row);
        if (ranks === null || !(ranks > 0) || ns === null || !(ns > 0)) return [];
        return [
          {
            x: Math.log2(ranks),
            y: ns,
            low: quantity.low?.(row) ?? null,
            high: quantity.high?.(row) ?? null,
            text: `${algorithm}\n${ranks} ranks: ${duration(ns)}`,
          },
        ];
      })
      .sort((a, b) => a.x - b.x),
  }));
}

function panelsOf(view: View, file: Clocks): Panel[] {
  return kQuantities.map((quantity) => {
    const series = seriesOf(view, file.rows, quantity);
    const vertices = series.flatMap((one) => one.vertices);
    const domain = logDomain(vertices.flatMap((vertex) => [vertex.y, vertex.low, vertex.high]));
    const places = [...new Set(vertices.map((vertex) => vertex.x))].sort((a, b) => a - b);
    const x: Axis = {
      type: "linear",
      domain: [(places[0] ?? 0) - 0.3, (places.at(-1) ?? 1) + 0.3],
      ticks: places,
      format: (place) => String(Math.round(2 ** place)),
    };
    return {
      title: quantity.title,
      subtitle: text(file.rows[0]!, "network") ? `${text(file.rows[0]!, "network")} network` : "",
      draw: (width) =>
        lines(view, {
          width,
          height: 300,
          left: 56,
          x,
          y: { type: "log", domain, ticks: logTicks(...domain, 8), format: durationTick },
          series,
        }),
    };
  });
}

export const figure: Figure = {
  id: "clock-scaling",
  section: "clocks",
  title: "Synchronising more and more ranks",
  read:
    "Lines are algorithms; the first panel has the error of the worst rank directly after the synchronisation, the second what the synchronisation takes. " +
    "All axes are logarithmic, so that time proportional to the number of ranks is a straight steep line, and a tree's is one that becomes flat.",
  draw(view) {
    const files = filesOf(view, "scaling");
    if (files.length === 0) return null;
    const { shown, note } = boundedFiles(files);
    const left = shown.flatMap((file) => kQuantities.map(({ column }) => offLogAxis(file.rows, column))).reduce((sum, more) => sum + more, 0);
    const names = seriesOf(view, shown[0]!.rows, kQuantities[0]!);
    return {
      element: sheet(view, {
        label: "Error and duration of synchronisations over the number of ranks",
        legend: named(view.width)
          ? []
          : names.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash })),
        yTitle: "time (logarithmic)",
        xTitle: "ranks (logarithmic)",
        panels: shown.flatMap((file) => panelsOf(view, file)),
        least: 380,
        columns: 2,
      }),
      table: clockTable(files),
      summary: `${names.length} algorithms over the number of ranks.`,
      note: joinNotes(note, offLogNote(left)),
    };
  },
};
