// Help for figures: plots with the page's looks, legends inside the picture, grids of panels, all in one SVG element, so that
// the SVG and PNG buttons give all of it.
import * as Plot from "@observablehq/plot";
import type { View } from "./figure.ts";
import { FONT, SYMBOLS, type SeriesStyle } from "./style.ts";

const SVG = "http://www.w3.org/2000/svg";
export const FONT_SIZE = 12;

export function svgElement<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number | null | undefined> = {},
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, String(value));
  }
  return element;
}

let measuring: CanvasRenderingContext2D | null = null;

/** Width of a text in px, as figures draw it. */
export function textWidth(text: string, size = FONT_SIZE, weight = "400"): number {
  measuring ??= document.createElement("canvas").getContext("2d");
  if (!measuring) return text.length * size * 0.6;
  measuring.font = `${weight} ${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

export function text(
  content: string,
  x: number,
  y: number,
  attributes: Record<string, string | number> = {},
): SVGTextElement {
  const element = svgElement("text", { x, y, fill: "var(--text)", "font-size": FONT_SIZE, "font-family": FONT, ...attributes });
  element.textContent = content;
  return element;
}

/**
 * Plot.plot with the page's font and size, always a bare SVG: no title, caption or HTML legend (use `legend`). Grid lines are
 * faint, ticks short. `options.width` or the view's.
 */
export function plot(view: View, options: Plot.PlotOptions): SVGSVGElement {
  const { title: _title, caption: _caption, ...bare } = options;
  const element = Plot.plot({
    width: view.width,
    ...bare,
    style: {
      fontFamily: FONT,
      fontSize: `${FONT_SIZE}px`,
      color: "var(--text)",
      background: "none",
      overflow: "visible",
      ...(typeof options.style === "object" && options.style ? options.style : {}),
    } as Partial<CSSStyleDeclaration>,
  });
  const svg = element instanceof SVGSVGElement ? element : element.querySelector("svg:last-of-type");
  if (!(svg instanceof SVGSVGElement)) throw new Error("Plot gave no SVG element");
  svg.removeAttribute("role");
  return svg;
}

function size(svg: SVGSVGElement): { width: number; height: number } {
  return { width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

function outer(width: number, height: number): SVGSVGElement {
  return svgElement("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": FONT,
    "font-size": FONT_SIZE,
  });
}

function place(svg: SVGSVGElement, x: number, y: number): SVGSVGElement {
  svg.setAttribute("x", String(x));
  svg.setAttribute("y", String(y));
  return svg;
}

/** One below the other. null is left out. */
export function stack(view: View, parts: readonly (SVGSVGElement | null)[], gap = 8): SVGSVGElement {
  const there = parts.filter((part): part is SVGSVGElement => part !== null);
  let y = 0;
  for (const part of there) {
    place(part, 0, y);
    y += size(part).height + gap;
  }
  const all = outer(view.width, Math.max(0, y - gap));
  all.append(...there);
  return all;
}

export interface LegendEntry {
  label: string;
  style?: SeriesStyle; // or `colour`
  colour?: string;
  /** symbol: filled; hollow: outline; line: with the dash; line-symbol: both; area: a box; band: a pale box. */
  kind?: "symbol" | "hollow" | "line" | "line-symbol" | "area" | "band";
}

// The same shapes as Plot's (d3's) symbols, from d3 through Plot's own mark: no second copy of the geometry here.
function symbolPath(name: (typeof SYMBOLS)[number], hollow: boolean, colour: string): SVGSVGElement {
  const svg = Plot.plot({
    axis: null,
    width: 14,
    height: 14,
    margin: 0,
    x: { type: "identity" },
    y: { type: "identity" },
    marks: [
      Plot.dot([[7, 7]], {
        symbol: name,
        r: 4.5,
        fill: hollow ? "var(--background)" : colour,
        stroke: colour,
        strokeWidth: hollow ? 1.75 : 1,
      }),
    ],
  });
  return svg as SVGSVGElement;
}

/** A row of entries, wrapped to the width. null if there are fewer than `least` of them. */
export function legend(view: View, entries: readonly LegendEntry[], least = 1): SVGSVGElement | null {
  if (entries.length < least) return null;
  const line = 20;
  const mark = 24;
  let x = 0;
  let y = 0;
  const placed = entries.map((entry) => {
    const width = mark + 6 + textWidth(entry.label) + 18;
    if (x > 0 && x + width > view.width) {
      x = 0;
      y += line;
    }
    const at = { entry, x, y };
    x += width;
    return at;
  });
  const svg = outer(view.width, y + line + 2);
  for (const { entry, x: left, y: top } of placed) {
    const colour = entry.style?.colour ?? entry.colour ?? "var(--text)";
    const kind = entry.kind ?? "symbol";
    const middle = top + line / 2;
    if (kind === "line" || kind === "line-symbol") {
      svg.append(
        svgElement("line", {
          x1: left,
          x2: left + mark,
          y1: middle,
          y2: middle,
          stroke: colour,
          "stroke-width": 2,
          "stroke-dasharray": entry.style?.dash || null,
        }),
      );
    }
    if (kind === "area" || kind === "band") {
      svg.append(
        svgElement("rect", {
          x: left + 4,
          y: middle - 6,
          width: mark - 8,
          height: 12,
          fill: colour,
          "fill-opacity": kind === "band" ? 1 : 0.6,
          stroke: kind === "band" ? "var(--muted)" : colour,
          "stroke-width": kind === "band" ? 0.5 : 1,
        }),
      );
    }
    if (kind === "symbol" || kind === "hollow" || kind === "line-symbol") {
      svg.append(place(symbolPath(entry.style?.symbol ?? "circle", kind === "hollow", colour), left + mark / 2 - 7, middle - 7));
    }
    svg.append(text(entry.label, left + mark + 6, middle + 4));
  }
  return svg;
}

export interface GridPanel {
  label: string;
  draw(width: number, height: number): SVGSVGElement;
}

/**
 * Panels of equal size with their labels, as many in a row as `least_width` allows (at most `columns`), at most as many
 * columns as panels. `height` is a panel's without its label.
 */
export function grid(
  view: View,
  panels: readonly GridPanel[],
  options: { height: number; least_width?: number; columns?: number; gap?: number },
): SVGSVGElement {
  const gap = options.gap ?? 24;
  const fit = Math.max(1, Math.floor((view.width + gap) / ((options.least_width ?? 300) + gap)));
  const columns = Math.max(1, Math.min(fit, options.columns ?? 3, panels.length));
  const width = Math.floor((view.width - gap * (columns - 1)) / columns);
  const title = panels.length > 1 || panels.some((panel) => panel.label) ? 22 : 0;
  const rows = Math.ceil(panels.length / columns);
  const drawn = panels.map((panel) => panel.draw(width, options.height));
  const heights = Array.from({ length: rows }, (_, row) =>
    Math.max(...drawn.slice(row * columns, (row + 1) * columns).map((svg) => size(svg).height)),
  );
  const total = heights.reduce((sum, height) => sum + height + title, 0) + (rows - 1) * 16;
  const all = outer(view.width, total);
  let y = 0;
  for (let row = 0; row < rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const i = row * columns + column;
      const svg = drawn[i];
      if (!svg) break;
      const x = column * (width + gap);
      if (title) all.append(text(panels[i]?.label ?? "", x, y + 13, { "font-weight": 600 }));
      all.append(place(svg, x, y + title));
    }
    y += (heights[row] ?? 0) + title + 16;
  }
  return all;
}
