// Measured times against those of the platform that was made of them, simulated by the same plan.
import type { Figure, Value, View } from "../../figure.ts";
import { bytes, duration, durationTick, share } from "../../format.ts";
import type { SeriesStyle } from "../../style.ts";
import { BytesAxis } from "../kit/bytes-axis.ts";
import { type Axis, chart, intervals, points, tips } from "../kit/chart.ts";
import * as Plot from "@observablehq/plot";
import { bounded, joinNotes } from "../kit/facets.ts";
import { type LegendEntry, sheet } from "../kit/sheet.ts";
import { logDomain } from "../kit/ticks.ts";
import { type ModelRow, networkRows, panelsOf, seriesWords, summaryOf, timeTicks } from "./network-rows.ts";

const kPanels = 16;

/** A row of the check's table. */
export interface Checked extends ModelRow {
  operation: string;
  ranks: number;
  calibrated: boolean;
  held_out: boolean;
  size_bytes: number;
  measured_ns: number;
  measured_low_ns: number | null;
  measured_high_ns: number | null;
  simulated_ns: number | null;
  error: number | null;
  defaults_ns: number | null;
  defaults_error: number | null;
  usual_ns: number | null;
  usual_error: number | null;
}

export interface CheckedErrors extends ModelRow {
  operation: string;
  ranks: number;
  calibrated: boolean;
  held_out: boolean;
  sizes: number;
  median_error: number | null;
  p95_error: number | null;
  defaults_median_error: number | null;
  defaults_p95_error: number | null;
  usual_median_error: number | null;
  usual_p95_error: number | null;
  why: string | null;
}

export const kPlatforms = [
  { label: "simulated: this platform", time: "simulated_ns", error: "error" },
  { label: "simulated: usual formulas", time: "usual_ns", error: "usual_error" },
  { label: "simulated: the cluster without a calibration", time: "defaults_ns", error: "defaults_error" },
] as const;

/** A curve needs another look than the points that it is held against. */
export function lookOf(view: View, i: number): SeriesStyle {
  return view.style.series("role", i);
}

/** An operation, with its ranks where there are more than two. */
export function operationWords({ operation, ranks }: Pick<Checked, "operation" | "ranks">): string {
  return ranks > 2 ? `${seriesWords(operation)}, ${ranks} ranks` : seriesWords(operation);
}

function drawPanel(view: View, own: Checked[], width: number): SVGSVGElement {
  const sorted = [...own].sort((a, b) => a.size_bytes - b.size_bytes);
  const axis = new BytesAxis(sorted.map(({ size_bytes }) => size_bytes));
  const domain = logDomain(sorted.flatMap((row) => [row.measured_ns, ...kPlatforms.map(({ time }) => row[time])]));
  const end = (ns: number | null): number | null => (ns === null ? null : Math.min(domain[1], Math.max(domain[0], ns)));
  const left = 60;
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(width - left - 12), format: (at) => bytes(Math.round(2 ** at)) };
  const y: Axis = { type: "log", domain, ticks: timeTicks(domain), format: durationTick };
  const at = { x: (d: Checked) => axis.at(d.size_bytes), y: (d: Checked) => d.measured_ns };
  const measured = { colour: view.style.text, symbol: "circle" as const };
  const text = (d: Checked): string =>
    [
      `${d.arm}, ${bytes(d.size_bytes)}${d.held_out ? ", held out" : ""}`,
      `measured: ${duration(d.measured_ns)}`,
      ...kPlatforms.flatMap(({ label, time, error }) => (d[time] === null ? [] : [`${label.replace("simulated: ", "")}: ${duration(d[time])} (${share(d[error])})`])),
    ].join("\n");
  return chart(view, {
    width,
    height: 230,
    left,
    x,
    y,
    marks: [
      // The last one on top: it is this platform's.
      ...kPlatforms
        .map(({ time }, i) => {
          const look = lookOf(view, i);
          const some = sorted.filter((row) => (row[time] ?? 0) > 0);
          return [
            Plot.line(some, { x: at.x, y: (d: Checked) => d[time], stroke: look.colour, strokeWidth: i === 0 ? 2 : 1.5, strokeDasharray: look.dash || "none" }),
            // Few sizes: a line alone would hide where it is known.
            ...(some.length <= 16 ? [points(view, some, { x: at.x, y: (d) => d[time] ?? NaN }, { series: look, r: 4, hollow: true })] : []),
          ];
        })
        .reverse()
        .flat(),
      intervals(sorted, { x: at.x, low: (d) => end(d.measured_low_ns), high: (d) => end(d.measured_high_ns) }, { colour: measured.colour, width: 1, opacity: 0.45 }),
      points(view, sorted.filter(({ held_out }) => !held_out), at, { series: measured, r: 1.75 }),
      points(view, sorted.filter(({ held_out }) => held_out), at, { series: measured, r: 2.75, hollow: true }),
      tips(view, sorted, { ...at, text }),
    ],
  });
}

