// The medians of the launches one after the other, with their intervals, and beside them the estimate over all of them.
import * as Plot from "@observablehq/plot";
import type { LaunchMedians } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { count, duration, interval } from "../../format.ts";
import { armLegend, armsOf, levelsOf } from "../kit/arms.ts";
import { type Axis, chart, intervals, points, tips } from "../kit/chart.ts";
import { chosenCells, timeAxis } from "../kit/observations.ts";
import { joinNotes } from "../kit/facets.ts";
import { regimesNote } from "../kit/regimes.ts";
import { sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";
import { linearTicks } from "../kit/ticks.ts";

/**
 * Places on the axis of launches: groups up to `end`, and beyond it, around `all`, the estimates over all of them, `step` apart.
 */
export function launchPlaces(groups: readonly number[], arms: number): { domain: [number, number]; end: number; all: number; step: number } {
  const first = Math.min(...groups) - 0.6;
  const end = Math.max(...groups) + 0.6;
  const step = 0.045 * (end - first);
  const all = end + (step * (arms + 1)) / 2;
  return { domain: [first, end + step * (arms + 1)], end, all, step };
}

type Point = LaunchMedians["points"][number] & { arm: string };

function drawCell(view: View, items: LaunchMedians[], width: number): SVGSVGElement {
  const { style, campaign } = view;
  const arms = armsOf(view, items);
  const all = items.flatMap((item) => item.points.map((point): Point => ({ ...point, arm: item.arm })));
  const over = campaign.times.filter((time) => time.cell === items[0]!.cell && arms.includes(time.arm));
  const values = [...all, ...over].flatMap((d) => [d.median_ns, d.low_ns ?? d.median_ns, d.high_ns ?? d.median_ns]);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max((high - low) * 0.06, high * 1e-3);
  const scale = timeAxis(Math.max(low - margin, low * 0.9), high + margin, 300).axis;
  const y: Axis = { ...scale, grid: true };
  const { domain, end, all: whole, step } = launchPlaces(all.map((d) => d.group), arms.length);
  const x: Axis = {
    type: "linear",
    domain,
    ticks: [...linearTicks(domain[0] + 0.6, end - 0.6, 6).filter((group) => Number.isInteger(group) && whole - group > 0.12 * (domain[1] - domain[0])), whole],
    format: (group) => (group === whole ? "all" : String(group)),
  };
  const marks: Plot.Markish[] = [Plot.ruleX([end], { stroke: style.faint, strokeWidth: 1.5 })];
  arms.forEach((arm, i) => {
    const look = style.arm(arm);
    const own = all.filter((d) => d.arm === arm).sort((a, b) => a.group - b.group || a.launch - b.launch);
    const median = over.filter((time) => time.arm === arm);
    const place = (): number => whole + (i - (arms.length - 1) / 2) * step;
    const at = { x: (d: Point) => d.group, y: (d: Point) => d.median_ns };
    const dx = (i - (arms.length - 1) / 2) * 3;
    marks.push(
      Plot.ruleY(median, { x1: domain[0], x2: end, y: "median_ns", stroke: look.colour, strokeWidth: 1, strokeDasharray: look.dash || "none" }),
      intervals(median, { x: place, low: (d) => d.low_ns, high: (d) => d.high_ns }, { colour: look.colour, width: 2 }),
      points(view, median, { x: place, y: (d) => d.median_ns }, { series: look, r: 4 }),
      intervals(own, { x: at.x, low: (d) => d.low_ns ?? null, high: (d) => d.high_ns ?? null }, { colour: look.colour, dx }),
      points(view, own, at, { series: look, r: own.length > 40 ? 2 : 3, dx }),
    );
  });
  marks.push(
    tips(view, all, {
      x: (d) => d.group,
      y: (d) => d.median_ns,
      text: (d) =>
        `${d.arm}, launch ${d.launch} (group ${d.group})\nmedian ${duration(d.median_ns)}` +
        (d.low_ns === null || d.low_ns === undefined ? "" : ` [${interval(d.low_ns, d.high_ns, (ns) => duration(ns))}]`),
    }),
  );
  return chart(view, { width, height: 210, left: 56, right: 8, x, y, marks });
}

export const figure: Figure = {
  id: "medians-over-launches",
  section: "launches",
  title: "Launch after launch",
  read:
    "Each point is the median of one launch, in the order in which they were made; the line across is the arm's time over all launches (Hodges and Lehmann's estimate, of fewer than six their geometric mean), whose interval stands at its end. " +
    "Points far from that interval show that launches differ although nothing was changed, which is why a launch and not a call is the unit that counts.",
  draw(view) {
    const many = view.campaign.launch_medians.filter((item) => item.points.length > 0);
    const { cells, note } = chosenCells(view, many);
    if (cells.length === 0) return null;
    const visible = cells.flatMap((cell) => cell.items);
    const columns = levelColumns(view.campaign.cells);
    return {
      element: sheet(view, {
        label: `Medians of launches in order, ${cells.length} cells`,
        legend: armLegend(view, armsOf(view, visible), "both"),
        yTitle: "median of a launch (each panel has its own axis)",
        xTitle: "launch group, in order; all of them at the end",
        panels: cells.map((cell) => ({ title: cell.title, draw: (width) => drawCell(view, cell.items, width) })),
        least: 280,
        columns: 3,
        gap: 24,
      }),
      table: {
        columns: [...columns.columns, "arm", "group", "launch", "median (ns)", "low (ns)", "high (ns)", "over the smallest"],
        rows: visible.flatMap((item) =>
          item.points.map((d) => [
            ...columns.of(levelsOf(view, item)),
            item.arm,
            d.group,
            d.launch,
            d.median_ns,
            d.low_ns ?? null,
            d.high_ns ?? null,
            d.relative,
          ]),
        ),
      },
      summary: `${count(visible.reduce((sum, item) => sum + item.points.length, 0))} medians of launches.`,
      note: joinNotes(regimesNote(view), note),
    };
  },
};
