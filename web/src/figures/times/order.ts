// Every observation where and when it was measured, and the machine's own pulse below.
import * as Plot from "@observablehq/plot";
import type { Order, Perturbation } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { count, digits, duration, durationTick, share } from "../../format.ts";
import { cellName } from "../../select.ts";
import { armsOf, boundedPanels, levelsOf, selectedItems } from "../kit/arms.ts";
import { type Axis, chart, frameOf, tips } from "../kit/chart.ts";
import { rasterElement } from "../kit/raster.ts";
import { runtimeTitle } from "../kit/runtime.ts";
import { type LegendEntry, type Panel, sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";
import { linearTicks, logDomain, logTicks } from "../kit/ticks.ts";

const kRasters = 6;
const kLeft = 54;
const kRight = 20;
/** Not the time of day: the axis has only what was measured, launch groups one behind the other (docs/formats.md). */
export const kTimeTitle = "seconds of measuring since the campaign began, without what lies between launch groups";

/** Seconds from the first to the last thing that is drawn. */
export function timeSpan(items: readonly Order[], canary: readonly number[]): [number, number] {
  const ends = [
    ...items.flatMap((item) => [item.seconds[0] ?? 0, item.seconds.at(-1) ?? 0]),
    ...(canary.length > 0 ? [canary[0]!, canary.at(-1)!] : []),
  ];
  if (ends.length === 0) return [0, 1];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  return high > low ? [low, high] : [low, low + 1];
}

/**
 * Rows are equally high; the first and the last one also hold whatever lies beyond, as far as the least and the largest
 * observation. `above_ns`: the largest, where the last row is drawn shorter than it reaches.
 */
export function evenRows(edges: readonly number[]): { rows: number[]; above_ns: number | null } {
  const rows = [...edges];
  if (rows.length < 5) return { rows, above_ns: null };
  const last = rows.length - 1;
  const factor = rows[2]! / rows[1]!;
  const above = rows[last]! > rows[last - 1]! * factor * 1.01;
  const above_ns = above ? rows[last]! : null;
  if (above) rows[last] = rows[last - 1]! * factor;
  if (rows[0]! < (rows[1]! / factor) * 0.99) rows[0] = rows[1]! / factor;
  return { rows, above_ns };
}

function secondsAxis(domain: [number, number], width: number, labelled: boolean): Axis {
  const ticks = labelled ? linearTicks(...domain, Math.max(2, Math.floor(width / 70))) : [];
  return { type: "linear", domain, ticks, format: (second) => `${digits(second, 4).replace(/\.0+$/, "")}\u00a0s` };
}

/** Stretches whose slowdown is written: the largest first, and only where they have room. */
export function labelled(slow: readonly Perturbation[], span: [number, number], width: number): Perturbation[] {
  const chosen: Perturbation[] = [];
  const pixels = (one: Perturbation): number => (((one.begin_s + one.end_s) / 2 - span[0]) / (span[1] - span[0])) * width;
  for (const one of [...slow].sort((a, b) => b.slowdown - a.slowdown)) {
    if (chosen.every((other) => Math.abs(pixels(other) - pixels(one)) > 46)) chosen.push(one);
  }
  return chosen;
}

/** Stretches that ran slower: shaded, with a bar on top that can be seen however short they are, and a word. */
function stretches(view: View, slow: readonly Perturbation[], words: readonly Perturbation[], y: [number, number]): Plot.Markish[] {
  const { style } = view;
  const middle = (d: Perturbation): number => (d.begin_s + d.end_s) / 2;
  return [
    Plot.rect(slow, { x1: "begin_s", x2: "end_s", y1: y[0], y2: y[1], fill: style.warn, fillOpacity: 0.12, clip: true }),
    Plot.ruleX(slow, { x: middle, y1: y[0], y2: y[1], stroke: style.warn, strokeWidth: 1, strokeOpacity: 0.2, clip: true }),
    Plot.ruleY(slow, { x1: "begin_s", x2: "end_s", y: y[1], stroke: style.warn, strokeWidth: 3 }),
    Plot.dot(slow, {
      x: middle,
      y: y[1],
      symbol: { draw: (path: { rect(x: number, y: number, w: number, h: number): void }) => path.rect(-1.25, -1.5, 2.5, 3) },
      r: 1,
      fill: style.warn,
    }),
    Plot.text(words, {
      x: middle,
      y: y[1],
      dy: -8,
      text: (d: Perturbation) => `+${share(d.slowdown)}`,
      fill: style.warn,
      fontSize: 11,
      fontWeight: 600,
    }),
  ];
}

function drawRaster(
  view: View,
  item: Order,
  span: [number, number],
  slow: readonly Perturbation[],
  width: number,
  words: boolean,
): SVGSVGElement {
  const { style } = view;
  const height = 128;
  const { rows } = evenRows(item.ns);
  const low = rows[0] ?? 1;
  const high = rows.at(-1) ?? 10;
  const y: Axis = { type: "log", domain: [low, high], ticks: logTicks(low, high, 5), format: durationTick, grid: false };
  const x = secondsAxis(span, width, true);
  const margins = { left: kLeft, right: kRight, top: 18, bottom: 22 };
  const frame = frameOf(margins);
  const inside = { left: frame.left, top: frame.top, width: width - frame.left - frame.right, height: height - frame.top - frame.bottom };
  // A short line for each column: columns without a visit stay empty.
  const inner = { low, high };
  const medians = item.median_ns.flatMap((ns, i) =>
    ns === null ? [] : [{ ns: Math.min(inner.high, Math.max(inner.low, ns)), from: item.seconds[i] ?? 0, to: item.seconds[i + 1] ?? 0 }],
  );
  const look = style.arm(item.arm);
  const line = { x1: "from", x2: "to", y: "ns" };
  return chart(view, {
    width,
    height,
    ...margins,
    x,
    y,
    marks: [
      ...stretches(view, slow, words ? labelled(slow, span, inside.width) : [], y.domain),
      () => rasterElement({ columns: item.seconds, rows, counts: item.counts }, { x, y }, inside, look.colour),
      Plot.ruleY(medians, { ...line, stroke: style.background, strokeWidth: 4, strokeOpacity: 0.7 }),
      Plot.ruleY(medians, { ...line, stroke: style.text, strokeWidth: 1.75 }),
      Plot.ruleY([y.domain[0]], { stroke: style.faint }),
    ],
  });
}

function drawCanary(view: View, span: [number, number], slow: readonly Perturbation[], width: number): SVGSVGElement {
  const { style } = view;
  const canary = view.campaign.canary!;
  const data = canary.seconds.map((second, i) => ({
    second,
    median: canary.median_ns[i] ?? NaN,
    low: canary.low_ns[i] ?? NaN,
    high: canary.high_ns[i] ?? NaN,
  }));
  const domain = logDomain([...canary.low_ns, ...canary.high_ns]);
  const y: Axis = { type: "log", domain, ticks: logTicks(...domain, 4), format: durationTick };
  return chart(view, {
    width,
    height: 118,
    left: kLeft,
    right: kRight,
    top: 12,
    bottom: 22,
    x: secondsAxis(span, width, true),
    y,
    marks: [
      ...stretches(view, slow, [], domain),
      Plot.areaY(data, { x: "second", y1: "low", y2: "high", fill: style.muted, fillOpacity: 0.28 }),
      Plot.line(data, { x: "second", y: "median", stroke: style.text, strokeWidth: 1.5 }),
      tips(
        view,
        data.filter((d) => Number.isFinite(d.median)),
        {
          x: (d) => d.second,
          y: (d) => d.median,
          text: (d) => `${digits(d.second, 4)} s\ncanary ${duration(d.median)} [${duration(d.low)} to ${duration(d.high)}]`,
        },
      ),
    ],
  });
}

export const figure: Figure = {
  id: "order",
  section: "order",
  title: "Observations in the order of measurement",
  read:
    "Seconds of measuring run from left to right (what lies between launch groups takes no room), each picture is one cell of one arm, and the stronger the colour of a spot the more calls took that long just then; the line is their median, and shaded stretches ran slower as a whole. " +
    "Below is the canary, the round trip of a cache line between two ranks without MPI: where it moves as well, it was the machine and not the library.",
  draw(view) {
    const { campaign, style } = view;
    const items = selectedItems(view, campaign.order).filter((item) => item.counts.length > 0);
    if (items.length === 0) return null;
    const { shown: visible, note } = boundedPanels(view, items, kRasters);
    const span = timeSpan(visible, campaign.canary?.seconds ?? []);
    const slow = campaign.perturbations;
    const legend: LegendEntry[] = [];
    for (const arm of armsOf(view, visible))
      legend.push({ label: `${arm}: faint few, strong many calls`, colour: style.arm(arm).colour, area: 0.6 });
    legend.push({ label: "median", colour: style.text, dash: "" });
    if (slow.length > 0) legend.push({ label: "ran slower (by that much)", colour: style.warn, area: 0.12 });
    const subtitle = (item: Order): string => {
      const { above_ns } = evenRows(item.ns);
      return above_ns === null ? item.arm : `${item.arm}; the top row holds everything up to ${duration(above_ns)}`;
    };
    const panels: Panel[] = visible.map((item, i) => ({
      title: cellName(levelsOf(view, item), campaign.cells),
      subtitle: subtitle(item),
      draw: (width) => drawRaster(view, item, span, slow, width, i === 0),
    }));
    if (campaign.canary) {
      panels.push({ title: "Canary", subtitle: "median, and 5 % to 95 %", draw: (width) => drawCanary(view, span, slow, width) });
    }
    const columns = levelColumns(campaign.cells);
    const rows = visible.flatMap((item) =>
      item.median_ns.map((ns, i) => [
        ...columns.of(levelsOf(view, item)),
        item.arm,
        item.seconds[i] ?? null,
        item.seconds[i + 1] ?? null,
        ns,
      ]),
    );
    const canary = campaign.canary;
    return {
      element: sheet(view, {
        label: `Observations over time, ${visible.length} cells and arms${canary ? ", with the canary" : ""}`,
        legend,
        yTitle: `${runtimeTitle(campaign, visible)} (logarithmic)`,
        xTitle: kTimeTitle,
        panels,
        columns: 1,
        least: 300,
      }),
      table: {
        columns: [...columns.columns, "arm", "from (s)", "to (s)", "median (ns)"],
        rows: [
          ...rows,
          ...(canary
            ? canary.seconds.map((second, i) => [
                "canary",
                ...columns.columns.slice(1).map(() => null),
                null,
                second,
                null,
                canary.median_ns[i] ?? null,
              ])
            : []),
        ],
      },
      summary: `${count(visible.reduce((sum, item) => sum + item.counts.reduce((all, [, , n]) => all + n, 0), 0))} observations; ${slow.length} stretches ran slower.`,
      note,
    };
  },
};
