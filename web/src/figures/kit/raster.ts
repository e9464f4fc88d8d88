// Densities of very many points as a picture inside the SVG. The picture is a mask over one colour, so that it follows the
// theme and is saved with the figure.
import { place, type Axis } from "./chart.ts";
import { svgElement } from "./sheet.ts";

export interface Raster {
  columns: number[]; // edges along x
  rows: number[]; // edges along y
  counts: readonly (readonly [column: number, row: number, count: number])[];
}

let masks = 0;

/** How dark a cell is, (0, 1]: logarithmic, and a single observation can still be seen. */
export function darkness(count: number, most: number): number {
  if (count <= 0) return 0;
  return most <= 1 ? 1 : 0.22 + 0.78 * (Math.log(count) / Math.log(most));
}

/** Pixels from the top left corner of a frame of `width` x `height`; at least one each way, or narrow columns vanish. */
export function pixelsOf(
  raster: Raster,
  x: Pick<Axis, "type" | "domain">,
  y: Pick<Axis, "type" | "domain">,
  width: number,
  height: number,
): { left: number; top: number; width: number; height: number; darkness: number }[] {
  const across = raster.columns.map((edge) => Math.round(place(x, edge, 0, width)));
  const down = raster.rows.map((edge) => Math.round(place(y, edge, height, 0)));
  const most = Math.max(1, ...raster.counts.map(([, , count]) => count));
  return raster.counts.flatMap(([column, row, count]) => {
    const left = across[column];
    const right = across[column + 1];
    const bottom = down[row];
    const top = down[row + 1];
    if (left === undefined || right === undefined || bottom === undefined || top === undefined) return [];
    return [{ left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top), darkness: darkness(count, most) }];
  });
}

/** An element for `frame` (px inside the drawing), or null where there is no canvas. */
export function rasterElement(
  raster: Raster,
  axes: { x: Axis; y: Axis },
  frame: { left: number; top: number; width: number; height: number },
  colour: string,
): SVGGElement | null {
  const scale = 2; // sharp on dense screens and in print
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(frame.width * scale));
  canvas.height = Math.max(1, Math.round(frame.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return null;
  for (const cell of pixelsOf(raster, axes.x, axes.y, canvas.width, canvas.height)) {
    context.fillStyle = `rgba(255, 255, 255, ${cell.darkness.toFixed(3)})`;
    context.fillRect(cell.left, cell.top, cell.width, cell.height);
  }
  const area = { x: frame.left, y: frame.top, width: frame.width, height: frame.height };
  masks += 1;
  const id = `raster-${masks}`;
  const mask = svgElement("mask", { id, maskUnits: "userSpaceOnUse", ...area });
  mask.append(svgElement("image", { href: canvas.toDataURL("image/png"), preserveAspectRatio: "none", ...area }));
  const group = svgElement("g", { "aria-hidden": "true" });
  group.append(mask, svgElement("rect", { ...area, fill: colour, mask: `url(#${id})` }));
  return group;
}
