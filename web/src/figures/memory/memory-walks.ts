// What a walk over a buffer takes, by the buffer's size: levels of the memory hierarchy, and where they end.
import * as Plot from "@observablehq/plot";
import { answerOf } from "../../answers.ts";
import type { Figure, Value, View } from "../../figure.ts";
import { bytes, digits, duration, durationTick, share } from "../../format.ts";
import { armLegend } from "../kit/arms.ts";
import { BytesAxis } from "../kit/bytes-axis.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { type LegendEntry, sheet } from "../kit/sheet.ts";
import { textWidth } from "../kit/text.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";
import { type Cache, type Knee, kQuestion, memoryRows, type WalkPoint, walkOf } from "./memory-rows.ts";

const kPanels = 8;
// Half of "256 MiB", which may stand at the end of the axis.
const kRight = 24;
const kNameSize = 11;

/** What a walk is told by. */
export function valueOf(point: WalkPoint): number {
  return point.latency_ns ?? point.bandwidth_gb_s ?? NaN;
}

/** The model's value of the same size: a latency is as the pass, a bandwidth as one over it. */
export function fittedOf(point: WalkPoint): number | null {
  if (point.fitted_ns === null) return null;
  const ratio = point.fitted_ns / point.pass_ns;
  return point.latency_ns === undefined ? valueOf(point) / ratio : valueOf(point) * ratio;
}

function valueText(point: WalkPoint, value: number): string {
  return point.latency_ns === undefined ? `${digits(value, 3)} GB/s` : `${duration(value)} a load`;
}

function pointText(point: WalkPoint): string {
  const fit = fittedOf(point);
  const model = fit === null ? "" : `\nthe model: ${valueText(point, fit)}`;
  const modes = point.modes > 1 ? `\n${point.modes} modes` : "";
  return `${point.arm}, ${bytes(point.size_bytes)}\n${valueText(point, valueOf(point))}, groups ${share(point.group_sd)} apart${model}${modes}`;
}

function kneeText(knee: Knee): string {
  const known =
    knee.capacity_low_bytes === null || knee.capacity_high_bytes === null
      ? ""
      : ` [${bytes(Math.round(knee.capacity_low_bytes))}, ${bytes(Math.round(knee.capacity_high_bytes))}]`;
  return `${knee.arm}: ${knee.name ?? "knee"} ends at ${bytes(Math.round(knee.capacity_bytes))}${known}, by a ${knee.shape}${knee.why ? `\n${knee.why}` : ""}`;
}

/** From 5 % above a plateau to 95 % of the next, and the capacity with its interval. */
function kneeMarks(view: View, knees: readonly Knee[], axis: BytesAxis): Plot.Markish[] {
  return knees.flatMap((knee) => {
    const { colour } = view.style.arm(knee.arm);
    const low = Math.min(knee.capacity_low_bytes ?? knee.capacity_bytes, knee.capacity_bytes);
    const high = Math.max(knee.capacity_high_bytes ?? knee.capacity_bytes, knee.capacity_bytes);
    const title = (): string => kneeText(knee);
    return [
      Plot.rect([knee], { x1: () => axis.at(knee.begin_bytes), x2: () => axis.at(Math.max(knee.end_bytes, knee.begin_bytes)), fill: colour, fillOpacity: 0.1, title }),
      Plot.rect([knee], { x1: () => axis.at(low), x2: () => axis.at(high), fill: colour, fillOpacity: 0.25, title }),
      Plot.ruleX([knee], { x: () => axis.at(knee.capacity_bytes), stroke: colour, strokeWidth: 1.5, title }),
    ];
  });
}

/** Where the processor says that its caches end, with their names at the top. */
function cacheMarks(view: View, caches: readonly Cache[], axis: BytesAxis, top: number, inner: number): Plot.Markish[] {
  return caches
    .filter(({ told_bytes }) => axis.at(told_bytes) >= axis.domain[0] && axis.at(told_bytes) <= axis.domain[1])
    .flatMap((cache) => {
      const x = axis.at(cache.told_bytes);
      const text = `${cache.cache} ${bytes(cache.told_bytes)}`;
      const share = (x - axis.domain[0]) / (axis.domain[1] - axis.domain[0]);
      const before = share * inner + textWidth(text, kNameSize, view.style.font) + 6 > inner;
      return [
        Plot.ruleX([cache], { x: () => x, stroke: view.style.muted, strokeWidth: 1, strokeDasharray: "5 3" }),
        Plot.text([cache], {
          x: () => x,
          y: top,
          text: () => text,
          dy: -7,
          dx: before ? -2 : 2,
          textAnchor: before ? "end" : "start",
          fill: view.style.muted,
          fontSize: kNameSize,
        }),
      ];
    });
}

