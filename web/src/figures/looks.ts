// A sequential campaign: what was decided when.
import * as Plot from "@observablehq/plot";
import type { ComparedCell, Look } from "../data.ts";
import type { Figure, View } from "../figure.ts";
import { bytes, digits, plural } from "../format.ts";
import { cellLabel, hasArm, hasLevels } from "../select.ts";
import { type Axis, chart, points, tips } from "./kit/chart.ts";
import { bounded, groupBy } from "./kit/facets.ts";
import { type Panel, sheet } from "./kit/sheet.ts";
import { SizeAxis } from "./kit/sizes.ts";
import { levelColumns } from "./kit/table.ts";
import { linearTicks } from "./kit/ticks.ts";

const kPanels = 5;

function launchAxis(looks: readonly Look[]): Axis {
  const last = looks.at(-1)?.launches ?? 1;
  return { type: "linear", domain: [0, last * 1.04], ticks: looks.map((look) => look.launches), format: String };
}

function drawDecided(view: View, looks: readonly Look[], questions: number, width: number): SVGSVGElement {
  const { style } = view;
  const steps = [{ launches: 0, decided: 0 }, ...looks];
  const y: Axis = {
    type: "linear",
    domain: [0, Math.max(1, questions) * 1.1],
    ticks: linearTicks(0, questions, 5).filter(Number.isInteger),
    format: String,
  };
  return chart(view, {
    width,
    height: 230,
    left: 36,
    right: 14,
    top: 16,
    x: launchAxis(looks),
    y,
    marks: [
      Plot.ruleY([questions], { stroke: style.muted, strokeDasharray: "4 3" }),
      Plot.text([questions], {
        frameAnchor: "left",
        y: questions,
        dy: -7,
        dx: 4,
        textAnchor: "start",
        text: (n: number) => `all ${n} questions`,
        fill: style.muted,
        fontSize: 11,
      }),
      Plot.areaY(steps, { x: "launches", y: "decided", curve: "step-after", fill: style.series(0).colour, fillOpacity: 0.15 }),
      Plot.line(steps, { x: "launches", y: "decided", curve: "step-after", stroke: style.series(0).colour, strokeWidth: 2 }),
      points(view, looks, { x: (d) => d.launches, y: (d) => d.decided }, { series: style.series(0) }),
      Plot.text(looks, {
        x: "launches",
        y: "decided",
        dy: 11,
        dx: 9,
        text: (d: Look) => String(d.decided),
        fill: style.text,
        fontSize: 11,
        stroke: style.background,
        strokeWidth: 3,
      }),
      tips(view, looks, {
        x: (d) => d.launches,
        y: (d) => d.decided,
        text: (d) =>
          `look ${d.look}: ${d.launches} launch groups\n${d.decided} of ${questions} questions decided\nalpha spent ${digits(d.alpha, 2)}`,
      }),
    ],
  });
}

function drawCells(view: View, cells: readonly ComparedCell[], looks: readonly Look[], width: number): SVGSVGElement {
  const { style } = view;
  const axis = new SizeAxis(cells.map((cell) => cell.size_bytes));
  const launches = (cell: ComparedCell): number => looks.find((look) => look.look === cell.look)?.launches ?? looks.at(-1)!.launches;
  const at = { x: (d: ComparedCell) => axis.at(d.size_bytes), y: launches };
  const marks: Plot.Markish[] = [];
  for (const decided of [true, false]) {
    for (const [arm, own] of groupBy(
      cells.filter((cell) => (cell.look !== null) === decided),
      (cell) => cell.arm_b,
    )) {
      const { colour, symbol } = style.arm(arm);
      marks.push(
        points(view, own, at, { series: decided ? { colour, symbol } : { colour: style.muted, symbol }, hollow: !decided, r: 4.5 }),
      );
    }
  }
  const left = 36;
  marks.push(
    tips(view, cells, {
      ...at,
      text: (d) =>
        `${bytes(d.size_bytes)}, ${d.arm_b} / ${d.arm_a}\n${d.look === null ? "undecided at the last look" : `${d.verdict ?? "decided"} after ${launches(d)} launch groups`}`,
    }),
  );
  const y = launchAxis(looks);
  return chart(view, {
    width,
    height: 230,
    left,
    right: 14,
    top: 16,
    x: { type: "linear", domain: axis.domain, ticks: axis.ticks(width - left - 14), format: (place) => axis.label(place) },
    y,
    marks,
  });
}

export const figure: Figure = {
  id: "looks",
  section: "ratio",
  title: "When the questions were decided",
  read:
    "The first panel counts the questions (a cell and a pair of arms) that were decided up to each look at the data; the others say after how many launch groups each of them was, and hollow points are still open. " +
    "What is decided leaves the plan, so that the remaining time goes to what is not, and the share of alpha that each look may spend keeps the campaign's total.",
  draw(view) {
    const compare = view.campaign.compare;
    const looks = compare?.looks;
    if (!compare || !looks || looks.length === 0) return null;
    const own = compare.cells.filter((cell) => cell.regime === null);
    const selected = own.filter(
      (cell) => hasLevels(view.selection, cell) && hasArm(view.selection, cell.arm_a) && hasArm(view.selection, cell.arm_b),
    );
    const groups = groupBy(selected, (cell) => cellLabel(cell, own));
    const { shown, note } = bounded([...groups], kPanels, "panels of cells");
    const panels: Panel[] = [
      { title: "Questions decided", subtitle: "over launch groups", draw: (width) => drawDecided(view, looks, own.length, width) },
      ...shown.map(([title, cells]) => ({
        title,
        subtitle: "launch groups until decided",
        draw: (width: number) => drawCells(view, cells, looks, width),
      })),
    ];
    const arms = [...new Set(selected.map((cell) => cell.arm_b))];
    const columns = levelColumns(own);
    const open = own.filter((cell) => cell.look === null).length;
    return {
      element: sheet(view, {
        label: "Questions decided over the looks of a sequential campaign",
        legend: [
          ...arms.map((arm) => ({
            label: `${arm} against the reference`,
            colour: view.style.arm(arm).colour,
            symbol: view.style.arm(arm).symbol,
          })),
          ...(open > 0 ? [{ label: "still open", colour: view.style.muted, symbol: "circle" as const, hollow: true }] : []),
        ],
        xTitle: "launch groups (first panel), message size (others)",
        panels,
        least: 290,
        columns: 3,
      }),
      table: {
        columns: ["kind", "look", "launch groups", "alpha", "decided", ...columns.columns, "arm A", "arm B", "verdict on A"],
        rows: [
          ...looks.map((look) => [
            "look",
            look.look,
            look.launches,
            look.alpha,
            look.decided,
            ...columns.columns.map(() => null),
            null,
            null,
            null,
          ]),
          ...selected.map((cell) => [
            "question",
            cell.look,
            looks.find((look) => look.look === cell.look)?.launches ?? null,
            null,
            null,
            ...columns.of(cell),
            cell.arm_a,
            cell.arm_b,
            cell.verdict,
          ]),
        ],
      },
      summary: `${plural(own.length - open, "question")} of ${own.length} decided after ${plural(looks.at(-1)!.launches, "launch group")}.`,
      note,
    };
  },
};
