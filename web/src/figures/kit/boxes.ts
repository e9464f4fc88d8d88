// Tukey's boxes: their numbers come with the data, here they are drawn.
import * as Plot from "@observablehq/plot";
import type { Box } from "../../data.ts";

/** A line of a length in pixels, as a symbol. */
function flat(half: number, upright: boolean): Plot.SymbolType {
  return {
    draw: (path: { moveTo(x: number, y: number): void; lineTo(x: number, y: number): void }) => {
      path.moveTo(upright ? 0 : -half, upright ? -half : 0);
      path.lineTo(upright ? 0 : half, upright ? half : 0);
    },
  };
}

interface BoxLook {
  colour: string;
  half: number; // px, half of the width
  dx?: number;
  opacity?: number; // of the box
  median?: string; // colour
}

/** Upright boxes at x. The box is a thick line, because its width is in pixels. */
export function boxes<T>(items: readonly T[], x: (item: T) => number, of: (item: T) => Box, look: BoxLook): Plot.Markish[] {
  const common = { x, dx: look.dx ?? 0, stroke: look.colour };
  return [
    Plot.ruleX(items, { ...common, y1: (d: T) => of(d).low, y2: (d: T) => of(d).q1, strokeWidth: 1.5 }),
    Plot.ruleX(items, { ...common, y1: (d: T) => of(d).q3, y2: (d: T) => of(d).high, strokeWidth: 1.5 }),
    Plot.ruleX(items, {
      ...common,
      y1: (d: T) => of(d).q1,
      y2: (d: T) => of(d).q3,
      strokeWidth: look.half * 2,
      strokeOpacity: look.opacity ?? 0.4,
    }),
    Plot.dot(items, {
      x,
      y: (d: T) => of(d).median,
      dx: look.dx ?? 0,
      r: look.half,
      symbol: flat(look.half, false),
      stroke: look.median ?? look.colour,
      strokeWidth: 2.5,
    }),
  ];
}

/** Boxes that lie at y. */
export function lyingBoxes<T>(items: readonly T[], y: (item: T) => number, of: (item: T) => Box, look: BoxLook): Plot.Markish[] {
  const common = { y, stroke: look.colour };
  return [
    Plot.ruleY(items, { ...common, x1: (d: T) => of(d).low, x2: (d: T) => of(d).q1, strokeWidth: 1.5 }),
    Plot.ruleY(items, { ...common, x1: (d: T) => of(d).q3, x2: (d: T) => of(d).high, strokeWidth: 1.5 }),
    Plot.ruleY(items, {
      ...common,
      x1: (d: T) => of(d).q1,
      x2: (d: T) => of(d).q3,
      strokeWidth: look.half * 2,
      strokeOpacity: look.opacity ?? 0.4,
    }),
    Plot.dot(items, {
      y,
      x: (d: T) => of(d).median,
      r: look.half,
      symbol: flat(look.half, true),
      stroke: look.median ?? look.colour,
      strokeWidth: 2.5,
    }),
  ];
}
