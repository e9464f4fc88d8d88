// Lines with their names at the ends: the reader need not look them up in a legend.
import * as Plot from "@observablehq/plot";
import type { View } from "../../figure.ts";
import type { SeriesStyle } from "../../style.ts";
import { apart, type Axis, chart, type ChartOptions, frameOf, intervals, place, points, tips, valueAt } from "./chart.ts";
import { fitted, textWidth } from "./text.ts";

export interface Vertex {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  text: string; // for the tooltip
}

export interface LineSeries {
  name: string;
  style: SeriesStyle;
  vertices: Vertex[];
  r?: number; // of the points; 0: none
  band?: boolean; // low to high as an area, not as bars
}

export interface LinesOptions extends Pick<ChartOptions, "width" | "height" | "left" | "top" | "bottom"> {
  x: Axis;
  y: Axis;
  series: LineSeries[];
  under?: Plot.Markish[];
  over?: Plot.Markish[];
  most?: number; // share of the width that names may take
  always?: boolean; // names even where the panel is narrow: no legend has them
}

/** With room for names? Narrow panels leave them to the legend. */
export function named(width: number): boolean {
  return width >= 380;
}

/** The end of an interval: what lies below a logarithmic axis, as 0 always does, reaches to the axis's own end. */
export function endOn(axis: Pick<Axis, "type" | "domain">, end: number | null | undefined): number | null {
  if (end === null || end === undefined) return null;
  return axis.type === "log" ? Math.max(end, axis.domain[0]) : end;
}

export function lines(view: View, options: LinesOptions): SVGSVGElement {
  const { style } = view;
  const { series, width, height } = options;
  const size = 11;
  const label = options.always === true || named(width);
  const room = label
    ? Math.min(Math.max(0, ...series.map((one) => textWidth(one.name, size, style.font, 600))) + 12, width * (options.most ?? 0.34))
    : 10;
  const frame = frameOf({ ...options, right: Math.ceil(room) + 2 });
  const marks: Plot.Markish[] = [...(options.under ?? [])];
  for (const one of series) {
    const own = one.vertices;
    if (one.band) {
      marks.push(
        Plot.areaY(own, {
          x: "x",
          y1: (d: Vertex) => endOn(options.y, d.low) ?? d.y,
          y2: (d: Vertex) => endOn(options.y, d.high) ?? d.y,
          fill: one.style.colour,
          fillOpacity: 0.13,
          clip: true,
        }),
      );
    } else {
      marks.push(
        intervals(
          own,
          { x: (d) => d.x, low: (d) => endOn(options.y, d.low), high: (d) => endOn(options.y, d.high) },
          { colour: one.style.colour, width: 1.25, opacity: 0.7 },
        ),
      );
    }
    marks.push(Plot.line(own, { x: "x", y: "y", stroke: one.style.colour, strokeWidth: 1.75, strokeDasharray: one.style.dash || "none" }));
    if (one.r !== 0) marks.push(points(view, own, { x: (d) => d.x, y: (d) => d.y }, { series: one.style, r: one.r ?? 3.25 }));
  }
  if (label) {
    const ends = series.flatMap((one) => {
      const last = one.vertices.filter((vertex) => Number.isFinite(vertex.y)).at(-1);
      return last ? [{ label: one.name, colour: one.style.colour, y: place(options.y, last.y, height - frame.bottom, frame.top) }] : [];
    });
    const moved = apart(ends, height - 6);
    for (const end of moved) {
      marks.push(
        Plot.text([end], {
          x: options.x.domain[1],
          y: valueAt(options.y, end.y, height - frame.bottom, frame.top),
          dx: 7,
          textAnchor: "start",
          text: (d: { label: string }) => fitted(d.label, room - 8, size, style.font, 600),
          title: (d: { label: string }) => d.label,
          fill: end.colour,
          fontSize: size,
          fontWeight: 600,
        }),
      );
    }
  }
  marks.push(...(options.over ?? []));
  marks.push(
    tips(
      view,
      series.flatMap((one) => one.vertices),
      { x: (d) => d.x, y: (d) => d.y, text: (d) => d.text },
    ),
  );
  return chart(view, {
    width,
    height,
    left: frame.left,
    right: frame.right,
    top: frame.top,
    bottom: frame.bottom,
    x: options.x,
    y: options.y,
    marks,
  });
}
