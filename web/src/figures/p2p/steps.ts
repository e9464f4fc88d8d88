// Times over message sizes as they were chosen, and where they jump.
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Figure, Value } from "../../figure.ts";
import { bytes, duration, durationTick, interval, plural, ratio } from "../../format.ts";
import { hasArm } from "../../select.ts";
import { armLegend } from "../kit/arms.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { lines, type LineSeries } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { SizeAxis } from "../kit/sizes.ts";
import { logDomain, logTicks } from "../kit/ticks.ts";

const kPanels = 8;

interface Point {
  arm: string;
  place: string;
  size_bytes: number;
  time_ns: number;
  low_ns: number | null;
  high_ns: number | null;
}

interface Step {
  arm: string;
  place: string;
  low_bytes: number;
  high_bytes: number;
  height: number;
  height_low: number | null;
  height_high: number | null;
  protocol: string;
  direction: string;
  known: string;
}

function stepText(step: Step): string {
  const height = `${ratio(step.height)}${step.height_low === null ? "" : ` [${interval(step.height_low, step.height_high, ratio)}]`} times`;
  const down = step.direction === "down" ? "down to " : "";
  const known = step.known === "between measured sizes" ? " (somewhere between)" : "";
  const protocol = step.protocol === "not asked" || step.protocol === "unclear" ? "" : `, ${step.protocol}`;
  return `${step.arm}: ${bytes(step.low_bytes)} to ${bytes(step.high_bytes)}${known}, ${down}${height}${protocol}`;
}

export const figure: Figure = {
  id: "steps",
  section: { id: "messages" },
  question: "p2p",
  title: "Sizes at which the time jumps",
  read:
    "A line is the time of an arm over all sizes that were measured, more of them where it bends or jumps, with intervals. " +
    "An upright line is a step: the time jumps there by more than the curve grows by itself, and the note says by how much.",
  draw(view) {
    const answer = answerOf(view.campaign, "p2p");
    const points = rowsOf<Point>(tableOf(answer, "curves")).filter(({ arm }) => hasArm(view.selection, arm));
    const stepsTable = tableOf(answer, "steps");
    const steps = rowsOf<Step>(stepsTable).filter(({ arm }) => hasArm(view.selection, arm));
    if (points.length === 0) return null;
    const { shown, note } = bounded([...groupBy(points, ({ place }) => place)], kPanels, "curves");
    const arms = [...new Set(points.map(({ arm }) => arm))];
    return {
      element: sheet(view, {
        label: "Time over message size, with its steps",
        legend: armLegend(view, arms, "line"),
        yTitle: "time",
        xTitle: "message size",
        panels: shown.map(([place, own]) => {
          const axis = new SizeAxis(own.map(({ size_bytes }) => size_bytes));
          const here = steps.filter((step) => step.place === place);
          const series = [...groupBy(own, ({ arm }) => arm)].map(
            ([arm, of]): LineSeries => ({
              name: arm,
              style: view.style.arm(arm),
              r: 2,
              vertices: of.map((point) => ({
                x: axis.at(point.size_bytes),
                y: point.time_ns,
                low: point.low_ns,
                high: point.high_ns,
                text: `${arm}, ${bytes(point.size_bytes)}\n${duration(point.time_ns)}`,
              })),
            }),
          );
          const domain = logDomain(own.flatMap(({ time_ns, low_ns, high_ns }) => [time_ns, low_ns, high_ns]));
          return {
            title: place,
            subtitle: plural(here.length, "step"),
            draw: (width: number) =>
              lines(view, {
                width,
                height: 260,
                left: 60,
                x: { type: "linear", domain: axis.domain, ticks: axis.ticks(width - 80), format: (at) => axis.label(at) },
                y: { type: "log", domain, ticks: logTicks(...domain, 6), format: durationTick },
                series,
                under: here.map((step) =>
                  Plot.ruleX([step], {
                    x: (d: Step) => (axis.at(d.low_bytes) + axis.at(d.high_bytes)) / 2,
                    stroke: view.style.arm(step.arm).colour,
                    strokeDasharray: "4 3",
                    strokeWidth: 1.25,
                    title: stepText,
                  }),
                ),
              }),
          };
        }),
        least: 380,
        columns: 2,
      }),
      table: {
        columns: ["arm", "curve", "between (bytes)", "and (bytes)", "known", "step", "time above / below", "from", "to", "protocol"],
        rows: steps.map((step): Value[] => [
          step.arm,
          step.place,
          step.low_bytes,
          step.high_bytes,
          step.known,
          step.direction,
          step.height,
          step.height_low,
          step.height_high,
          step.protocol,
        ]),
      },
      summary: steps.length === 0 ? `No step: ${stepsTable?.missing ?? "none of these arms has any"}.` : steps.map(stepText).join("; "),
      note,
    };
  },
};
