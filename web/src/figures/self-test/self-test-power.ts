// Which differences the method finds, known because they were planted.
import * as Plot from "@observablehq/plot";
import type { SelfTest, SelfTestTables } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, plural, share } from "../../format.ts";
import type { Axis } from "../kit/chart.ts";
import { type LineSeries, lines, named } from "../kit/lines.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { logDomain, logTicks, percentTick } from "../kit/ticks.ts";

const kWords = { turns: "by turns", rounds: "within a launch", launches: "launch by launch" } as const;

export function tablesName(tables: Pick<SelfTestTables, "pairing" | "groups">): string {
  return `${plural(tables.groups, tables.pairing === "rounds" ? "round" : "group")}, ${kWords[tables.pairing]}`;
}

function effectAxis(data: SelfTest, width: number): Axis {
  const effects = [
    ...data.tables.flatMap((tables) => tables.power.map((power) => power.effect)),
    ...data.cells.flatMap((cell) => cell.planted.filter((planted) => planted.testable).map((planted) => planted.effect)),
  ].filter((effect) => effect > 0);
  const domain = logDomain([...effects, data.min_effect || null], 0.05);
  return { type: "log", domain, ticks: logTicks(...domain, Math.max(3, Math.floor(width / 70))), format: percentTick, grid: true };
}

const kShare: Axis = { type: "linear", domain: [0, 1.02], ticks: [0, 0.25, 0.5, 0.75, 1], format: percentTick };

function band(view: View, data: SelfTest, x: Axis): Plot.Markish[] {
  const end = data.min_effect;
  if (!(end > x.domain[0])) return [];
  return [Plot.rect([0], { x1: x.domain[0], x2: end, y1: 0, y2: 1.02, fill: view.style.muted, fillOpacity: 0.15 })];
}

function powerSeries(view: View, data: SelfTest): LineSeries[] {
  return data.tables.map((tables, i) => ({
    name: tablesName(tables),
    style: view.style.series("table", i),
    vertices: tables.power
      .filter((power) => power.found !== null && power.effect > 0)
      .map((power) => ({
        x: power.effect,
        y: power.found!,
        text: `${tablesName(tables)}\nplanted ${share(power.effect)}: found in ${share(power.found)} of ${power.tables} tables\nequivalent in ${share(power.equivalent)}`,
      }))
      .sort((a, b) => a.x - b.x),
  }));
}

/** A line for each cell of the tables with the most groups, at its own effects. */
function cellSeries(view: View, data: SelfTest, tables: SelfTestTables): LineSeries[] {
  return data.cells.map((cell, c) => ({
    name: `${cell.operation}, ${bytes(cell.size_bytes)}`,
    style: view.style.series("table", data.tables.length + c),
    r: 2.5,
    vertices: tables.power
      .flatMap((power, level) => {
        const planted = cell.planted[level];
        const found = power.found_by_cell[c];
        if (!planted || !planted.testable || found === null || found === undefined || !(planted.effect > 0)) return [];
        return [
          {
            x: planted.effect,
            y: found,
            text: `${cell.operation}, ${bytes(cell.size_bytes)}\nplanted ${share(planted.effect)}: found in ${share(found)}`,
          },
        ];
      })
      .sort((a, b) => a.x - b.x),
  }));
}

const kCells = 8;

export const figure: Figure = {
  id: "self-test-power",
  section: "self-test",
  title: "Which differences are found",
  read:
    "Delays of known size were planted into one of two equal arms: a point says in which share of the tables a difference of that size got the right verdict, the mean over cells. " +
    "A line that reaches 100 % further to the left finds smaller differences; left of the grey edge differences are too small to matter and need not be found.",
  draw(view) {
    const data = view.campaign.self_test;
    if (!data || data.tables.length === 0) return null;
    const series = powerSeries(view, data).filter((one) => one.vertices.length > 0);
    if (series.length === 0) return null;
    const longest = data.tables.filter((tables) => tables.pairing !== "rounds").sort((a, b) => b.groups - a.groups)[0];
    const cells = longest ? cellSeries(view, data, longest).filter((one) => one.vertices.length > 0) : [];
    const panel = (title: string, subtitle: string, own: LineSeries[], always: boolean): Panel => ({
      title,
      subtitle,
      draw: (width) => {
        const x = effectAxis(data, width * 0.6);
        return lines(view, {
          width,
          height: 300,
          left: 46,
          top: 10,
          x,
          y: kShare,
          series: own,
          under: band(view, data, x),
          most: 0.36,
          always,
        });
      },
    });
    const panels = [panel("All cells", "mean", series, false)];
    if (longest && cells.length > 0) panels.push(panel("Cell by cell", tablesName(longest), cells.slice(0, kCells), true));
    return {
      element: sheet(view, {
        label: "Share of planted differences that were found, by size",
        legend: [
          ...(named(view.width)
            ? []
            : series.map((one) => ({ label: one.name, colour: one.style.colour, symbol: one.style.symbol, dash: one.style.dash }))),
          { label: `too small to matter (up to ${percentTick(data.min_effect)})`, colour: view.style.muted, area: 0.15 },
        ],
        yTitle: "share of tables with the right verdict",
        xTitle: "planted difference (logarithmic)",
        panels,
        least: 400,
        columns: 2,
      }),
      table: {
        columns: ["pairing", "groups", "planted difference (%)", "tables", "found", "equivalent", "cell", "found in this cell"],
        rows: data.tables.flatMap((tables) =>
          tables.power.flatMap((power, level) => [
            [tables.pairing, tables.groups, 100 * power.effect, power.tables, power.found, power.equivalent, null, null],
            ...power.found_by_cell.map((found, c) => {
              const cell = data.cells[c];
              return [
                tables.pairing,
                tables.groups,
                100 * (cell?.planted[level]?.effect ?? power.effect),
                power.tables,
                null,
                null,
                cell ? `${cell.operation} ${cell.size_bytes ?? ""}`.trim() : null,
                found,
              ];
            }),
          ]),
        ),
      },
      summary: data.sentence,
      note: cells.length > kCells ? `${kCells} of ${cells.length} cells are drawn; the table has all of them.` : undefined,
    };
  },
};
