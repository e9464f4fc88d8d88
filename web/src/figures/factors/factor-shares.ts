// Where the variation of the run-times comes from.
import * as Plot from "@observablehq/plot";
import type { Figure, View } from "../../figure.ts";
import { share } from "../../format.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, tips } from "../kit/chart.ts";
import { bounded } from "../kit/facets.ts";
import { factorWord, type Target, targetsOf } from "../kit/factors.ts";
import { sheet } from "../kit/sheet.ts";
import { textWidth } from "../kit/text.ts";
import { percentTick } from "../kit/ticks.ts";

const kTargets = 24;
const kRight = 26; // room for "100 %"

interface Segment {
  target: string;
  factor: string;
  share: number;
  from: number;
  to: number;
}

/** Shares one behind the other, in the order of the factors; a negative estimate takes no room. */
export function segmentsOf(target: Target): Segment[] {
  let from = 0;
  const parts = target.factors.filter((factor) => factor.share !== null).map((factor) => ({ factor: factor.factor, share: factor.share! }));
  if (target.interactions !== null) parts.push({ factor: "interactions", share: target.interactions });
  return parts.map((part) => {
    const to = from + Math.max(0, part.share);
    const segment = { target: target.name, ...part, from, to };
    from = to;
    return segment;
  });
}

function drawBars(view: View, segments: Segment[], factors: string[], width: number): SVGSVGElement {
  const { style } = view;
  const rows = new Rows(segments.map((segment) => segment.target));
  const most = width * 0.35;
  const left = rows.margin(view, most);
  const inner = width - left - kRight;
  const end = Math.max(1, ...segments.map((segment) => segment.to));
  const x: Axis = { type: "linear", domain: [0, end], ticks: width < 420 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1], format: percentTick };
  const pixels = (segment: Segment): number => ((segment.to - segment.from) / end) * inner;
  const middle = (d: Segment): number => (d.from + d.to) / 2;
  const marks: Plot.Markish[] = [];
  factors.forEach((factor, i) => {
    const own = segments.filter((segment) => segment.factor === factor && segment.to > segment.from);
    const { colour } = style.series("factor", i);
    const named = (d: Segment): string => {
      const percent = share(d.share);
      const full = `${factorWord(factor)} ${percent}`;
      return textWidth(full, 11, style.font, 600) + 8 < pixels(d)
        ? full
        : textWidth(percent, 11, style.font, 600) + 4 < pixels(d)
          ? percent
          : "";
    };
    marks.push(
      Plot.rect(own, {
        x1: "from",
        x2: "to",
        y1: (d: Segment) => rows.at(d.target) - 0.36,
        y2: (d: Segment) => rows.at(d.target) + 0.36,
        // Repeated colours are hatched by a lighter tone; every segment with room is named.
        fill: colour,
        fillOpacity: i < 8 ? 0.92 : 0.55,
        stroke: style.background,
        strokeWidth: 1.5,
      }),
      Plot.text(own, {
        x: middle,
        y: (d: Segment) => rows.at(d.target),
        text: named,
        fill: style.background,
        fontSize: 11,
        fontWeight: 600,
      }),
    );
  });
  marks.push(
    rows.labels(view, most, width, 20),
    tips(view, segments, {
      x: middle,
      y: (d) => rows.at(d.target),
      text: (d) => `${d.target}\n${factorWord(d.factor)}: ${share(d.share)} of the variance`,
    }),
  );
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 34) + 34,
    left,
    right: kRight,
    top: 4,
    x,
    y: null,
    yDomain: rows.domain,
    marks,
  });
}

export const figure: Figure = {
  id: "factor-shares",
  section: "factors",
  title: "Share of each factor in the variation",
  read:
    "A bar is all the variation of the logarithms of one operation's run-times; each part is what one factor makes of it, in the order of the legend, from what was chosen to what is chance. " +
    "A long part is a factor that has to be controlled or reported; what launches make is what no number of repetitions within one launch can average out.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const all = targetsOf(view, data).filter((target) => segmentsOf(target).length > 0);
    if (all.length === 0) return null;
    const { shown, note } = bounded(all, kTargets, "operations and sizes", "operation or size");
    const segments = shown.flatMap(segmentsOf);
    const factors = [...new Set(segments.map((segment) => segment.factor))];
    return {
      element: sheet(view, {
        label: "Shares of factors in the variance",
        legend: factors.map((factor, i) => ({ label: factorWord(factor), colour: view.style.series("factor", i).colour, area: i < 8 ? 0.92 : 0.55 })),
        xTitle: "share of the variance of log run-times",
        panels: [{ draw: (width) => drawBars(view, segments, factors, width) }],
        columns: 1,
      }),
      table: {
        columns: ["operation", "size (B)", "factor", "share of variance", "variance of log times", "sd of log times"],
        rows: shown.flatMap((target) => [
          ...target.factors.map((factor) => [
            target.operation,
            target.size_bytes,
            factor.factor,
            factor.share,
            factor.variance_log,
            factor.sd_log,
          ]),
          ...(target.interactions === null ? [] : [[target.operation, target.size_bytes, "interactions", target.interactions, null, null]]),
        ]),
      },
      summary:
        shown
          .slice(0, 6)
          .map((target) => {
            const most = segmentsOf(target).sort((a, b) => b.share - a.share)[0]!;
            return `${target.name}: most is ${factorWord(most.factor)} (${share(most.share)})`;
          })
          .join("; ") + ".",
      note,
    };
  },
};
