// A sequential campaign: what was decided when.
import * as Plot from "@observablehq/plot";
import type { ComparedCell, Look } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, digits, plural } from "../../format.ts";
import { cellLabel } from "../../select.ts";
import { pairName, selectedRows, sideName, sideStyle } from "../../sides.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { type Panel, sheet } from "../kit/sheet.ts";
import { SizeAxis } from "../kit/sizes.ts";
import { levelColumns } from "../kit/table.ts";
import { linearTicks } from "../kit/ticks.ts";

const kPanels = 5;

function launchAxis(looks: readonly Look[]): Axis {
  const last = looks.at(-1)?.launches ?? 1;
  return { type: "linear", domain: [0, last * 1.04], ticks: looks.map((look) => look.launches), format: String };
}

/** How many questions there are: also those of pairs that no row shows. */
function questionsOf(looks: readonly Look[]): number {
  return Math.max(0, ...looks.map((look) => look.questions));
}

function drawDecided(view: View, looks: readonly Look[], width: number): SVGSVGElement {
  const { style } = view;
  const questions = questionsOf(looks);
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
      Plot.areaY(steps, { x: "launches", y: "decided", curve: "step-after", fill: style.muted, fillOpacity: 0.15 }),
      Plot.line(steps, { x: "launches", y: "decided", curve: "step-after", stroke: style.text, strokeWidth: 2 }),
      // Below the line; the last one in front of its end.
      ...[looks.slice(0, -1), looks.slice(-1)].map((some, end) =>
        Plot.text(some, {
          x: "launches",
          y: "decided",
          dy: 12,
          dx: end ? -4 : 4,
          textAnchor: end ? "end" : "start",
          text: (d: Look) => String(d.decided),
          fill: style.text,
          fontSize: 11,
          stroke: style.background,
          strokeWidth: 3,
        }),
      ),
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
  // Beside each other, or those of one look would cover one another.
  const left = 36;
  const names = [...new Set(cells.map((cell) => sideName(cell, "b")))];
  const dodge = Math.min(9, (axis.step(width - left - 14) * 0.8) / names.length);
  for (const decided of [true, false]) {
    for (const [name, own] of groupBy(
      cells.filter((cell) => (cell.look !== null) === decided),
      (cell) => sideName(cell, "b"),
    )) {
      const { colour, symbol } = sideStyle(style, own[0]!, "b");
      marks.push(
        points(view, own, at, {
          series: decided ? { colour, symbol } : { colour: style.muted, symbol },
          hollow: !decided,
          r: dodge < 7 ? 3.5 : 4.5,
          dx: (names.indexOf(name) - (names.length - 1) / 2) * dodge,
        }),
      );
    }
  }
  marks.push(
    tips(view, cells, {
      ...at,
      text: (d) =>
        `${bytes(d.size_bytes)}, ${pairName(d)}\n${d.look === null ? "undecided at the last look" : `${d.verdict ?? "decided"} after ${launches(d)} launch groups`}`,
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
  section: "method",
  title: "When the questions were decided",
  read:
    "The first panel counts the questions (a cell and a pair of arms, every pair where a winner is sought) that were decided up to each look at the data; the others say after how many launch groups each of them was, and hollow points are still open. " +
    "What is decided leaves the plan, so that the remaining time goes to what is not, and the share of alpha that each look may spend keeps the campaign's total.",
  draw(view) {
    const compare = view.campaign.compare;
    const looks = compare?.looks;
    if (!compare || !looks || looks.length === 0) return null;
    const own = compare.cells.filter((cell) => cell.regime === null);
    const selected = selectedRows(view.selection, compare, own);
    const groups = groupBy(selected, (cell) => cellLabel(cell, own));
    const { shown, note } = bounded([...groups], kPanels, "panels of cells");
    const panels: Panel[] = [
      { title: "Questions decided", subtitle: "over launch groups", draw: (width) => drawDecided(view, looks, width) },
      ...shown.map(([title, cells]) => ({
        title,
        subtitle: "launch groups until decided",
        draw: (width: number) => drawCells(view, cells, looks, width),
      })),
    ];
    const sides = [...groupBy(selected, (cell) => sideName(cell, "b"))];
    const columns = levelColumns(own);
    const open = selected.some((cell) => cell.look === null);
    const last = looks.at(-1)!;
    return {
      element: sheet(view, {
        label: "Questions decided over the looks of a sequential campaign",
        legend: [
          ...sides.map(([name, [first]]) => {
            const { colour, symbol } = sideStyle(view.style, first!, "b");
            return { label: `${name} against the reference`, colour, symbol };
          }),
          ...(open ? [{ label: "hollow: still open", colour: view.style.muted, symbol: sideStyle(view.style, selected[0]!, "b").symbol, hollow: true }] : []),
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
      summary: `${plural(last.decided, "question")} of ${questionsOf(looks)} decided after ${plural(last.launches, "launch group")}.`,
      note,
    };
  },
};
