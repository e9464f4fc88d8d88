// Per-launch medians as boxes, relative to each size's smallest one: absolute times on a shared axis would make slivers of them.
import * as Plot from "@observablehq/plot";
import type { LaunchMedians } from "../data.ts";
import type { Figure, View } from "../figure.ts";
import { bytes, count, duration, ratio } from "../format.ts";
import { armLegend, armsOf, bySize, type CellPanel, levelsOf, selectedItems } from "./kit/arms.ts";
import { boxes } from "./kit/boxes.ts";
import { type Axis, chart, tips } from "./kit/chart.ts";
import { bounded, joinNotes } from "./kit/facets.ts";
import { sheet } from "./kit/sheet.ts";
import { sharedAxis, type SizeAxis } from "./kit/sizes.ts";
import { levelColumns } from "./kit/table.ts";
import { linearTicks, ratioTick } from "./kit/ticks.ts";

const kPanels = 12;
// Boxes of arms that are farther apart would be slivers again: each arm gets a panel of its own.
const kFarApart = 1.6;

interface Point {
  box: LaunchMedians;
  relative: number;
  launch: number;
  median_ns: number;
}

/** Launches beyond the whiskers. */
export function outliers(box: LaunchMedians): Point[] {
  return box.points
    .filter((point) => point.relative < box.low || point.relative > box.high)
    .map((point) => ({ box, relative: point.relative, launch: point.launch, median_ns: point.median_ns }));
}

/** Panels in which the boxes of one size are comparable. */
export function splitFar(view: View, panel: CellPanel<LaunchMedians>): (CellPanel<LaunchMedians> & { arm: string | null })[] {
  const by_cell = new Map<number, number[]>();
  for (const box of panel.items) by_cell.set(box.cell, [...(by_cell.get(box.cell) ?? []), box.median]);
  const far = [...by_cell.values()].some((medians) => Math.max(...medians) / Math.min(...medians) > kFarApart);
  if (!far) return [{ ...panel, arm: null }];
  return armsOf(view, panel.items).map((arm) => ({ title: panel.title, items: panel.items.filter((box) => box.arm === arm), arm }));
}

function drawPanel(
  view: View,
  items: LaunchMedians[],
  sizes: SizeAxis,
  domain: [number, number],
  width: number,
  height: number,
): SVGSVGElement {
  const { style } = view;
  const left = 46;
  const inner = width - left - 8;
  const arms = armsOf(view, items);
  const y: Axis = { type: "linear", domain, ticks: linearTicks(...domain, 6), format: ratioTick };
  const x: Axis = { type: "linear", domain: sizes.domain, ticks: sizes.ticks(inner), format: (place) => sizes.label(place) };
  const room = Math.min(sizes.step(inner) * 0.8, 26 * arms.length);
  const each = room / arms.length;
  const half = Math.max(1.5, Math.min(9, each * 0.38));
  const at = (box: LaunchMedians): number => sizes.at(levelsOf(view, box).size_bytes);
  const marks: Plot.Markish[] = [Plot.ruleY(domain[0] <= 1 ? [1] : [], { stroke: style.muted })];
  arms.forEach((arm, i) => {
    const { colour, symbol } = style.arm(arm);
    const dx = (i - (arms.length - 1) / 2) * each;
    const own = items.filter((box) => box.arm === arm);
    const far = own.flatMap(outliers);
    marks.push(
      ...boxes(own, at, (box) => box, { colour, half, dx }),
      Plot.dot(far, {
        x: (d: Point) => at(d.box),
        y: "relative",
        dx,
        r: half > 3 ? 2.5 : 1.5,
        symbol,
        stroke: colour,
        fill: style.background,
      }),
    );
  });
  marks.push(
    tips(view, items, {
      x: at,
      y: (box) => box.median,
      text: (box) =>
        `${box.arm}, ${bytes(levelsOf(view, box).size_bytes)}\nmedian ${ratio(box.median)}, half of the launches in ${ratio(box.q1)} to ${ratio(box.q3)}\n` +
        `${box.points.length} launches, ${outliers(box).length} outliers; 1 is ${duration(box.base_ns)}`,
    }),
  );
  return chart(view, { width, height, left, right: 8, x, y, marks });
}

export const figure: Figure = {
  id: "launch-medians",
  section: "launches",
  title: "Medians of the launches",
  read:
    "A box holds the middle half of the launches' medians, its line their median, the whiskers reach to the last launch within one and a half box lengths, and points are launches beyond. " +
    "All are relative to the smallest median of that size, so that 1.1 is a launch that took 10 % longer than the best one: tall boxes mean that a single launch says little.",
  draw(view) {
    const items = selectedItems(view, view.campaign.launch_medians);
    if (items.length === 0) return null;
    const split = bySize(view, items).flatMap((panel) => splitFar(view, panel));
    const { shown, note } = bounded(split, kPanels, "panels");
    const visible = shown.flatMap((panel) => panel.items);
    const sizesOf = (items: typeof visible) => items.map((box) => levelsOf(view, box).size_bytes);
    const axisOf = sharedAxis(
      shown.map((panel) => sizesOf(panel.items)),
      true,
    );
    const arms = armsOf(view, visible);
    const columns = levelColumns(view.campaign.cells);
    const highest = Math.max(...visible.flatMap((box) => box.points.map((point) => point.relative)));
    return {
      element: sheet(view, {
        label: `Medians of launches over message sizes, ${shown.length} panels`,
        legend: armLegend(view, arms, "point"),
        yTitle: "median of a launch / smallest median of this size",
        xTitle: "message size",
        panels: shown.map((panel) => {
          const axis = axisOf(sizesOf(panel.items));
          const values = panel.items.flatMap((box) => [...box.points.map((point) => point.relative), box.low, box.high]);
          const low = panel.arm === null ? Math.min(1, ...values) : Math.min(...values);
          const high = Math.max(...values, low + 0.02);
          const domain: [number, number] = [low - (high - low) * 0.03, high + (high - low) * 0.06];
          return {
            title: panel.title,
            ...(panel.arm === null ? {} : { subtitle: panel.arm }),
            draw: (width) => drawPanel(view, panel.items, axis, domain, width, shown.length === 1 ? 320 : 230),
          };
        }),
        least: 290,
        // Arms of one operation beside each other.
        columns: shown.some((panel) => panel.arm !== null) && arms.length <= 4 ? Math.max(2, arms.length) : 3,
      }),
      table: {
        columns: [...columns.columns, "arm", "launches", "smallest median (ns)", "low", "q1", "median", "q3", "high", "outliers"],
        rows: visible.map((box) => [
          ...columns.of(levelsOf(view, box)),
          box.arm,
          box.points.length,
          box.base_ns,
          box.low,
          box.q1,
          box.median,
          box.q3,
          box.high,
          outliers(box).length,
        ]),
      },
      summary: `Boxes of ${count(visible.length)} cells and arms; the launch farthest from the best one of its size takes ${ratio(highest)} times as long.`,
      note: joinNotes(
        note,
        shown.some((panel) => panel.arm !== null) ? "Where arms are far apart, each has a panel and an axis of its own." : undefined,
      ),
    };
  },
};
