// What the model's lines leave over, size by size.
import * as Plot from "@observablehq/plot";
import type { Figure, Value, View } from "../../figure.ts";
import { bytes, share } from "../../format.ts";
import { BytesAxis } from "../kit/bytes-axis.ts";
import { armLegend } from "../kit/arms.ts";
import { type Axis, chart, points, tips } from "../kit/chart.ts";
import { bounded, groupBy, joinNotes } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { linearTicks, percentTick } from "../kit/ticks.ts";
import { armStyle, breakMarks, breaksOf, networkRows, panelsOf, type Piece, type Point, seriesWords, summaryOf } from "./network-rows.ts";

const kPanels = 8;
/** The axis fits so many of the residuals; those beyond get an arrow at its end. */
const kFits = 0.95;
const kLeastReach = 0.03;

type Fitted = Point & { residual: number };

/** Half the length of the axis of residuals: nearly all of them, and a zone that does not matter. */
export function reachOf(residuals: readonly number[], min_effect: number): number {
  const sizes = residuals.map(Math.abs).sort((a, b) => a - b);
  const fits = sizes[Math.min(sizes.length - 1, Math.floor(kFits * sizes.length))] ?? 0;
  const most = sizes.at(-1) ?? 0;
  // Little more would show all.
  const reach = most < 1.5 * fits ? most : fits;
  return 1.15 * Math.max(reach, 1.5 * min_effect, kLeastReach);
}

function drawPanel(view: View, own: Fitted[], pieces: Piece[], width: number): SVGSVGElement {
  const axis = new BytesAxis(own.map(({ size_bytes }) => size_bytes));
  const zone = view.campaign.min_effect ?? 0;
  const reach = reachOf(own.map(({ residual }) => residual), zone);
  const left = 56;
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(width - left - 12), format: (at) => bytes(Math.round(2 ** at)) };
  const y: Axis = { type: "linear", domain: [-reach, reach], ticks: linearTicks(-reach, reach, 5), format: percentTick };
  const beyond = (d: Fitted): boolean => Math.abs(d.residual) > reach;
  const at = { x: (d: Fitted) => axis.at(d.size_bytes), y: (d: Fitted) => Math.min(reach, Math.max(-reach, d.residual)) };
  return chart(view, {
    width,
    height: 200,
    left,
    x,
    y,
    marks: [
      ...(zone > 0 ? [Plot.rectY([0], { x1: axis.domain[0], x2: axis.domain[1], y1: -zone, y2: zone, fill: view.style.band })] : []),
      ...breakMarks(view, breaksOf(pieces), axis, ({ arm, last_bytes }) => `${arm}: break behind ${bytes(last_bytes)}`),
      Plot.ruleY([0], { stroke: view.style.muted }),
      ...[...groupBy(own, ({ arm }) => arm)].flatMap(([arm, of]) => {
        const series = armStyle(view, arm);
        const inside = of.filter((d) => !beyond(d));
        return [
          points(view, inside.filter(({ held_out }) => !held_out), at, { series, r: 1.75 }),
          points(view, inside.filter(({ held_out }) => held_out), at, { series, r: 2.75, hollow: true }),
          ...([["▲", 1, 6], ["▼", -1, -6]] as const).map(([arrow, side, dy]) =>
            Plot.text(of.filter((d) => beyond(d) && Math.sign(d.residual) === side), { ...at, text: () => arrow, dy, fill: series.colour, fontSize: 10 }),
          ),
        ];
      }),
      tips(view, own, {
        ...at,
        text: (d) => `${d.arm}, ${bytes(d.size_bytes)}${d.held_out ? ", held out" : ""}\n${share(d.residual)} off its line`,
      }),
    ],
  });
}

export const figure: Figure = {
  id: "network-residuals",
  section: { id: "network" },
  question: "network",
  title: "What the lines leave over",
  read:
    "A point is how far the mean of a size lies above or below its line, as a share of the line; hollow ones were in no fit, those with an arrow lie beyond the axis, and in the grey zone a difference does not matter. " +
    "Points of a good model scatter around 0 at all sizes: a slope, a bow or a step among them is a piece that is missing.",
  draw(view) {
    const rows = networkRows<Point>(view, "points").filter((row): row is Fitted => row.residual !== null);
    if (rows.length === 0) return null;
    const pieces = networkRows<Piece>(view, "pieces");
    const { shown, note } = bounded([...panelsOf(rows, ({ series }) => seriesWords(series))], kPanels, "series", "arms");
    const zone = view.campaign.min_effect ?? 0;
    const cut = shown.reduce((sum, [, own]) => {
      const reach = reachOf(own.map(({ residual }) => residual), zone);
      return sum + own.filter(({ residual }) => Math.abs(residual) > reach).length;
    }, 0);
    return {
      element: sheet(view, {
        label: "Relative distance of times from the model's lines over message size",
        legend: [
          ...armLegend(view, [...new Set(rows.map(({ arm }) => arm))], "point"),
          ...(rows.some(({ held_out }) => held_out) ? [{ label: "held out: in no fit", colour: view.style.muted, symbol: "circle" as const, hollow: true }] : []),
        ],
        yTitle: "measured / line - 1",
        xTitle: "message size",
        panels: shown.map(([title, own]) => {
          const { series, place } = own[0]!;
          const here = pieces.filter((piece) => piece.series === series && piece.place === place);
          return { title, draw: (width: number) => drawPanel(view, own, here, width) };
        }),
        least: 380,
        columns: 2,
      }),
      table: {
        columns: ["arm", "place", "series", "size (B)", "measured / line - 1", "held out"],
        rows: rows.map((row): Value[] => [row.arm, row.place, row.series, row.size_bytes, row.residual, row.held_out ? "yes" : "no"]),
      },
      summary: summaryOf(view),
      note: joinNotes(note, cut > 0 ? `${cut} of ${rows.length} sizes lie beyond their axis (arrows); the table has them.` : undefined),
    };
  },
};