function drawPanel(view: View, own: WalkPoint[], knees: Knee[], caches: Cache[], width: number): SVGSVGElement {
  const axis = new BytesAxis(own.map(({ size_bytes }) => size_bytes));
  const domain = logDomain(own.flatMap((point) => [valueOf(point), fittedOf(point)]));
  const left = 60;
  const inner = width - left - kRight;
  const times = own[0]!.latency_ns !== undefined;
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(inner), format: (at) => bytes(Math.round(2 ** at)) };
  const y: Axis = { type: "log", domain, ticks: logTicks(...domain, 6), format: times ? durationTick : (value) => digits(value, 3) };
  const at = { x: (d: WalkPoint) => axis.at(d.size_bytes), y: valueOf };
  return chart(view, {
    width,
    height: 270,
    left,
    right: kRight,
    top: 22,
    x,
    y,
    marks: [
      ...cacheMarks(view, caches, axis, domain[1], inner),
      ...kneeMarks(view, knees, axis),
      ...[...groupBy(own, ({ arm }) => arm)].flatMap(([arm, of]) => {
        const series = view.style.arm(arm);
        const line = of.filter((point) => fittedOf(point) !== null).sort((a, b) => a.size_bytes - b.size_bytes);
        return [
          points(view, of, at, { series, r: 2.5 }),
          Plot.line(line, { x: at.x, y: (d: WalkPoint) => fittedOf(d), stroke: view.style.text, strokeWidth: 1.25, strokeDasharray: series.dash || "none", clip: true }),
        ];
      }),
      tips(view, own, { ...at, text: pointText }),
    ],
  });
}

function legendOf(view: View, arms: string[], knees: number, caches: number, fitted: boolean): LegendEntry[] {
  const { text, muted } = view.style;
  return [
    ...armLegend(view, arms, "point"),
    ...(fitted ? [{ label: "the model", colour: text, dash: "" }] : []),
    ...(knees > 0 ? [{ label: "knee, and where a level may end", colour: muted, area: 0.25 }] : []),
    ...(caches > 0 ? [{ label: "what the processor says of its caches", colour: muted, dash: "5 3" }] : []),
  ];
}

export const figure: Figure = {
  id: "memory-walks",
  section: { id: "memory", title: "Where do the levels of memory end, and how fast are they?", short: "Memory", before: "clocks" },
  question: kQuestion,
  title: "Bandwidth and latency over buffer size",
  read:
    "A point is a walk over a buffer of that size, the line what the model says, flat where a level holds the whole buffer. " +
    "A shaded band is a knee, where walks go from one level to the next, darker where the capacity may be; a dashed line is what the processor says of a cache: look whether the two agree.",
  draw(view) {
    const all = [...memoryRows<WalkPoint>(view, "bandwidth"), ...memoryRows<WalkPoint>(view, "latency")];
    if (all.length === 0) return null;
    const knees = memoryRows<Knee>(view, "knees");
    const caches = memoryRows<Cache>(view, "hierarchy");
    // The host's caches are those of every arm.
    const told = [...groupBy(caches, ({ cache, told_bytes }) => `${cache} ${told_bytes}`).values()].map(([first]) => first!);
    // Most to see first: what has a model, then what has most sizes.
    const weight = (own: WalkPoint[]): number => own.length + (own.some((point) => point.fitted_ns !== null) ? 1e6 : 0);
    const walks = [...groupBy(all, walkOf)].sort(([, a], [, b]) => weight(b) - weight(a));
    const { shown, note } = bounded(walks, kPanels, "walks", "arms");
    const arms = [...new Set(all.map(({ arm }) => arm))];
    return {
      element: sheet(view, {
        label: "Bandwidth and latency of walks over buffers, by the buffer's size",
        legend: legendOf(view, arms, knees.length, told.length, all.some((point) => point.fitted_ns !== null)),
        xTitle: "buffer size",
        panels: shown.map(([title, own]) => ({
          title,
          subtitle: own[0]!.latency_ns === undefined ? "GB/s" : "time of a load",
          draw: (width: number) => drawPanel(view, own, knees.filter((knee) => walkOf(knee) === title), told, width),
        })),
        least: 380,
        columns: 2,
      }),
      table: {
        columns: ["arm", "operation", "place", "size (B)", "bandwidth (GB/s)", "latency (ns)", "model", "groups"],
        rows: all.map((point): Value[] => [
          point.arm,
          point.operation,
          point.place,
          point.size_bytes,
          point.bandwidth_gb_s ?? null,
          point.latency_ns ?? null,
          fittedOf(point),
          point.groups,
        ]),
      },
      summary: answerOf(view.campaign, kQuestion)?.sentence ?? "",
      note,
    };
  },
};
