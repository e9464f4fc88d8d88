// The medians of the launches one after the other, with their intervals.
import * as Plot from "@observablehq/plot";
import type { LaunchMedians } from "../data.ts";
import type { Figure, View } from "../figure.ts";
import { count, duration, interval } from "../format.ts";
import { armLegend, armsOf, levelsOf } from "./kit/arms.ts";
import { type Axis, chart, intervals, points, tips } from "./kit/chart.ts";
import { chosenCells, timeAxis } from "./kit/observations.ts";
import { sheet } from "./kit/sheet.ts";
import { levelColumns } from "./kit/table.ts";
import { linearTicks } from "./kit/ticks.ts";

type Point = LaunchMedians["points"][number] & { arm: string };

function drawCell(view: View, items: LaunchMedians[], width: number): SVGSVGElement {
  const { style, campaign } = view;
  const arms = armsOf(view, items);
  const all = items.flatMap((item) => item.points.map((point): Point => ({ ...point, arm: item.arm })));
  const values = all.flatMap((d) => [d.median_ns, d.low_ns ?? d.median_ns, d.high_ns ?? d.median_ns]);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = Math.max((high - low) * 0.06, high * 1e-3);
  const scale = timeAxis(Math.max(low - margin, low * 0.9), high + margin, 300).axis;
  const y: Axis = { ...scale, grid: true };
  const groups = all.map((d) => d.group);
  const domain: [number, number] = [Math.min(...groups) - 0.6, Math.max(...groups) + 0.6];
  const x: Axis = {
    type: "linear",
    domain,
    ticks: linearTicks(Math.min(...groups), Math.max(...groups), 6).filter(Number.isInteger),
    format: (group) => String(group),
  };
  const marks: Plot.Markish[] = [];
  arms.forEach((arm, i) => {
    const look = style.arm(arm);
    const own = all.filter((d) => d.arm === arm).sort((a, b) => a.group - b.group || a.launch - b.launch);
    const over = campaign.times.filter((time) => time.arm === arm && time.cell === items[0]!.cell);
    const at = { x: (d: Point) => d.group, y: (d: Point) => d.median_ns };
    const dx = (i - (arms.length - 1) / 2) * 3;
    marks.push(
      Plot.rect(
        over.filter((time) => time.low_ns !== null),
        { x1: domain[0], x2: domain[1], y1: "low_ns", y2: "high_ns", fill: look.colour, fillOpacity: 0.18 },
      ),
      Plot.ruleY(over, { y: "median_ns", stroke: look.colour, strokeWidth: 1, strokeDasharray: look.dash || "none" }),
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
    "Each point is the median of one launch, in the order in which they were made; the line across is the median over all launches of that arm and the shaded band its interval. " +
    "Points far from the band show that launches differ although nothing was changed, which is why a launch and not a call is the unit that counts.",
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
        xTitle: "launch group, in order",
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
      note,
    };
  },
};
