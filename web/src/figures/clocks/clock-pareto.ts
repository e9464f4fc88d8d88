// What precision costs (paper 002, figure 10).
import * as Plot from "@observablehq/plot";
import type { Figure, View } from "../../figure.ts";
import { duration, durationTick } from "../../format.ts";
import type { SeriesStyle } from "../../style.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { algorithmStyles, boundedFiles, type ClockRow, clockTable, contextOf, filesOf, num, offLogAxis, offLogNote, text } from "../kit/clocks.ts";
import { groupBy, joinNotes } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

interface Setting {
  algorithm: string;
  settings: string;
  sync_ns: number;
  error_ns: number;
  after_s: number | null;
  frontier: boolean;
}

export function settingsOf(rows: readonly ClockRow[]): Setting[] {
  return rows.flatMap((row) => {
    const seconds = num(row, "sync_s");
    const error_ns = num(row, "worst_median_ns");
    if (seconds === null || error_ns === null || !(seconds > 0) || !(error_ns > 0)) return [];
    const settings = text(row, "settings");
    const after_s = num(row, "after_s");
    return [{ algorithm: settings.split(":")[0]!, settings, sync_ns: seconds * 1e9, error_ns, after_s, frontier: num(row, "frontier") === 1 }];
  });
}

/** When the errors of these settings were looked at: " 5 s after", or nothing where they differ. A barrier has no clocks. */
export function afterText(settings: readonly Setting[]): string {
  const times = new Set(settings.filter((one) => one.algorithm !== "barrier").map((one) => one.after_s));
  const [only] = times;
  return times.size === 1 && only !== null && only !== undefined ? ` after ${only} s` : "";
}

function drawPanel(view: View, all: Setting[], styleOf: Map<string, SeriesStyle>, width: number): SVGSVGElement {
  const { style } = view;
  const x_domain = logDomain(all.filter((one) => one.algorithm !== "barrier").map((one) => one.sync_ns));
  const y_domain = logDomain(all.map((one) => one.error_ns));
  const left = 56;
  const x: Axis = {
    type: "log",
    domain: x_domain,
    ticks: logTicks(...x_domain, Math.max(2, Math.floor((width - left) / 62))),
    format: durationTick,
  };
  const y: Axis = { type: "log", domain: y_domain, ticks: logTicks(...y_domain, 9), format: durationTick };
  const barrier = all.filter((one) => one.algorithm === "barrier");
  const clocks = all.filter((one) => one.algorithm !== "barrier");
  const at = { x: (d: Setting) => d.sync_ns, y: (d: Setting) => d.error_ns };
  const frontier = clocks.filter((one) => one.frontier).sort((a, b) => a.sync_ns - b.sync_ns);
  const marks: Plot.Markish[] = [
    Plot.line(frontier, { x: "sync_ns", y: "error_ns", curve: "step-after", stroke: style.muted, strokeWidth: 6, strokeOpacity: 0.25 }),
    Plot.ruleY(barrier.slice(0, 1), { y: "error_ns", stroke: style.text, strokeDasharray: "5 3" }),
    Plot.text(barrier.slice(0, 1), {
      y: "error_ns",
      frameAnchor: "right",
      dy: -7,
      textAnchor: "end",
      text: () => "exits of a barrier, without clocks",
      fill: style.text,
      fontSize: 11,
      stroke: style.background,
      strokeWidth: 4,
    }),
  ];
  for (const [algorithm, own] of groupBy(clocks, (one) => one.algorithm)) {
    const look = styleOf.get(algorithm)!;
    marks.push(
      points(
        view,
        own.filter((one) => !one.frontier),
        at,
        { series: look, hollow: true, r: 3.25 },
      ),
      points(
        view,
        own.filter((one) => one.frontier),
        at,
        { series: look, r: 5 },
      ),
    );
  }
  marks.push(
    tips(view, clocks, {
      ...at,
      text: (d) =>
        `${d.settings}\ntakes ${duration(d.sync_ns)}, worst error ${duration(d.error_ns)}${d.frontier ? "\non the frontier" : ""}`,
    }),
  );
  return chart(view, { width, height: 360, left, right: 14, x, y, marks });
}

export const figure: Figure = {
  id: "clock-pareto",
  section: "clocks",
  title: "Error of the clocks against the time that synchronising takes",
  read:
    "Each point is an algorithm with one choice of its parameters: to the left it is quick, below it is precise. " +
    "Large filled points on the grey line are the frontier, where nothing else is both quicker and more precise; what lies above the dashed line is worse than a barrier without clocks.",
  draw(view) {
    const files = filesOf(view, "pareto");
    const { shown, note } = boundedFiles(files);
    const all = shown
      .map((file) => ({ file, settings: settingsOf(file.rows), left: offLogAxis(file.rows, "sync_s", "worst_median_ns") }))
      .filter((one) => one.settings.length > 0 || one.left > 0);
    const left = all.reduce((sum, one) => sum + one.left, 0);
    if (all.length === 0) return null;
    const algorithms = [...new Set(all.flatMap((one) => one.settings.map((setting) => setting.algorithm)))].filter(
      (name) => name !== "barrier",
    );
    const styleOf = algorithmStyles(view, algorithms);
    const after = afterText(all.flatMap((one) => one.settings));
    const best = all.flatMap((one) => one.settings).filter((one) => one.frontier && one.algorithm !== "barrier");
    return {
      element: sheet(view, {
        label: "Error of clocks against the duration of the synchronisation",
        legend: [
          ...algorithms.map((name) => ({ label: name, colour: styleOf.get(name)!.colour, symbol: styleOf.get(name)!.symbol })),
          { label: "hollow: not on the frontier", colour: view.style.muted, symbol: "circle" as const, hollow: true },
        ],
        yTitle: `error of the worst rank${after} (logarithmic)`,
        xTitle: "time that a synchronisation takes (logarithmic)",
        panels: all.map(({ file, settings }) => ({
          title: contextOf(file.rows[0]!) + (after === "" ? afterText(settings).replace(/^ /, ", ") : ""),
          subtitle: all.length > 1 ? file.source : "",
          draw: (width) => drawPanel(view, settings, styleOf, width),
        })),
        least: 420,
        columns: 2,
      }),
      table: clockTable(files),
      summary: `On the frontier: ${[...new Set(best.map((one) => one.algorithm))].join(", ") || "nothing"}.`,
      note: joinNotes(note, offLogNote(left, "setting")),
    };
  },
};
