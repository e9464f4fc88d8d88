// How far apart ranks leave what is meant to start them together (paper 002, figure 4).
import * as Plot from "@observablehq/plot";
import type { Figure, View } from "../../figure.ts";
import { count, duration, durationTick } from "../../format.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, tips } from "../kit/chart.ts";
import { boundedFiles, type ClockRow, clockTable, contextOf, filesOf, num, offLogAxis, offLogNote, text, type Clocks } from "../kit/clocks.ts";
import { groupBy, joinNotes } from "../kit/facets.ts";
import { endOn, lines, named } from "../kit/lines.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { linearTicks, logDomain, logTicks } from "../kit/ticks.ts";

const kRanksDrawn = 64;

interface Method {
  name: string;
  row: ClockRow; // the first: quantiles are the same in all
  ranks: ClockRow[];
}

export function methodsOf(file: Clocks): Method[] {
  return [...groupBy(file.rows, (row) => text(row, "method"))]
    .map(([name, ranks]) => ({ name, row: ranks[0]!, ranks }))
    .filter((method) => num(method.row, "exit_median_ns") !== null);
}

function drawImbalance(view: View, methods: Method[], domain: [number, number], width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(methods.map((method) => method.name));
  const most = width * 0.4;
  const left = rows.margin(view, most);
  const x: Axis = {
    type: "log",
    domain,
    ticks: logTicks(...domain, Math.max(2, Math.floor((width - left) / 64))),
    format: durationTick,
    grid: true,
  };
  const y = (method: Method): number => rows.at(method.name);
  const of =
    (column: string) =>
    (method: Method): number =>
      endOn(x, num(method.row, column)) ?? NaN;
  // What has no imbalance has no place on this axis; its colour and its row stay.
  const drawn = methods.filter((method) => offLogAxis([method.row], "exit_median_ns") === 0);
  const marks: Plot.Markish[] = [rows.lines(view)];
  methods.forEach((method, i) => {
    if (!drawn.includes(method)) return;
    const look = style.series("algorithm", i);
    const end = endOn(x, num(method.row, "exit_p99_ns") ?? num(method.row, "exit_p95_ns")) ?? of("exit_q3_ns")(method);
    marks.push(
      Plot.ruleY([method], { x1: of("exit_q3_ns"), x2: end, y, stroke: look.colour, strokeWidth: 1.5 }),
      Plot.ruleY([method], { x1: of("exit_q1_ns"), x2: of("exit_q3_ns"), y, stroke: look.colour, strokeWidth: 13, strokeOpacity: 0.4 }),
      Plot.ruleX([method], {
        x: of("exit_median_ns"),
        y1: (d: Method) => y(d) - 0.22,
        y2: (d: Method) => y(d) + 0.22,
        stroke: look.colour,
        strokeWidth: 3,
      }),
      ...["exit_p95_ns", "exit_p99_ns"].map((column) =>
        Plot.text(num(method.row, column) === null ? [] : [method], {
          x: of(column),
          y,
          text: () => "|",
          fill: look.colour,
          fontSize: 11,
          fontWeight: 700,
        }),
      ),
      Plot.text([method], {
        x: of("exit_median_ns"),
        y: (d: Method) => y(d) + 0.22,
        dy: -7,
        text: (d: Method) => duration(of("exit_median_ns")(d)),
        fill: style.text,
        fontSize: 11,
        stroke: style.background,
        strokeWidth: 3,
      }),
    );
  });
  marks.push(
    rows.labels(view, most, width, 26),
    tips(view, drawn, {
      x: of("exit_median_ns"),
      y,
      text: (d) =>
        `${d.name}\nmedian ${duration(num(d.row, "exit_median_ns"))}, half in ${duration(num(d.row, "exit_q1_ns"))} to ${duration(num(d.row, "exit_q3_ns"))}\n` +
        `95 % up to ${duration(num(d.row, "exit_p95_ns"))}, 99 % up to ${duration(num(d.row, "exit_p99_ns"))}\n${count(num(d.row, "repetitions") ?? 0)} repetitions, ${num(d.row, "left_out") ?? 0} left out`,
    }),
  );
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 46) + 44,
    left,
    right: 14,
    top: 16,
    x,
    y: null,
    yDomain: rows.domain,
    marks,
  });
}

