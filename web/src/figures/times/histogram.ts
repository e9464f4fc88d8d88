// Histograms of the raw observations, one row an arm: shapes beside each other hide nothing of one another.
import * as Plot from "@observablehq/plot";
import type { Distribution } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { count, duration, share } from "../../format.ts";
import { armLegend, armsOf, levelsOf } from "../kit/arms.ts";
import { chart } from "../kit/chart.ts";
import { binRange, chosenCells, timeAxis } from "../kit/observations.ts";
import { runtimeTitle } from "../kit/runtime.ts";
import { sheet, svgElement } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";

interface Bin {
  low: number;
  high: number;
  count: number;
}

export function binsOf(distribution: Distribution): Bin[] {
  const { low_ns, width_ns, counts } = distribution.bins;
  const width = width_ns > 0 ? width_ns : Math.max(low_ns * 0.002, 0.5);
  return counts.map((number, i) => ({ low: low_ns + i * width, high: low_ns + (i + 1) * width, count: number }));
}

/** What stands at the ends: observations that the bins leave out. */
function beyond(distribution: Distribution): { below: string; above: string } {
  const of = (number: number): string => share(number / distribution.observations);
  return {
    below: distribution.below > 0 ? `← ${of(distribution.below)} beyond` : "",
    above: distribution.above > 0 ? `${of(distribution.above)} beyond →` : "",
  };
}

function drawRow(view: View, item: Distribution, range: [number, number], width: number, last: boolean): SVGSVGElement {
  const { style } = view;
  const look = style.arm(item.arm);
  const bins = binsOf(item);
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const { axis } = timeAxis(range[0], range[1], width - 32);
  const ends = beyond(item);
  // Between wide bars only: narrow ones would fade.
  const gap = (item.bins.width_ns / (range[1] - range[0])) * (width - 32) > 4 ? 0.5 : 0;
  return chart(view, {
    width,
    height: last ? 84 : 62,
    left: 16,
    right: 16,
    top: 8,
    bottom: last ? 24 : 2,
    x: last ? axis : { ...axis, ticks: [] },
    y: { type: "linear", domain: [0, most * (ends.above || ends.below ? 1.32 : 1.06)], ticks: [0], format: () => "", grid: false },
    marks: [
      Plot.rect(bins, { x1: "low", x2: "high", y1: 0, y2: "count", fill: look.colour, fillOpacity: 0.75, insetRight: gap }),
      Plot.ruleY([0], { stroke: style.muted }),
      Plot.text([ends.above], {
        frameAnchor: "top-right",
        text: (d: string) => d,
        fill: style.muted,
        fontSize: 11,
        dy: -2,
        stroke: style.background,
        strokeWidth: 3,
      }),
      Plot.text([ends.below], {
        frameAnchor: "top-left",
        text: (d: string) => d,
        fill: style.muted,
        fontSize: 11,
        dy: -2,
        stroke: style.background,
        strokeWidth: 3,
      }),
      Plot.tip(bins, {
        ...Plot.pointerX({ x: (d: Bin) => (d.low + d.high) / 2, y: "count" }),
        title: (d: Bin) =>
          `${item.arm}\n${duration(d.low)} to ${duration(d.high)}\n${count(d.count)} of ${count(item.observations)} observations`,
        fill: style.surface,
        stroke: style.muted,
        fontSize: 12,
      }),
    ],
  });
}

function drawCell(view: View, items: Distribution[], width: number): SVGSVGElement {
  const root = svgElement("svg", { width });
  const range = binRange(items);
  const arms = armsOf(view, items);
  let y = 0;
  arms.forEach((arm, i) => {
    const row = drawRow(
      view,
      items.find((item) => item.arm === arm)!,
      range,
      width,
      i + 1 === arms.length,
    );
    row.setAttribute("y", String(y));
    y += Number(row.getAttribute("height"));
    root.append(row);
  });
  root.setAttribute("height", String(y));
  root.style.overflow = "visible";
  return root;
}

export const figure: Figure = {
  id: "histogram",
  section: "distribution",
  title: "Histograms of the observations",
  read:
    "Each row holds all observations of one arm in one cell, launches together: the higher a bar, the more calls took that long, and what lies outside the bars is written at the ends. " +
    "Two hills are two ways in which a call can go, such as two placements of the ranks, and a mean would stand between them where there is nothing.",
  draw(view) {
    const { cells, note } = chosenCells(view, view.campaign.distributions);
    if (cells.length === 0) return null;
    const visible = cells.flatMap((cell) => cell.items);
    const columns = levelColumns(view.campaign.cells);
    return {
      element: sheet(view, {
        label: `Histograms of observations of ${cells.length} cells`,
        legend: armLegend(view, armsOf(view, visible), "point"),
        yTitle: "observations in a bin, each row to its own highest bar",
        xTitle: runtimeTitle(view.campaign, visible),
        panels: cells.map((cell) => ({ title: cell.title, draw: (width) => drawCell(view, cell.items, width) })),
        least: 280,
        columns: 3,
        gap: 28,
      }),
      table: {
        columns: [...columns.columns, "arm", "from (ns)", "to (ns)", "observations"],
        rows: visible.flatMap((item) =>
          binsOf(item).map((bin) => [...columns.of(levelsOf(view, item)), item.arm, bin.low, bin.high, bin.count]),
        ),
      },
      summary: `${count(visible.reduce((sum, item) => sum + item.observations, 0))} observations of ${cells.length} cells.`,
      note,
    };
  },
};
