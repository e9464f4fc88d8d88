// What predictions of repetitions look at, by their number (paper 003, figure 2).
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Levels } from "../../data.ts";
import type { Figure, Value } from "../../figure.ts";
import { share } from "../../format.ts";
import { cellName, hasArm, hasLevels } from "../../select.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { levelColumns } from "../kit/table.ts";
import { linearTicks, percentTick } from "../kit/ticks.ts";

const kPanels = 9;

interface Limit {
  method: string;
  quantity: string; // its column
  asked: boolean;
  threshold: number;
}

interface Row extends Levels {
  arm: string;
  launch: number;
  n: number;
}

interface Need extends Levels {
  arm: string;
  launch: number;
  repetitions: number | null;
}

function quantityOf(row: Row, limit: Limit): number | null {
  const value = (row as unknown as Record<string, unknown>)[limit.quantity];
  return typeof value === "number" ? value : null;
}

export const figure: Figure = {
  id: "nrep-running",
  section: { id: "repetitions" },
  question: "nrep",
  title: "How the quantities fall with more repetitions",
  read:
    "A line is one of the quantities that were asked for, of the first repetitions of one launch; the dashed line of its colour is its threshold. " +
    "The upright line is where all of them are below theirs at once: so many repetitions that launch needs.",
  draw(view) {
    const answer = answerOf(view.campaign, "nrep");
    const selected = <T extends Levels & { arm: string }>(rows: T[]): T[] =>
      rows.filter((row) => hasLevels(view.selection, row) && hasArm(view.selection, row.arm));
    const limits = rowsOf<Limit>(tableOf(answer, "rule")).filter(({ asked }) => asked);
    const rows = selected(rowsOf<Row>(tableOf(answer, "running")));
    const needs = selected(rowsOf<Need>(tableOf(answer, "launches")));
    if (rows.length === 0 || limits.length === 0) return null;
    const arms = new Set(rows.map(({ arm }) => arm)).size;
    const launches = [...groupBy(rows, (row) => `${row.launch} ${row.arm} ${cellName(row, rows)}`).values()];
    const { shown, note } = bounded(launches, kPanels, "launches");
    const styles = limits.map((_, i) => view.style.series("algorithm", i));
    // What is far above its threshold says no more than that.
    const top = 4 * Math.max(...limits.map(({ threshold }) => threshold));
    const panels = shown.map((own) => {
      const first = own[0]!;
      const needed = needs.find(
        (need) => need.launch === first.launch && need.arm === first.arm && cellName(need, rows) === cellName(first, rows),
      );
      const series = limits.map((limit, i): LineSeries => ({
        name: limit.method,
        style: styles[i]!,
        r: 0,
        vertices: own.flatMap((row) => {
          const y = quantityOf(row, limit);
          if (y === null || y > top) return [];
          return [{ x: row.n, y, text: `${limit.method} of ${row.n} repetitions: ${share(y)}\nthreshold ${share(limit.threshold)}` }];
        }),
      }));
      return { first, needed: needed?.repetitions ?? null, series };
    });
    // A range of small steps has more rows than a call takes arguments.
    const last = rows.reduce((most, { n }) => Math.max(most, n), 0);
    const levels = levelColumns(rows);
    return {
      element: sheet(view, {
        label: "Quantities that predict repetitions, by their number",
        legend: named(view.width) ? [] : limits.map(({ method }, i) => ({ label: method, colour: styles[i]!.colour, dash: styles[i]!.dash })),
        yTitle: "share of mean or median",
        xTitle: "repetitions of the launch",
        panels: panels.map(({ first, needed, series }) => ({
          title: cellName(first, rows),
          subtitle: `${arms > 1 ? `${first.arm}, ` : ""}launch ${first.launch}${needed === null ? "" : `: ${needed}`}`,
          draw: (width) =>
            lines(view, {
              width,
              height: 220,
              left: 48,
              x: {
                type: "linear",
                domain: [0, last * 1.02],
                ticks: linearTicks(0, last, Math.max(2, Math.floor(width / 90))),
                format: (n) => String(n),
              },
              y: { type: "linear", domain: [0, top], ticks: linearTicks(0, top, 5), format: percentTick },
              series: series.filter(({ vertices }) => vertices.length > 0),
              under: [
                ...limits.map(({ threshold }, i) =>
                  Plot.ruleY([threshold], { stroke: styles[i]!.colour, strokeDasharray: "3 3", strokeOpacity: 0.8 }),
                ),
                ...(needed === null ? [] : [Plot.ruleX([needed], { stroke: view.style.muted, strokeWidth: 1.25 })]),
              ],
            }),
        })),
        least: 300,
        columns: 3,
      }),
      table: {
        columns: ["arm", ...levels.columns, "launch", "n", ...limits.map(({ quantity }) => quantity)],
        rows: rows.map((row): Value[] => [row.arm, ...levels.of(row), row.launch, row.n, ...limits.map((limit) => quantityOf(row, limit))]),
      },
      summary: answer?.sentence ?? "",
      note,
    };
  },
};
