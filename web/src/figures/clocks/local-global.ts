// Two ways to take the time of the same repetitions (paper 002, figure 3).
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { LocalGlobalCell } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { digits, duration, durationTick, interval, ratio, timeUnit } from "../../format.ts";
import { hasArm, hasLevels } from "../../select.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, intervalsX, points, tips } from "../kit/chart.ts";
import { bounded } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { rowName, syncPanels } from "../kit/sync.ts";
import { levelColumns } from "../kit/table.ts";
import { linearDomain, linearTicks } from "../kit/ticks.ts";

const kPanels = 12;

function drawPanel(view: View, cells: LocalGlobalCell[], among: readonly LocalGlobalCell[], width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(cells.map((cell) => rowName(cell, among)));
  const most = width * 0.4;
  const left = rows.margin(view, most);
  const right = width >= 300 ? 48 : 12;
  const domain = linearDomain(
    cells.flatMap((d) => [d.median_a_ns, d.low_a_ns, d.high_a_ns, d.median_b_ns, d.low_b_ns, d.high_b_ns]),
    0.08,
  );
  const unit = timeUnit(domain[1]);
  const ticks = linearTicks(domain[0] / unit.factor, domain[1] / unit.factor, Math.max(2, Math.floor((width - left - right) / 58))).map(
    (tick) => tick * unit.factor,
  );
  const x: Axis = { type: "linear", domain, ticks, format: (ns) => (ns === 0 ? "0" : durationTick(Number(ns.toPrecision(6)))), grid: true };
  const y = (d: LocalGlobalCell): number => rows.at(rowName(d, among));
  const local = style.series("role", 0);
  const global = style.series("role", 1);
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 30) + 40,
    left,
    right,
    top: 6,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      Plot.ruleY(cells, { x1: "median_a_ns", x2: "median_b_ns", y, stroke: style.muted, strokeWidth: 1.5, strokeOpacity: 0.6 }),
      intervalsX(cells, { y, low: (d) => d.low_a_ns, high: (d) => d.high_a_ns }, { colour: local.colour, width: 2.5 }),
      intervalsX(cells, { y, low: (d) => d.low_b_ns, high: (d) => d.high_b_ns }, { colour: global.colour, width: 2.5 }),
      points(
        view,
        cells.filter((d) => d.median_a_ns !== null),
        { x: (d) => d.median_a_ns!, y },
        { series: local },
      ),
      points(
        view,
        cells.filter((d) => d.median_b_ns !== null),
        { x: (d) => d.median_b_ns!, y },
        { series: global },
      ),
      Plot.text(width >= 300 ? cells : [], {
        x: domain[1],
        y,
        dx: 6,
        textAnchor: "start",
        fontSize: 11,
        fill: style.text,
        text: (d: LocalGlobalCell) => (d.ratio === null ? "" : `×${digits(d.ratio, 3)}`),
      }),
      rows.labels(view, most, width),
      tips(
        view,
        cells.filter((d) => d.median_a_ns !== null),
        {
          x: (d) => d.median_a_ns!,
          y,
          text: (d) =>
            `${rowName(d, among)}\nlocal ${duration(d.median_a_ns)}, global ${duration(d.median_b_ns)}\nglobal / local ${ratio(d.ratio)} [${interval(d.ratio_low, d.ratio_high, ratio)}]\n` +
            `ranks start ${duration(d.skew_ns)} apart`,
        },
      ),
    ],
  });
}

export const figure: Figure = {
  id: "local-global",
  section: "clocks",
  question: "local-global",
  title: "Local against global run-time",
  read:
    "Both points belong to the same repetitions: local is the longest time that one rank spent in the call, global the time from the first rank's entry to the last one's exit; the number at the end is global divided by local. " +
    "Where ranks do not start together, the wait for the latest one is in the global time and only partly in the local one, and the two points move apart.",
  draw(view) {
    const answer = answerOf(view.campaign, "local-global");
    if (!answer) return null;
    const all = rowsOf<LocalGlobalCell>(tableOf(answer, "cells"));
    const cells = all.filter(
      (cell) =>
        cell.regime === null &&
        hasLevels(view.selection, cell) &&
        hasArm(view.selection, cell.arm) &&
        (cell.median_a_ns !== null || cell.median_b_ns !== null),
    );
    if (cells.length === 0) return null;
    const arms = new Set(all.map((cell) => cell.arm)).size;
    const { shown, note } = bounded(
      syncPanels(cells, (cell) => (arms > 1 ? cell.arm : "")),
      kPanels,
      "panels",
    );
    const visible = shown.flatMap((panel) => panel.cells);
    const columns = levelColumns(all);
    const { style } = view;
    return {
      element: sheet(view, {
        label: "Local and global run-times by synchronisation",
        legend: [
          { label: "local run-time", colour: style.series("role", 0).colour, symbol: style.series("role", 0).symbol },
          { label: "global run-time", colour: style.series("role", 1).colour, symbol: style.series("role", 1).symbol },
        ],
        xTitle: "run-time of a call over launches, with interval",
        panels: shown.map((panel) => ({
          title: panel.title,
          subtitle: panel.subtitle,
          draw: (width) => drawPanel(view, panel.cells, all, width),
        })),
        least: 320,
        columns: 3,
      }),
      table: {
        columns: [
          ...columns.columns,
          "arm",
          "local (ns)",
          "local low (ns)",
          "local high (ns)",
          "global (ns)",
          "global low (ns)",
          "global high (ns)",
          "global/local",
          "low",
          "high",
          "start skew (ns)",
          "local to first",
          "global to first",
        ],
        rows: visible.map((d) => [
          ...columns.of(d),
          d.arm,
          d.median_a_ns,
          d.low_a_ns,
          d.high_a_ns,
          d.median_b_ns,
          d.low_b_ns,
          d.high_b_ns,
          d.ratio,
          d.ratio_low,
          d.ratio_high,
          d.skew_ns,
          d.local_to_first,
          d.global_to_first,
        ]),
      },
      summary: answer.sentence,
      note,
    };
  },
};
