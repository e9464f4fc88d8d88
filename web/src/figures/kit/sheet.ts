// A figure as one SVG: legend, titles of the axes, and panels in a grid. One element, so that what is saved as a picture
// is what is on the screen.
import * as Plot from "@observablehq/plot";
import type { View } from "../../figure.ts";
import type { SymbolName } from "../../style.ts";
import { kLabelSize, kSignSize, kTickSize, nestable } from "./chart.ts";
import { columnsFor, groupBy } from "./facets.ts";
import { fitted, textWidth, wrapped, wrappedWhole } from "./text.ts";

const kSvg = "http://www.w3.org/2000/svg";
const kTitleSize = 13;
const kGap = 20;

export interface LegendEntry {
  label: string;
  colour: string;
  symbol?: SymbolName;
  hollow?: boolean;
  dash?: string; // with a line of this dash; "" is a solid one
  area?: number; // a filled box of this opacity
  bar?: boolean; // a thick line: an interval
  sign?: string; // a letter instead of a symbol: a verdict
}

export interface Panel {
  row?: string; // panels with another one begin a row of their own
  title?: string;
  subtitle?: string; // behind the title, muted
  draw(width: number): SVGSVGElement;
}

export interface SheetOptions {
  label: string; // for screen readers
  legend?: LegendEntry[];
  yTitle?: string;
  xTitle?: string;
  wide?: Panel | undefined; // in front of the others, as wide as all
  panels: Panel[];
  least?: number; // px: no narrower panel, unless there is one column
  columns?: number; // at most
  gap?: number;
}

export function svgElement<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export function label(
  view: View,
  text: string,
  at: { x: number; y: number; size?: number; weight?: number; colour?: string; anchor?: "start" | "middle" | "end"; width?: number },
): SVGTextElement {
  const size = at.size ?? kLabelSize;
  const element = svgElement("text", {
    x: at.x,
    y: at.y,
    "font-size": size,
    "text-anchor": at.anchor ?? "start",
    fill: at.colour ?? view.style.text,
  });
  if (at.weight) element.setAttribute("font-weight", String(at.weight));
  const short = at.width === undefined ? text : fitted(text, at.width, size, view.style.font, at.weight);
  element.textContent = short;
  if (short !== text) {
    const title = svgElement("title", {});
    title.textContent = text;
    element.append(title);
  }
  return element;
}

function icon(view: View, entry: LegendEntry): SVGSVGElement {
  const marks: Plot.Markish[] = [];
  const at = [{}];
  if (entry.area !== undefined) {
    marks.push(
      Plot.rect(at, {
        x1: 3,
        x2: 25,
        y1: 2,
        y2: 12,
        fill: entry.colour,
        fillOpacity: entry.area,
        stroke: entry.colour,
        strokeOpacity: 0.6,
      }),
    );
  }
  if (entry.dash !== undefined) {
    marks.push(Plot.ruleY(at, { x1: 1, x2: 27, y: 7, stroke: entry.colour, strokeWidth: 2, strokeDasharray: entry.dash || "none" }));
  }
  if (entry.bar) marks.push(Plot.ruleX(at, { x: 14, y1: 0, y2: 14, stroke: entry.colour, strokeWidth: 1.75 }));
  if (entry.symbol) {
    marks.push(
      Plot.dot(at, {
        x: 14,
        y: 7,
        r: 4.5,
        symbol: entry.symbol,
        fill: entry.hollow ? view.style.background : entry.colour,
        stroke: entry.colour,
        strokeWidth: 1.75,
      }),
    );
  }
  if (entry.sign) {
    marks.push(
      Plot.text(at, {
        x: 14,
        y: 7,
        text: () => entry.sign,
        fontSize: kSignSize,
        fontWeight: 700,
        fill: entry.colour,
        stroke: view.style.background,
        strokeWidth: 3,
      }),
    );
  }
  const svg = Plot.plot({
    width: 28,
    height: 14,
    margin: 0,
    x: { axis: null, domain: [0, 28], range: [0, 28] },
    y: { axis: null, domain: [0, 14], range: [14, 0] },
    style: { background: "transparent" },
    marks,
  }) as SVGSVGElement;
  return nestable(svg);
}

/** Entries in lines; gives the height that they take. */
function drawLegend(view: View, root: SVGElement, entries: readonly LegendEntry[], y: number): number {
  let x = 0;
  let line = y;
  for (const entry of entries) {
    const room = view.width - 36;
    const text = fitted(entry.label, room, kLabelSize, view.style.font);
    const width = 34 + textWidth(text, kLabelSize, view.style.font);
    if (x > 0 && x + width > view.width) {
      x = 0;
      line += 20;
    }
    const group = svgElement("g", {});
    const picture = icon(view, entry);
    picture.setAttribute("x", String(x));
    picture.setAttribute("y", String(line));
    group.append(picture, label(view, entry.label, { x: x + 34, y: line + 11, width: room }));
    root.append(group);
    x += width + 20;
  }
  return entries.length > 0 ? line - y + 26 : 0;
}

const kTitleLine = 17;

/** Lines of a panel's head. What tells panels apart is never cut: it takes as many lines as it needs. */
interface Head {
  title: string[];
  subtitle: string[];
  beside: boolean; // the subtitle fits behind the title
  height: number;
}

