// Shapes of the distributions by level (paper 000, figure 5).
import * as Plot from "@observablehq/plot";
import type { Factors } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { count, duration } from "../../format.ts";
import { chart } from "../kit/chart.ts";
import { groupBy } from "../kit/facets.ts";
import { boundedTargets, factorWord, targetsOf } from "../kit/factors.ts";
import { timeAxis } from "../kit/observations.ts";
import { sheet, svgElement } from "../kit/sheet.ts";

const kPanels = 12;
const kLevels = 6;

type Bin = Factors["figures"]["histograms"][number];

function drawPanel(view: View, factor: string, levels: [string, Bin[]][], width: number): SVGSVGElement {
  const { style } = view;
  const root = svgElement("svg", { width });
  root.style.overflow = "visible";
  const all = levels.flatMap(([, bins]) => bins);
  const low = Math.min(...all.map((bin) => bin.low_ns));
  const high = Math.max(...all.map((bin) => bin.high_ns));
  const most = Math.max(...all.map((bin) => bin.density_per_ns), 1e-12);
  const { axis } = timeAxis(low, high, width - 32, false);
  let y = 0;
  levels.forEach(([level, bins], i) => {
    const last = i + 1 === levels.length;
    const look = factor === "arm" ? style.arm(level) : style.series("level", i);
    const row = chart(view, {
      width,
      height: last ? 80 : 58,
      left: 16,
      right: 16,
      top: 6,
      bottom: last ? 24 : 2,
      x: last ? axis : { ...axis, ticks: [] },
      y: { type: "linear", domain: [0, most * 1.3], ticks: [0], format: () => "", grid: false },
      marks: [
        Plot.rect(bins, {
          x1: "low_ns",
          x2: "high_ns",
          y1: 0,
          y2: "density_per_ns",
          fill: look.colour,
          fillOpacity: 0.75,
          insetRight: 0.5,
        }),
        Plot.ruleY([0], { stroke: style.muted }),
        Plot.text([level], {
          frameAnchor: "top-right",
          text: (d: string) => d,
          fill: look.colour,
          fontSize: 11,
          fontWeight: 600,
          stroke: style.background,
          strokeWidth: 3,
        }),
        Plot.tip(bins, {
          ...Plot.pointerX({ x: (d: Bin) => (d.low_ns + d.high_ns) / 2, y: "density_per_ns" }),
          title: (d: Bin) => `${level}\n${duration(d.low_ns)} to ${duration(d.high_ns)}: ${count(d.count)} observations`,
          fill: style.surface,
          stroke: style.muted,
          fontSize: 12,
        }),
      ],
    });
    row.setAttribute("y", String(y));
    y += Number(row.getAttribute("height"));
    root.append(row);
  });
  root.setAttribute("height", String(y));
  return root;
}

export const figure: Figure = {
  id: "factor-histograms",
  section: "factors",
  title: "Distributions at each level",
  read:
    "Each row has the observations at one level of a factor, with all other factors at their first level; rows of a panel share both axes, so that their areas are alike. " +
    "Levels can shift a distribution, widen it or give it a second hill, and only the first of these would be seen in a mean.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const all = targetsOf(view, data).flatMap((target) =>
      [
        ...groupBy(
          data.figures.histograms.filter((bin) => bin.target === target.index),
          (bin) => bin.factor,
        ),
      ].map(([factor, bins]) => ({
        target,
        factor,
        levels: [...groupBy(bins, (bin) => bin.level)],
      })),
    );
    if (all.length === 0) return null;
    const { shown, note } = boundedTargets(all, kPanels);
    const more = shown.some((panel) => panel.levels.length > kLevels);
    return {
      element: sheet(view, {
        label: "Histograms of run-times by level of factors",
        yTitle: "density",
        xTitle: "run-time of a call",
        panels: shown.map((panel) => ({
          title: factorWord(panel.factor),
          subtitle: panel.target.name,
          draw: (width) => drawPanel(view, panel.factor, panel.levels.slice(0, kLevels), width),
        })),
        least: 260,
        columns: 3,
        gap: 28,
      }),
      table: {
        columns: ["operation", "size (B)", "factor", "level", "from (ns)", "to (ns)", "observations", "density (1/ns)"],
        rows: shown.flatMap((panel) =>
          panel.levels.flatMap(([level, bins]) =>
            bins.map((bin) => [
              panel.target.operation,
              panel.target.size_bytes,
              panel.factor,
              level,
              bin.low_ns,
              bin.high_ns,
              bin.count,
              bin.density_per_ns,
            ]),
          ),
        ),
      },
      summary: `${shown.length} factors, operations and sizes.`,
      note:
        [note, more ? `The first ${kLevels} levels of a factor are drawn; the table has all of them.` : ""].filter(Boolean).join(" ") ||
        undefined,
    };
  },
};
