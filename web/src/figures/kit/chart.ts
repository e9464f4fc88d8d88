// One coordinate system, drawn by Observable Plot with the page's axes, grid and tooltips.
import * as Plot from "@observablehq/plot";
import type { View } from "../../figure.ts";
import type { SeriesStyle, SymbolName } from "../../style.ts";

export const kTickSize = 11;
export const kLabelSize = 12;
export const kSignSize = 14;

export interface Axis {
  type: "linear" | "log";
  domain: [number, number];
  ticks: number[];
  format: (value: number) => string;
  grid?: boolean;
}

export interface ChartOptions {
  width: number;
  height: number;
  left?: number; // margins, px
  right?: number;
  top?: number;
  bottom?: number;
  x: Axis | null; // null: positions that no ticks stand at
  y: Axis | null;
  xDomain?: [number, number]; // where x (y) is null
  yDomain?: [number, number];
  clip?: boolean;
  marks: Plot.Markish[];
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function frameOf(options: Pick<ChartOptions, "left" | "right" | "top" | "bottom">): Frame {
  return { left: options.left ?? 52, right: options.right ?? 12, top: options.top ?? 10, bottom: options.bottom ?? 26 };
}

/** Where `value` stands between `from` and `to`, px. */
export function place(axis: Pick<Axis, "type" | "domain">, value: number, from: number, to: number): number {
  const of = axis.type === "log" ? Math.log : (number: number): number => number;
  const [low, high] = axis.domain;
  return from + ((of(value) - of(low)) / (of(high) - of(low))) * (to - from);
}

/** The value that stands at `px`. */
export function valueAt(axis: Pick<Axis, "type" | "domain">, px: number, from: number, to: number): number {
  const share = (px - from) / (to - from);
  const [low, high] = axis.domain;
  return axis.type === "log" ? low * (high / low) ** share : low + (high - low) * share;
}

function scaleOf(axis: Axis | null, domain: [number, number] | undefined): Plot.ScaleOptions {
  if (axis === null) return { axis: null, type: "linear", domain: domain ?? [0, 1] };
  return { axis: null, type: axis.type, domain: axis.domain };
}

/** The marks stand on the grid; axes without lines, the figure's titles say what they are. */
export function chart(view: View, options: ChartOptions): SVGSVGElement {
  const { style } = view;
  const frame = frameOf(options);
  const axisStyle = { fill: style.muted, fontSize: kTickSize, tickSize: 0, label: null };
  const marks: Plot.Markish[] = [];
  if (options.y && options.y.grid !== false) {
    marks.push(Plot.gridY(options.y.ticks, { stroke: style.faint, strokeOpacity: 1 }));
  }
  if (options.x && options.x.grid) {
    marks.push(Plot.gridX(options.x.ticks, { stroke: style.faint, strokeOpacity: 1 }));
  }
  marks.push(...options.marks);
  const { x, y } = options;
  if (x) {
    // As text: Plot would leave out some labels of a logarithmic axis.
    const format = x.format;
    marks.push(Plot.axisX(x.ticks, { ...axisStyle, text: (d: number) => format(d), tickPadding: 6 }));
  }
  if (y) {
    const format = y.format;
    marks.push(Plot.axisY(y.ticks, { ...axisStyle, text: (d: number) => format(d), tickPadding: 5 }));
  }
  const svg = Plot.plot({
    width: options.width,
    height: options.height,
    marginLeft: frame.left,
    marginRight: frame.right,
    marginTop: frame.top,
    marginBottom: frame.bottom,
    x: scaleOf(x, options.xDomain),
    y: scaleOf(y, options.yDomain),
    clip: options.clip ?? false,
    style: { fontFamily: style.font, fontSize: `${kTickSize}px`, background: "transparent" },
    marks,
  }) as SVGSVGElement;
  return nestable(svg);
}

/** Plot's own style sheet would give a nested drawing the height of the whole figure. */
export function nestable(svg: SVGSVGElement): SVGSVGElement {
  svg.querySelector("style")?.remove();
  svg.removeAttribute("class");
  svg.style.overflow = "visible";
  return svg;
}

/** What is told where the pointer is nearest: `text` in lines. */
export function tips<T>(
  view: View,
  data: readonly T[],
  options: { x: (d: T) => number; y: (d: T) => number; text: (d: T) => string; dx?: number },
): Plot.Markish {
  const { style } = view;
  return Plot.tip(
    data as T[],
    {
      ...Plot.pointer({ x: options.x, y: options.y, maxRadius: 28 } as Plot.PointerOptions & Plot.TipOptions),
      title: options.text,
      fill: style.surface,
      stroke: style.muted,
      fontSize: kLabelSize,
      fontFamily: style.font,
      lineWidth: 26,
      dx: options.dx ?? 0,
      pathFilter: null as unknown as string,
    } as Plot.TipOptions,
  );
}

export interface PointStyle {
  series: Pick<SeriesStyle, "colour" | "symbol">;
  hollow?: boolean;
  r?: number;
  dx?: number;
}

export function points<T>(
  view: View,
  data: readonly T[],
  at: { x: (d: T) => number; y: (d: T) => number },
  style: PointStyle,
): Plot.Markish {
  return Plot.dot(data as T[], {
    x: at.x,
    y: at.y,
    symbol: style.series.symbol,
    r: style.r ?? 4,
    fill: style.hollow ? view.style.background : style.series.colour,
    stroke: style.series.colour,
    strokeWidth: style.hollow ? 1.75 : 1,
    dx: style.dx ?? 0,
  });
}

/** What stands where an estimate is: the symbol of a series, or the sign of a verdict that names none. */
export interface Mark {
  colour: string;
  symbol?: SymbolName;
  sign?: string;
}

/** Estimates with the mark that all of them have. */
export function estimates<T>(
  view: View,
  data: readonly T[],
  at: { x: (d: T) => number; y: (d: T) => number },
  style: Omit<PointStyle, "series"> & { mark: Mark },
): Plot.Markish {
  const { mark, ...rest } = style;
  if (mark.symbol) return points(view, data, at, { ...rest, series: { colour: mark.colour, symbol: mark.symbol } });
  return Plot.text(data as T[], {
    ...at,
    text: () => mark.sign ?? "",
    fontSize: (style.r ?? 4) < 4 ? kTickSize : kSignSize,
    fontWeight: 700,
    fill: mark.colour,
    stroke: view.style.background,
    strokeWidth: 4,
    dx: style.dx ?? 0,
  });
}

/** Vertical intervals; those without both ends are left out. */
export function intervals<T>(
  data: readonly T[],
  at: { x: (d: T) => number; low: (d: T) => number | null; high: (d: T) => number | null },
  style: { colour: string; width?: number; dx?: number; opacity?: number; dash?: string },
): Plot.Markish {
  const some = data.filter((d) => at.low(d) !== null && at.high(d) !== null);
  return Plot.ruleX(some, {
    x: at.x,
    y1: (d: T) => at.low(d),
    y2: (d: T) => at.high(d),
    stroke: style.colour,
    strokeWidth: style.width ?? 1.75,
    strokeOpacity: style.opacity ?? 1,
    dx: style.dx ?? 0,
    clip: true,
    ...(style.dash ? { strokeDasharray: style.dash } : {}),
  });
}

/** The same along x. */
export function intervalsX<T>(
  data: readonly T[],
  at: { y: (d: T) => number; low: (d: T) => number | null; high: (d: T) => number | null },
  style: { colour: string; width?: number; dy?: number },
): Plot.Markish {
  const some = data.filter((d) => at.low(d) !== null && at.high(d) !== null);
  return Plot.ruleY(some, {
    y: at.y,
    x1: (d: T) => at.low(d),
    x2: (d: T) => at.high(d),
    stroke: style.colour,
    strokeWidth: style.width ?? 1.75,
    dy: style.dy ?? 0,
    clip: true,
  });
}

export interface LineLabel {
  label: string;
  colour: string;
  y: number; // px where the line ends
}

/** Moves labels apart until none covers another; the order stays. */
export function apart(labels: readonly LineLabel[], height: number, gap = 14): LineLabel[] {
  const moved = labels.map((label) => ({ ...label })).sort((a, b) => a.y - b.y);
  for (let pass = 0; pass < 40; pass += 1) {
    for (let i = 1; i < moved.length; i += 1) {
      const lack = gap - (moved[i]!.y - moved[i - 1]!.y);
      if (lack <= 0) continue;
      moved[i]!.y += lack / 2;
      moved[i - 1]!.y -= lack / 2;
    }
  }
  // Then from the top down and, where that leaves the figure, from the bottom up.
  moved.forEach((one, i) => (one.y = Math.max(one.y, i === 0 ? 0 : moved[i - 1]!.y + gap)));
  for (let i = moved.length - 1; i >= 0; i -= 1) {
    moved[i]!.y = Math.min(moved[i]!.y, i === moved.length - 1 ? height : moved[i + 1]!.y - gap);
  }
  return moved;
}
