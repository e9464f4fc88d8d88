// How often verdicts on equal arms are wrong.
import * as Plot from "@observablehq/plot";
import type { SelfTest, SelfTestTables } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { interval, share } from "../../format.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, intervalsX, points, tips } from "../kit/chart.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { linearTicks, percentTick } from "../kit/ticks.ts";
import { tablesName } from "./self-test-power.ts";

/** Share of the tables of equal arms in which at least one verdict claims a difference. */
export function wrongShare(tables: SelfTestTables): number {
  return tables.tables > 0 ? tables.tables_wrong / tables.tables : 0;
}

function drawTables(view: View, data: SelfTest, width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(data.tables.map(tablesName));
  const most = width * 0.44;
  const left = rows.margin(view, most);
  const limit = (d: SelfTestTables): number => (d.tables > 0 ? d.tables_limit / d.tables : 0);
  const high = Math.max(...data.tables.flatMap((d) => [wrongShare(d), limit(d)]), data.alpha) * 1.15;
  const x: Axis = { type: "linear", domain: [-high * 0.03, high], ticks: linearTicks(0, high, 5), format: percentTick, grid: true };
  const y = (d: SelfTestTables): number => rows.at(tablesName(d));
  const bad = (d: SelfTestTables): boolean => d.tables_wrong > d.tables_limit;
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 34) + 40,
    left,
    right: 16,
    top: 14,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      Plot.ruleX([data.alpha], { stroke: style.muted, strokeDasharray: "5 3" }),
      Plot.text([data.alpha], { x: data.alpha, frameAnchor: "top", dy: -10, text: () => "alpha", fill: style.muted, fontSize: 11 }),
      Plot.ruleY(data.tables, { x1: 0, x2: wrongShare, y, stroke: style.muted, strokeWidth: 2 }),
      Plot.ruleX(data.tables, {
        x: limit,
        y1: (d: SelfTestTables) => y(d) - 0.28,
        y2: (d: SelfTestTables) => y(d) + 0.28,
        stroke: style.warn,
        strokeWidth: 2.5,
      }),
      points(
        view,
        data.tables.filter((d) => !bad(d)),
        { x: wrongShare, y },
        { series: style.series("role", 2), r: 5 },
      ),
      points(view, data.tables.filter(bad), { x: wrongShare, y }, { series: { colour: style.warn, symbol: "cross" }, r: 6 }),
      Plot.text(data.tables, {
        x: wrongShare,
        y,
        dx: 9,
        textAnchor: "start",
        text: (d: SelfTestTables) => `${d.tables_wrong} of ${d.tables}`,
        fill: style.text,
        fontSize: 11,
        stroke: style.background,
        strokeWidth: 3,
      }),
      rows.labels(view, most, width, 24),
      tips(view, data.tables, {
        x: wrongShare,
        y,
        text: (d) =>
          `${tablesName(d)}\n${d.tables_wrong} of ${d.tables} tables have a wrong verdict\nup to ${d.tables_limit} can be chance`,
      }),
    ],
  });
}

function drawUncorrected(view: View, data: SelfTest, width: number): SVGSVGElement {
  const { style } = view;
  const own = data.tables.filter((d) => d.uncorrected_share !== null);
  const rows = new Rows(own.map(tablesName));
  const most = width * 0.44;
  const left = rows.margin(view, most);
  const high =
    Math.max(...own.flatMap((d) => [d.uncorrected_share ?? 0, d.uncorrected_high ?? 0]), data.alpha, data.raw_welch_share ?? 0) * 1.1;
  const x: Axis = { type: "linear", domain: [-high * 0.03, high], ticks: linearTicks(0, high, 5), format: percentTick, grid: true };
  const y = (d: SelfTestTables): number => rows.at(tablesName(d));
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 34) + 40,
    left,
    right: 16,
    top: 28,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      Plot.ruleX([data.alpha], { stroke: style.muted, strokeDasharray: "5 3" }),
      Plot.text([data.alpha], { x: data.alpha, frameAnchor: "top", dy: -10, text: () => "alpha", fill: style.muted, fontSize: 11 }),
      Plot.ruleX(data.raw_welch_share === null ? [] : [data.raw_welch_share], { stroke: style.warn, strokeWidth: 1.5 }),
      Plot.text(data.raw_welch_share === null ? [] : [data.raw_welch_share], {
        x: (d: number) => d,
        frameAnchor: "top",
        dy: -24,
        textAnchor: "end",
        text: (d: number) => `t test of all repetitions: ${share(d)}`,
        fill: style.warn,
        fontSize: 11,
      }),
      intervalsX(own, { y, low: (d) => d.uncorrected_low, high: (d) => d.uncorrected_high }, { colour: style.series("role", 2).colour, width: 2 }),
      points(view, own, { x: (d) => d.uncorrected_share!, y }, { series: style.series("role", 2), r: 5 }),
      rows.labels(view, most, width, 24),
      tips(view, own, {
        x: (d) => d.uncorrected_share!,
        y,
        text: (d) =>
          `${tablesName(d)}\n${share(d.uncorrected_share)} of single tests [${interval(d.uncorrected_low, d.uncorrected_high, share)}]`,
      }),
    ],
  });
}

export const figure: Figure = {
  id: "self-test-errors",
  section: "self-test",
  title: "Verdicts on equal arms",
  read:
    "Both arms were the same, so that every claimed difference is wrong: the first panel counts tables with at least one such claim against the most that chance allows (red bar), the second single tests before the correction, which should be wrong as often as alpha says. " +
    "The red line is what a t test over all repetitions would have claimed, which treats repetitions of one launch as if they were independent.",
  draw(view) {
    const data = view.campaign.self_test;
    if (!data || data.tables.length === 0) return null;
    const { style } = view;
    const panels: Panel[] = [{ title: "Tables with a wrong verdict", draw: (width) => drawTables(view, data, width) }];
    if (data.tables.some((d) => d.uncorrected_share !== null))
      panels.push({
        title: "Single tests that are wrong",
        subtitle: "before the correction",
        draw: (width) => drawUncorrected(view, data, width),
      });
    return {
      element: sheet(view, {
        label: "Wrong verdicts on equal arms",
        legend: [
          { label: "share that is wrong", colour: style.series("role", 2).colour, symbol: style.series("role", 2).symbol },
          { label: "most that chance allows", colour: style.warn, bar: true },
        ],
        xTitle: "share of tables, of tests",
        panels,
        least: 400,
        columns: 2,
      }),
      table: {
        columns: [
          "pairing",
          "groups",
          "tables",
          "tables wrong",
          "tables limit",
          "cells",
          "cells wrong",
          "uncorrected share",
          "low",
          "high",
        ],
        rows: data.tables.map((d) => [
          d.pairing,
          d.groups,
          d.tables,
          d.tables_wrong,
          d.tables_limit,
          d.cells,
          d.cells_wrong,
          d.uncorrected_share,
          d.uncorrected_low,
          d.uncorrected_high,
        ]),
      },
      summary: data.sentence,
      note: data.problems.length > 0 ? `Does not hold: ${data.problems.join(" ")}` : undefined,
    };
  },
};
