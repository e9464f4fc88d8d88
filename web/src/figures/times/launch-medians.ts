// Per-launch medians as boxes, each over the smallest median of its own arm and size: so all share one axis, however far apart
// arms and sizes are. Levels of factors inside launches are over the same one, so that they can be compared.
import * as Plot from "@observablehq/plot";
import type { Box, LaunchMedians } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, count, duration, ratio } from "../../format.ts";
import { levelsOf, selectedItems } from "../kit/arms.ts";
import { boxes } from "../kit/boxes.ts";
import { type Axis, chart, tips } from "../kit/chart.ts";
import { bounded } from "../kit/facets.ts";
import { type Series, seriesPanels } from "../kit/levels.ts";
import { sheet } from "../kit/sheet.ts";
import { sharedAxis, type SizeAxis } from "../kit/sizes.ts";
import { levelColumns } from "../kit/table.ts";
import { linearTicks, ratioTick } from "../kit/ticks.ts";

const kPanels = 12;

interface Point {
  box: OwnBox;
  relative: number;
}

/** A box and its points over the smallest of its arm and size: of these points, or of other levels. */
export function leastOf(one: LaunchMedians): number {
  return one.base_ns * Math.min(...one.points.map((point) => point.relative));
}

export interface OwnBox extends Box {
  cell: number;
  arm: string;
  base_ns: number;
  points: number[];
}

export function ownBox(one: LaunchMedians, smallest_ns = leastOf(one)): OwnBox {
  const least = smallest_ns / one.base_ns;
  return {
    cell: one.cell,
    arm: one.arm,
    base_ns: one.base_ns * least,
    points: one.points.map((point) => point.relative / least),
    low: one.low / least,
    q1: one.q1 / least,
    median: one.median / least,
    q3: one.q3 / least,
    high: one.high / least,
  };
}

/** Launches beyond the whiskers. */
export function outliers(box: OwnBox): Point[] {
  return box.points.filter((relative) => relative < box.low || relative > box.high).map((relative) => ({ box, relative }));
}

/** One axis for all boxes: with all whiskers, and with outliers that do not flatten them (the others get an arrow). */
export function boxDomain(all: readonly OwnBox[]): [number, number] {
  const whisker = Math.max(...all.map((box) => box.high), 1.02);
  const highest = Math.max(...all.flatMap((box) => box.points), whisker);
  const top = Math.min(highest, 1 + (whisker - 1) * 1.6);
  return [1 - (top - 1) * 0.04, top + (top - 1) * 0.08];
}

function drawPanel(
  view: View,
  series: Series<OwnBox>[],
  sizes: SizeAxis,
  domain: [number, number],
  width: number,
  height: number,
): SVGSVGElement {
  const { style } = view;
  const left = 46;
  const inner = width - left - 8;
  const y: Axis = { type: "linear", domain, ticks: linearTicks(...domain, 6), format: ratioTick };
  const x: Axis = { type: "linear", domain: sizes.domain, ticks: sizes.ticks(inner), format: (place) => sizes.label(place) };
  const room = Math.min(sizes.step(inner) * 0.8, 26 * series.length);
  const each = room / series.length;
  const half = Math.max(1.5, Math.min(9, each * 0.38));
  const at = (box: OwnBox): number => sizes.at(levelsOf(view, box).size_bytes);
  const marks: Plot.Markish[] = [Plot.ruleY([1], { stroke: style.muted })];
  series.forEach(({ style: look, items: own }, i) => {
    const { colour, symbol } = look;
    const dx = (i - (series.length - 1) / 2) * each;
    const far = own.flatMap(outliers);
    const beyond = far.filter((point) => point.relative > domain[1]);
    marks.push(
      ...boxes(own, at, (box) => box, { colour, half, dx }),
      Plot.text(beyond, { x: (d: Point) => at(d.box), y: domain[1], text: () => "↑", dx, dy: -4, fill: colour, fontSize: 12 }),
      Plot.dot(far.filter((point) => point.relative <= domain[1]), {
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
    tips(view, series.flatMap(({ name, items }) => items.map((box) => ({ ...box, name }))), {
      x: at,
      y: (box) => box.median,
      text: (box) =>
        `${box.name}, ${bytes(levelsOf(view, box).size_bytes)}\nmedian ${ratio(box.median)}, half of the launches in ${ratio(box.q1)} to ${ratio(box.q3)}\n` +
        `${box.points.length} launches, ${outliers(box).length} outliers, the largest ${ratio(Math.max(...box.points))}; 1 is ${duration(box.base_ns)}`,
    }),
  );
  return chart(view, { width, height, left, right: 8, x, y, marks });
}

export const figure: Figure = {
  id: "launch-medians",
  section: "launches",
  title: "Medians of the launches",
  read:
    "A box holds the middle half of the launches' medians, its line their median, the whiskers reach to the last launch within one and a half box lengths, and points are launches beyond (arrows: beyond the axis). " +
    "All are over the smallest median of that arm and size, so that 1.1 is a launch that took 10 % longer than the arm's best one; levels that were measured in the same launches stand side by side over the same one, and tall boxes mean that a single launch says little.",
  draw(view) {
    const items = selectedItems(view, view.campaign.launch_medians).filter((item) => item.points.length > 0);
    if (items.length === 0) return null;
    const { shown, note } = bounded(seriesPanels(view, items), kPanels, "panels");
    const panels = shown.map((panel) => {
      const least = new Map<string, number>();
      const place = (one: LaunchMedians): string => JSON.stringify([one.arm, levelsOf(view, one).size_bytes]);
      for (const one of panel.series.flatMap((series) => series.items)) {
        least.set(place(one), Math.min(least.get(place(one)) ?? Infinity, leastOf(one)));
      }
      return { ...panel, series: panel.series.map((series) => ({ ...series, items: series.items.map((one) => ownBox(one, least.get(place(one)))) })) };
    });
    const itemsOf = (panel: (typeof panels)[number]): OwnBox[] => panel.series.flatMap((series) => series.items);
    const visible = panels.flatMap(itemsOf);
    const looks = new Map(panels.flatMap((panel) => panel.series.map(({ name, style }) => [name, style])));
    const sizesOf = (items: typeof visible) => items.map((box) => levelsOf(view, box).size_bytes);
    const axisOf = sharedAxis(
      panels.map((panel) => sizesOf(itemsOf(panel))),
      true,
    );
    const domain = boxDomain(visible);
    const columns = levelColumns(view.campaign.cells);
    const highest = Math.max(...visible.flatMap((box) => box.points));
    return {
      element: sheet(view, {
        label: `Medians of launches over message sizes, ${panels.length} panels`,
        legend: [...looks].map(([label, { colour, symbol }]) => ({ label, colour, symbol })),
        yTitle: "median of a launch / smallest median of this arm and size",
        xTitle: "message size",
        panels: panels.map((panel) => ({
          ...panel,
          draw: (width: number) =>
            drawPanel(view, panel.series, axisOf(sizesOf(itemsOf(panel))), domain, width, panels.length === 1 ? 320 : 230),
        })),
        least: 290,
        columns: 3,
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
      summary: `Boxes of ${count(visible.length)} cells and arms; the launch farthest from the best one of its arm and size takes ${ratio(highest)} times as long.`,
      note,
    };
  },
};