function headOf(view: View, panel: Panel, width: number): Head {
  if (!panel.title) return { title: [], subtitle: [], beside: false, height: 0 };
  const { font } = view.style;
  const title = wrappedWhole(panel.title, width, kTitleSize, font, 600);
  const used = textWidth(panel.title, kTitleSize, font, 600) + 8;
  const beside = title.length === 1 && !!panel.subtitle && used + textWidth(panel.subtitle, kLabelSize, font) <= width;
  const subtitle = !panel.subtitle ? [] : beside ? [panel.subtitle] : wrappedWhole(panel.subtitle, width, kLabelSize, font);
  return { title, subtitle, beside, height: 3 + kTitleLine * (title.length + (beside ? 0 : subtitle.length)) };
}

function drawHead(view: View, root: SVGElement, head: Head, at: { x: number; y: number; width: number }): void {
  const { x, y, width } = at;
  head.title.forEach((line, i) => {
    root.append(label(view, line, { x, y: y + 13 + i * kTitleLine, size: kTitleSize, weight: 600, width }));
  });
  const used = head.beside ? textWidth(head.title[0] ?? "", kTitleSize, view.style.font, 600) + 8 : 0;
  const first = head.beside ? 0 : head.title.length;
  head.subtitle.forEach((line, i) => {
    root.append(label(view, line, { x: x + used, y: y + 13 + (first + i) * kTitleLine, colour: view.style.muted, width: width - used }));
  });
}

/** Titles as what tells panels apart, and what all of them share, which is said once. */
export function distinguished<T extends Pick<Panel, "title" | "subtitle">>(panels: readonly T[]): { shared: string; panels: readonly T[] } {
  const titles = panels.map((panel) => (panel.title ? panel.title.split(", ") : []));
  const shared = (titles[0] ?? []).filter((part) => titles.every((title) => title.includes(part)));
  if (panels.length < 2 || shared.length === 0) return { shared: "", panels };
  const own = titles.map((title) => title.filter((part) => !shared.includes(part)).join(", "));
  const named = { shared: shared.join(", "), panels };
  if (own.every((title) => title !== "")) return { ...named, panels: panels.map((panel, i) => ({ ...panel, title: own[i] as string })) };
  // Panels of one cell: the arm, which stands behind, is what tells them apart.
  if (own.every((title) => title === "") && panels.every((panel) => panel.subtitle)) {
    return { ...named, panels: panels.map((panel) => ({ ...panel, title: panel.subtitle as string, subtitle: "" })) };
  }
  return { shared: "", panels };
}

export function sheet(view: View, options: SheetOptions): SVGSVGElement {
  const { style, width } = view;
  const root = svgElement("svg", {
    width,
    role: "img",
    "aria-label": options.label,
    "font-family": style.font,
    "font-size": kTickSize,
    fill: style.text,
    color: style.text,
  });
  let y = 2;
  y += drawLegend(view, root, options.legend ?? [], y);
  if (options.wide) {
    const head = headOf(view, options.wide, width);
    drawHead(view, root, head, { x: 0, y, width });
    const drawn = options.wide.draw(width);
    drawn.setAttribute("x", "0");
    drawn.setAttribute("y", String(y + head.height));
    root.append(drawn);
    y += head.height + Number(drawn.getAttribute("height")) + 18;
  }
  const { shared, panels } = distinguished(options.panels);
  if (shared !== "") {
    for (const line of wrapped(`In all panels: ${shared}`, width, kLabelSize, style.font)) {
      root.append(label(view, line, { x: 0, y: y + 11 }));
      y += 16;
    }
    y += 4;
  }
  if (options.yTitle) {
    for (const line of wrapped(`↑ ${options.yTitle}`, width, kLabelSize, style.font)) {
      root.append(label(view, line, { x: 0, y: y + 11, colour: style.muted }));
      y += 16;
    }
    y += 4;
  }
  const gap = options.gap ?? kGap;
  const groups = [...groupBy(panels, (panel) => panel.row)].map(([, group]) => group);
  const longest = Math.max(1, ...groups.map((group) => group.length));
  const columns = columnsFor(longest, width, options.least ?? 260, options.columns ?? 4, gap);
  const each = Math.floor((width - gap * (columns - 1)) / columns);
  const rows = groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / columns) }, (_, i) => group.slice(i * columns, (i + 1) * columns)),
  );
  rows.forEach((row, number) => {
    const heads = row.map((panel) => headOf(view, panel, each));
    const head = Math.max(...heads.map((one) => one.height));
    let deepest = 0;
    row.forEach((panel, column) => {
      const x = column * (each + gap);
      drawHead(view, root, heads[column]!, { x, y, width: each });
      const drawn = panel.draw(each);
      drawn.setAttribute("x", String(x));
      drawn.setAttribute("y", String(y + head));
      root.append(drawn);
      deepest = Math.max(deepest, Number(drawn.getAttribute("height")));
    });
    y += deepest + head + (number + 1 < rows.length ? 14 : 0);
  });
  if (options.xTitle) {
    for (const line of wrapped(`${options.xTitle} →`, width, kLabelSize, style.font)) {
      root.append(label(view, line, { x: width, y: y + 13, colour: style.muted, anchor: "end" }));
      y += 16;
    }
    y += 4;
  }
  root.setAttribute("height", String(Math.ceil(y)));
  root.setAttribute("viewBox", `0 0 ${width} ${Math.ceil(y)}`);
  return root;
}
