// What reading a clock costs, and what it can tell apart.
import * as Plot from "@observablehq/plot";
import type { Figure, View } from "../../figure.ts";
import { count, duration, durationTick } from "../../format.ts";
import type { SymbolName } from "../../style.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { boundedFiles, type ClockRow, clockTable, contextOf, filesOf, num, offLogAxis, offLogNote, text, type Clocks } from "../kit/clocks.ts";
import { joinNotes } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { fitted } from "../kit/text.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

interface Kind {
  column: string;
  label: string;
  symbol: SymbolName;
  hollow: boolean;
}

const kKinds: Kind[] = [
  { column: "cost_median_ns", label: "a reading takes", symbol: "circle", hollow: false },
  { column: "smallest_step_ns", label: "least step between two readings", symbol: "triangle", hollow: true },
  { column: "step_ns", label: "resolution", symbol: "square", hollow: false },
];

/** "trusted; never went back" */
export function clockWords(row: ClockRow): string {
  const words = [num(row, "trusted") === 1 ? "trusted" : `not trusted${text(row, "reason") ? `: ${text(row, "reason")}` : ""}`];
  const backwards = num(row, "backwards") ?? 0;
  words.push(
    backwards === 0 ? "never went back" : `went back ${count(backwards)} times, by up to ${duration(num(row, "backwards_most_ns"))}`,
  );
  const shared = num(row, "shared_backwards") ?? 0;
  if (num(row, "shared") === 1) words.push(shared === 0 ? "ranks agree" : `between ranks ${count(shared)} times`);
  else words.push("not shared by the ranks");
  return words.join(", ");
}

function drawPanel(view: View, file: Clocks, domain: [number, number], width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(file.rows.map((row) => text(row, "clock")));
  const most = width * 0.36;
  const left = rows.margin(view, most);
  const x: Axis = {
    type: "log",
    domain,
    ticks: logTicks(...domain, Math.max(2, Math.floor((width - left) / 64))),
    format: durationTick,
    grid: true,
  };
  const y = (row: ClockRow): number => rows.at(text(row, "clock"));
  const marks: Plot.Markish[] = [
    rows.lines(view),
    Plot.ruleY(file.rows as ClockRow[], {
      x1: (row: ClockRow) => num(row, "cost_q1_ns"),
      x2: (row: ClockRow) => num(row, "cost_q3_ns"),
      y,
      stroke: style.series("algorithm", 0).colour,
      strokeWidth: 9,
      strokeOpacity: 0.35,
    }),
  ];
  kKinds.forEach((kind, i) => {
    const own = file.rows.filter((row) => (num(row, kind.column) ?? 0) > 0);
    marks.push(
      points(
        view,
        own,
        { x: (row) => num(row, kind.column)!, y },
        { series: { colour: style.series("algorithm", i).colour, symbol: kind.symbol }, hollow: kind.hollow, r: 5 },
      ),
    );
  });
  marks.push(
    Plot.text(file.rows as ClockRow[], {
      x: domain[0],
      y,
      dx: 4,
      dy: 17,
      textAnchor: "start",
      text: (row: ClockRow) => fitted(clockWords(row), width - left - 20, 11, style.font),
      fill: style.muted,
      fontSize: 11,
      stroke: style.background,
      strokeWidth: 3,
    }),
    rows.labels(view, most, width),
    tips(view, file.rows, {
      x: (row) => num(row, "cost_median_ns") ?? domain[0],
      y,
      text: (row) =>
        `${text(row, "clock")}\nreading ${duration(num(row, "cost_median_ns"))}\nleast step ${duration(num(row, "smallest_step_ns"))}, resolution ${duration(num(row, "step_ns"))}\n${clockWords(row)}`,
    }),
  );
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 56) + 40,
    left,
    right: 14,
    x,
    y: null,
    yDomain: rows.domain,
    marks,
  });
}

export const figure: Figure = {
  id: "clock-resolution",
  section: "clocks",
  title: "What clocks cost and resolve",
  read:
    "Circles are the time that one reading takes (with its middle half), triangles the least difference of two readings, squares the resolution: what takes less time than this needs several calls between two readings. " +
    "Below each clock stands whether it can be trusted, and whether it ever went backwards, alone or from one rank to another.",
  draw(view) {
    const files = filesOf(view, "resolution");
    if (files.length === 0) return null;
    const { shown, note } = boundedFiles(files);
    const values = shown.flatMap((file) =>
      file.rows.flatMap((row) => [...kKinds.map((kind) => num(row, kind.column)), num(row, "cost_q1_ns"), num(row, "cost_q3_ns")]),
    );
    const domain = logDomain(values, 0.12);
    const left = shown.flatMap((file) => kKinds.map((kind) => offLogAxis(file.rows, kind.column))).reduce((sum, more) => sum + more, 0);
    return {
      element: sheet(view, {
        label: "Cost and resolution of clocks",
        legend: kKinds.map((kind, i) => ({
          label: kind.label,
          colour: view.style.series("algorithm", i).colour,
          symbol: kind.symbol,
          hollow: kind.hollow,
        })),
        xTitle: "time (logarithmic)",
        panels: shown.map((file) => ({
          title: contextOf(file.rows[0]!),
          subtitle: shown.length > 1 ? file.source : "",
          draw: (width) => drawPanel(view, file, domain, width),
        })),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary:
        shown[0]!.rows
          .map(
            (row) =>
              `${text(row, "clock")}: ${duration(num(row, "cost_median_ns"))} a reading, resolution ${duration(num(row, "step_ns"))}`,
          )
          .join("; ") + ".",
      note: joinNotes(note, offLogNote(left)),
    };
  },
};
