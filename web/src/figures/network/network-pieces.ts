// Times of messages over their size, and the straight lines that the model makes of them.
import * as Plot from "@observablehq/plot";
import type { Figure, Value, View } from "../../figure.ts";
import { bytes, duration, durationTick, interval } from "../../format.ts";
import { BytesAxis, middle } from "../kit/bytes-axis.ts";
import { armLegend } from "../kit/arms.ts";
import { type Axis, chart, intervals, points, tips } from "../kit/chart.ts";
import { bounded, groupBy, joinNotes } from "../kit/facets.ts";
import { type LegendEntry, sheet } from "../kit/sheet.ts";
import { textWidth } from "../kit/text.ts";
import { logDomain } from "../kit/ticks.ts";
import {
  armStyle, type Break, breakMarks, breaksOf, networkRows, panelsOf, type Piece, type Point, seriesWords,
  summaryOf, type Threshold, timeTicks,
} from "./network-rows.ts";

const kPanels = 8;
/** Of a line between the ends of its piece: it bends on logarithmic axes. */
const kSteps = 24;
const kLabelLine = 14;

/** Trains are what the gap follows from, and receives that are later still only a control. */
const kNotDrawn = new Set(["train", "later-receive"]);

/** In whose times a threshold shows. */
const kShows: Record<string, string[]> = {
  detached: ["round-trip", "send", "send-to-late", "ssend"],
  async: ["round-trip", "late-receive", "posted-receive"],
};

interface Vertex {
  x: number;
  y: number;
}

/** The line of a piece, from its first size to its last one. */
export function lineOf(piece: Piece, axis: BytesAxis): Vertex[] {
  const from = Math.max(1, piece.from_bytes);
  const ratio = piece.to_bytes / from;
  return Array.from({ length: kSteps + 1 }, (_, i) => {
    const size = i === kSteps ? piece.to_bytes : i === 0 ? piece.from_bytes : from * ratio ** (i / kSteps);
    return { x: axis.at(size), y: piece.intercept_ns + piece.slope_ns_per_byte * size };
  }).filter(({ y }) => y > 0);
}

/** A threshold that is known, from both sides or from one. */
export function thresholdText(one: Threshold): string {
  if (one.last_bytes !== null) return `${one.threshold} above ${bytes(one.last_bytes)}`;
  return one.first_bytes === null ? "" : `${one.threshold} from ${bytes(one.first_bytes)} on`;
}

function thresholdPlace(one: Threshold): number {
  if (one.last_bytes !== null && one.first_bytes !== null) return middle(one.last_bytes, one.first_bytes);
  return one.first_bytes ?? one.last_bytes ?? 1;
}

function breakText(one: Break): string {
  const known = one.written ? "the analyst's" : `somewhere in ${bytes(one.low_bytes)} to ${bytes(one.high_bytes)}`;
  return `${one.arm}: break behind ${bytes(one.last_bytes)}, ${known}`;
}

/** Upright lines with their names above them, a line of text for each. */
function thresholdMarks(view: View, own: readonly Threshold[], axis: BytesAxis, domain: [number, number], inner: number): Plot.Markish[] {
  return own.flatMap((one, i) => {
    const { colour } = armStyle(view, one.arm);
    const x = axis.at(thresholdPlace(one));
    const text = thresholdText(one);
    const share = (x - axis.domain[0]) / (axis.domain[1] - axis.domain[0]);
    const before = share * inner + textWidth(text, 11, view.style.font, 600) + 6 > inner;
    return [
      Plot.ruleX([one], { x: () => x, stroke: colour, strokeWidth: 1.5, strokeDasharray: "5 3", title: () => `${one.arm}: ${text}` }),
      Plot.text([one], {
        x: () => x,
        y: domain[1],
        text: () => text,
        dy: -6 - kLabelLine * (own.length - 1 - i),
        dx: before ? -2 : 2,
        textAnchor: before ? "end" : "start",
        fill: colour,
        fontSize: 11,
        fontWeight: 600,
      }),
    ];
  });
}

function pointText(point: Point): string {
  const of = point.time_low_ns === null ? "" : ` [${interval(point.time_low_ns, point.time_high_ns, duration)}]`;
  const fit = point.fitted_ns === null ? "" : `\nthe line: ${duration(point.fitted_ns)}`;
  return `${point.arm}, ${bytes(point.size_bytes)}${point.held_out ? ", held out" : ""}\n${duration(point.time_ns)}${of}${fit}`;
}