/** "MPI_Bcast, 2 ranks: median error 12 %, usual formulas 30 %". */
export function errorWords(row: CheckedErrors): string {
  const held = row.held_out ? " (held out)" : "";
  if (row.median_error === null) return `${operationWords(row)}${held}: ${row.why ?? "nothing to compare"}`;
  const beside = [
    row.usual_median_error === null ? null : `usual formulas ${share(row.usual_median_error)}`,
    row.defaults_median_error === null ? null : `without a calibration ${share(row.defaults_median_error)}`,
  ].filter((text) => text !== null);
  return `${operationWords(row)}${held}: ${[share(row.median_error), ...beside].join(", ")}`;
}

export const figure: Figure = {
  id: "network-check",
  section: { id: "network" },
  question: "network",
  title: "Measured against simulated",
  read:
    "A point is what was measured with its interval, hollow at sizes that no fit saw, and a line what a simulator makes of the same plan: with the platform that follows from this model, with the usual formulas, and with the cluster's latency and bandwidth alone, without a calibration. " +
    "No platform was fitted to MPI_Bcast, MPI_Allreduce and the halo exchange, so that these say best what a prediction is worth.",
  draw(view) {
    const rows = networkRows<Checked>(view, "check");
    if (rows.length === 0) return null;
    const errors = networkRows<CheckedErrors>(view, "check_errors");
    const arms = new Set(rows.map(({ arm }) => arm));
    const titles = (row: Checked): string => (arms.size > 1 ? `${operationWords(row)}, ${row.arm}` : operationWords(row));
    const { shown, note } = bounded([...panelsOf(rows, titles)], kPanels, "operations", "arms");
    const present = kPlatforms.filter(({ time }) => rows.some((row) => row[time] !== null));
    return {
      element: sheet(view, {
        label: "Measured and simulated times over message size",
        legend: [
          { label: "measured", colour: view.style.text, symbol: "circle", bar: true },
          ...(rows.some(({ held_out }) => held_out) ? [{ label: "measured, held out: in no fit", colour: view.style.text, symbol: "circle" as const, hollow: true }] : []),
          ...present.map(({ label }): LegendEntry => {
            const { colour, dash } = lookOf(view, kPlatforms.findIndex((one) => one.label === label));
            return { label, colour, dash };
          }),
        ],
        yTitle: "time of a call",
        xTitle: "message size",
        panels: shown.map(([title, own]) => {
          const of = errors.filter((row) => own[0]!.arm === row.arm && own[0]!.place === row.place && own[0]!.operation === row.operation && own[0]!.ranks === row.ranks);
          const worst = of.find(({ held_out }) => held_out) ?? of[0];
          const error = worst?.median_error ?? null;
          return {
            title,
            ...(error === null ? {} : { subtitle: `median error ${share(error)}${worst?.held_out ? " of held-out sizes" : ""}` }),
            draw: (width: number) => drawPanel(view, own, width),
          };
        }),
        least: 340,
        columns: 3,
      }),
      table: {
        columns: [
          "arm", "place", "operation", "ranks", "calibrated", "held out", "size (B)", "measured (ns)", "from (ns)", "to (ns)",
          ...kPlatforms.flatMap(({ label }) => [`${label} (ns)`, `${label} / measured - 1`]),
        ],
        rows: rows.map((row): Value[] => [
          row.arm, row.place, row.operation, row.ranks, row.calibrated ? "yes" : "no", row.held_out ? "yes" : "no", row.size_bytes,
          row.measured_ns, row.measured_low_ns, row.measured_high_ns,
          ...kPlatforms.flatMap(({ time, error }) => [row[time], row[error]]),
        ]),
      },
      summary: errors.length > 0 ? `Median errors: ${errors.map(errorWords).join("; ")}.` : summaryOf(view),
      note: joinNotes(note, ...errors.filter(({ median_error, why }) => median_error === null && why).map((row) => `${errorWords(row)}.`)),
    };
  },
};