// By what ranks are told apart, as by the answer's "last rank": means, or medians where a directory is from before means were
// recorded.
export function behindBy(methods: Method[]): "mean" | "median" {
  return methods.every((method) => method.ranks.every((row) => num(row, "behind_mean_ns") !== null)) ? "mean" : "median";
}

function drawRanks(view: View, methods: Method[], width: number): SVGSVGElement {
  const by = behindBy(methods);
  const series = methods.map((method, i) => ({
    name: method.name,
    style: view.style.series("algorithm", i),
    r: method.ranks.length > 24 ? 1.5 : 3,
    vertices: method.ranks.slice(0, kRanksDrawn).flatMap((row) => {
      const rank = num(row, "rank");
      const behind = num(row, `behind_${by}_ns`);
      if (rank === null || behind === null) return [];
      const low = by === "mean" ? num(row, "behind_mean_low_ns") : null;
      const high = by === "mean" ? num(row, "behind_mean_high_ns") : null;
      const within = low === null || high === null ? "" : `, 95 % in ${duration(low)} to ${duration(high)}`;
      const text = `${method.name}, rank ${rank}\n${by} ${duration(behind)} after the first${within}`;
      return [{ x: rank, y: behind, low, high, text }];
    }),
  }));
  const all = series.flatMap((one) => one.vertices);
  const high = Math.max(...all.map((vertex) => vertex.y), 1);
  const last = Math.max(...all.map((vertex) => vertex.x), 1);
  return lines(view, {
    width,
    height: methods.length * 46 + 44,
    left: 56,
    top: 16,
    x: { type: "linear", domain: [-0.03 * last, last * 1.03], ticks: linearTicks(0, last, 8).filter(Number.isInteger), format: String },
    y: { type: "linear", domain: [0, high * 1.06], ticks: linearTicks(0, high, 5), format: durationTick },
    series,
  });
}

export const figure: Figure = {
  id: "clock-barriers",
  section: "clocks",
  title: "How far apart ranks start after a barrier or by the clock",
  read:
    "In the first panel, a box holds the middle half of the differences between the first and the last rank that left, its line the median, and the ticks 95 % and 99 % of them; in the second, how long after the first one each rank left (means with 95 % intervals, or medians, as its title says). " +
    "A rank that is always late makes every run-time that is measured after this barrier longer or shorter, depending on the operation.",
  draw(view) {
    const files = filesOf(view, "barriers");
    const { shown, note } = boundedFiles(files);
    const all = shown.map((file) => ({ file, methods: methodsOf(file) })).filter((one) => one.methods.length > 0);
    if (all.length === 0) return null;
    const left = all.reduce((sum, one) => sum + offLogAxis(one.methods.map((method) => method.row), "exit_median_ns"), 0);
    const domain = logDomain(
      all.flatMap((one) =>
        one.methods.flatMap((method) =>
          ["exit_q1_ns", "exit_median_ns", "exit_q3_ns", "exit_p95_ns", "exit_p99_ns"].map((column) => num(method.row, column)),
        ),
      ),
    );
    const legend = all[0]!.methods.map((method, i) => ({
      label: method.name,
      colour: view.style.series("algorithm", i).colour,
      symbol: view.style.series("algorithm", i).symbol,
      dash: view.style.series("algorithm", i).dash,
    }));
    const panels = all.flatMap(({ file, methods }): Panel[] => [
      { title: "Last exit − first exit", subtitle: contextOf(file.rows[0]!), draw: (width) => drawImbalance(view, methods, domain, width) },
      {
        title: `${behindBy(methods) === "mean" ? "Mean" : "Median"} exit behind the first rank, by rank`,
        subtitle: contextOf(file.rows[0]!),
        draw: (width) => drawRanks(view, methods, width),
      },
    ]);
    const many = all.some((one) => one.methods.some((method) => method.ranks.length > kRanksDrawn));
    return {
      element: sheet(view, {
        label: "Exit imbalance of barriers and of starts by the clock",
        legend: named(view.width) ? [] : legend,
        xTitle: "imbalance (logarithmic) in the first panel, rank in the second",
        panels,
        least: 380,
        columns: 2,
      }),
      table: clockTable(files),
      summary:
        all.flatMap((one) => one.methods.map((method) => `${method.name} ${duration(num(method.row, "exit_median_ns"))}`)).join(", ") + ".",
      note: joinNotes(
        note,
        many ? `The first ${kRanksDrawn} ranks are drawn; the table has all of them.` : undefined,
        offLogNote(left, "imbalance"),
      ),
    };
  },
};
