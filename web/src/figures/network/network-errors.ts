// How far simulated times are from measured ones, by operation and platform.
import type { Figure, Value, View } from "../../figure.ts";
import { share } from "../../format.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, intervalsX, points, tips } from "../kit/chart.ts";
import { bounded, joinNotes } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { logDomain, logTicks, percentTick } from "../kit/ticks.ts";
import { type CheckedErrors, errorWords, kPlatforms, lookOf, operationWords } from "./network-check.ts";
import { networkRows, whoOf } from "./network-rows.ts";

const kRows = 40;
/** Smaller errors stand at the end of the logarithmic axis. */
const kLeast = 0.001;

const kErrors = [
  { median: "median_error", p95: "p95_error" },
  { median: "usual_median_error", p95: "usual_p95_error" },
  { median: "defaults_median_error", p95: "defaults_p95_error" },
] as const;

interface Mark {
  name: string;
  platform: number; // of kPlatforms
  median: number;
  p95: number;
}

/** Three marks a row, one below the other. */
const kApart = 0.22;

function drawRows(view: View, names: readonly string[], marks: readonly Mark[], width: number): SVGSVGElement {
  const rows = new Rows(names);
  const most = width * 0.44;
  const left = rows.margin(view, most);
  const domain = logDomain(marks.flatMap(({ median, p95 }) => [median, p95]));
  const x: Axis = { type: "log", domain, ticks: logTicks(...domain, Math.max(2, Math.floor((width - left) / 70))), format: percentTick, grid: true };
  const at = { x: (d: Mark) => d.median, y: (d: Mark) => rows.at(d.name) - kApart * (d.platform - 1) };
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 34) + 40,
    left,
    right: 16,
    top: 6,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      ...kPlatforms.flatMap((_, i) => {
        const some = marks.filter(({ platform }) => platform === i);
        const series = lookOf(view, i);
        return [
          intervalsX(some, { y: at.y, low: (d) => d.median, high: (d) => d.p95 }, { colour: series.colour, width: 1.5 }),
          points(view, some, at, { series }),
        ];
      }),
      rows.labels(view, most, width, 20),
      tips(view, marks, { ...at, text: (d) => `${d.name}\n${kPlatforms[d.platform]!.label}: median ${share(d.median)}, 95 % below ${share(d.p95)}` }),
    ],
  });
}

export const figure: Figure = {
  id: "network-errors",
  section: { id: "network" },
  question: "network",
  title: "How far simulated times are from measured ones",
  read:
    "A mark is the median over sizes of how far a simulated time is from the measured one, as a share of it, and its line reaches to what 95 % of the sizes are below. " +
    "The platform that follows from this model should lie left of the usual formulas and of the cluster without a calibration, above all for operations that it was not fitted to.",
  draw(view) {
    const errors = networkRows<CheckedErrors>(view, "check_errors");
    const several = new Set(errors.map(whoOf)).size > 1;
    const nameOf = (row: CheckedErrors): string =>
      [operationWords(row), ...(row.held_out ? ["held out"] : []), ...(several ? [whoOf(row)] : [])].join(", ");
    const { shown, note } = bounded(errors, kRows, "rows", "arms");
    const marks = shown.flatMap((row) =>
      kErrors.flatMap(({ median, p95 }, platform): Mark[] => {
        const value = row[median];
        if (value === null) return [];
        const least = Math.max(kLeast, value);
        return [{ name: nameOf(row), platform, median: least, p95: Math.max(least, row[p95] ?? least) }];
      }),
    );
    if (marks.length === 0) return null;
    const present = kPlatforms.map(({ label }, i) => ({ label, i })).filter(({ i }) => marks.some(({ platform }) => platform === i));
    return {
      element: sheet(view, {
        label: "Errors of simulated times by operation and platform",
        legend: present.map(({ label, i }) => ({ label, colour: lookOf(view, i).colour, symbol: lookOf(view, i).symbol })),
        xTitle: "|simulated / measured - 1|",
        panels: [{ draw: (width: number) => drawRows(view, shown.map(nameOf), marks, width) }],
      }),
      table: {
        columns: ["arm", "place", "operation", "ranks", "calibrated", "held out", "sizes", ...kPlatforms.flatMap(({ label }) => [`${label}, half of the sizes below`, `${label}, 95 % of the sizes below`]), "why not"],
        rows: errors.map((row): Value[] => [
          row.arm, row.place, row.operation, row.ranks, row.calibrated ? "yes" : "no", row.held_out ? "yes" : "no", row.sizes,
          ...kErrors.flatMap(({ median, p95 }) => [row[median], row[p95]]),
          row.why,
        ]),
      },
      summary: `Median errors: ${errors.map(errorWords).join("; ")}.`,
      note: joinNotes(note, ...errors.filter(({ median_error, why }) => median_error === null && why).map((row) => `${errorWords(row)}.`)),
    };
  },
};