function drawPanel(view: View, own: Point[], pieces: Piece[], thresholds: Threshold[], width: number): SVGSVGElement {
  const breaks = breaksOf(pieces);
  const axis = new BytesAxis(own.map(({ size_bytes }) => size_bytes));
  const domain = logDomain(own.flatMap(({ time_ns, fitted_ns }) => [time_ns, fitted_ns]));
  const left = 60;
  const inner = width - left - 12;
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(inner), format: (at) => bytes(Math.round(2 ** at)) };
  const y: Axis = { type: "log", domain, ticks: timeTicks(domain), format: durationTick };
  const at = { x: (d: Point) => axis.at(d.size_bytes), y: (d: Point) => d.time_ns };
  // An interval that is far longer than the axis ends with it.
  const end = (ns: number | null): number | null => (ns === null ? null : Math.min(domain[1], Math.max(domain[0], ns)));
  const top = 10 + kLabelLine * thresholds.length;
  return chart(view, {
    width,
    height: 250 + top,
    left,
    top,
    x,
    y,
    marks: [
      ...breakMarks(view, breaks, axis, breakText),
      ...[...groupBy(own, ({ arm }) => arm)].flatMap(([arm, of]) => {
        const series = armStyle(view, arm);
        return [
          intervals(of, { x: at.x, low: (d) => end(d.time_low_ns), high: (d) => end(d.time_high_ns) }, { colour: series.colour, width: 1, opacity: 0.45 }),
          points(view, of.filter(({ held_out }) => !held_out), at, { series, r: 2 }),
          points(view, of.filter(({ held_out }) => held_out), at, { series, r: 3, hollow: true }),
        ];
      }),
      // Above the points: a line among hundreds of them is not seen.
      ...pieces.flatMap((piece) => {
        const line = lineOf(piece, axis);
        const common = { x: "x", y: "y", clip: true } as const;
        return [
          Plot.line(line, { ...common, stroke: view.style.background, strokeWidth: 3, strokeOpacity: 0.5 }),
          Plot.line(line, { ...common, stroke: view.style.text, strokeWidth: 1.25, strokeDasharray: armStyle(view, piece.arm).dash || "none" }),
        ];
      }),
      ...thresholdMarks(view, thresholds, axis, domain, inner),
      tips(view, own, { ...at, text: pointText }),
    ],
  });
}

function legendOf(view: View, arms: string[], own: readonly Point[], breaks: number, thresholds: number): LegendEntry[] {
  const { text, muted } = view.style;
  const several = arms.length > 1;
  return [
    ...armLegend(view, arms, "point"),
    ...(several ? arms.map((arm): LegendEntry => ({ label: `line of ${arm}`, colour: text, dash: armStyle(view, arm).dash })) : [{ label: "the model's lines", colour: text, dash: "" }]),
    ...(own.some(({ held_out }) => held_out) ? [{ label: "held out: in no fit", colour: muted, symbol: "circle" as const, hollow: true }] : []),
    ...(breaks > 0 ? [{ label: "where a break may be", colour: muted, area: 0.25 }] : []),
    ...(thresholds > 0 ? [{ label: "threshold", colour: muted, dash: "5 3" }] : []),
  ];
}

export const figure: Figure = {
  id: "network-pieces",
  section: { id: "network", title: "What does a simulator need to know of messages?", short: "Network", before: "clocks" },
  question: "network",
  title: "Pieces of straight lines over message sizes",
  read:
    "A point is the mean of a size over launch groups with its interval, hollow where no fit saw it, and lines are what the model says: look whether points leave their line on one side, which a model of too few pieces has. " +
    "A shaded band is where a break between two lines may be, and a dashed upright line a threshold from which the library sends in another way.",
  draw(view) {
    const all = networkRows<Point>(view, "points");
    const drawn = all.filter(({ series }) => !kNotDrawn.has(series));
    if (drawn.length === 0) return null;
    const pieces = networkRows<Piece>(view, "pieces");
    const thresholds = networkRows<Threshold>(view, "thresholds").filter((one) => thresholdText(one) !== "");
    const { shown, note } = bounded([...panelsOf(drawn, ({ series }) => seriesWords(series))], kPanels, "series", "arms");
    const arms = [...new Set(drawn.map(({ arm }) => arm))];
    const control = all.some(({ series }) => kNotDrawn.has(series));
    return {
      element: sheet(view, {
        label: "Times of messages over their size, with the lines of the model",
        legend: legendOf(view, arms, drawn, breaksOf(pieces).length, thresholds.length),
        yTitle: "time of a call",
        xTitle: "message size",
        panels: shown.map(([title, own]) => {
          const { series, place } = own[0]!;
          const here = pieces.filter((piece) => piece.series === series && piece.place === place);
          const marked = thresholds.filter((one) => kShows[one.threshold]?.includes(series) && one.place === place);
          return { title, draw: (width: number) => drawPanel(view, own, here, marked, width) };
        }),
        least: 380,
        columns: 2,
      }),
      table: {
        columns: ["arm", "place", "series", "size (B)", "time (ns)", "from (ns)", "to (ns)", "piece", "line (ns)", "held out"],
        rows: drawn.map((point): Value[] => [
          point.arm,
          point.place,
          point.series,
          point.size_bytes,
          point.time_ns,
          point.time_low_ns,
          point.time_high_ns,
          point.piece,
          point.fitted_ns,
          point.held_out ? "yes" : "no",
        ]),
      },
      summary: summaryOf(view),
      note: joinNotes(note, control ? "Trains, and receives that came twice as late, are not drawn: the answer's points have them." : undefined),
    };
  },
};
