// What belongs to cells and arms of a campaign: the selected part of it, in panels.
import type { Levels } from "../../data.ts";
import type { View } from "../../figure.ts";
import { cellLabel, hasArm, hasLevels } from "../../select.ts";
import { bounded } from "./facets.ts";
import type { LegendEntry } from "./sheet.ts";

export interface OfCell {
  cell: number; // index into Campaign.cells
  arm: string;
}

export function levelsOf(view: View, item: OfCell): Levels {
  return view.campaign.cells[item.cell] ?? { operation: "?", size_bytes: null, ranks: 0, factors: {} };
}

export function selectedItems<T extends OfCell>(view: View, items: readonly T[]): T[] {
  return items.filter((item) => hasArm(view.selection, item.arm) && hasLevels(view.selection, levelsOf(view, item)));
}

export interface CellPanel<T> {
  title: string;
  items: T[];
}

/** Panels whose cells differ in size only. */
export function bySize<T extends OfCell>(view: View, items: readonly T[]): CellPanel<T>[] {
  const panels = new Map<string, T[]>();
  for (const item of items) {
    const title = cellLabel(levelsOf(view, item), view.campaign.cells);
    if (!panels.has(title)) panels.set(title, []);
    panels.get(title)!.push(item);
  }
  return [...panels].map(([title, of]) => ({
    title,
    items: of.sort((a, b) => (levelsOf(view, a).size_bytes ?? -1) - (levelsOf(view, b).size_bytes ?? -1)),
  }));
}

/** One panel a cell, with all its arms. */
export function byCell<T extends OfCell>(items: readonly T[]): { cell: number; items: T[] }[] {
  const panels = new Map<number, T[]>();
  for (const item of items) {
    if (!panels.has(item.cell)) panels.set(item.cell, []);
    panels.get(item.cell)!.push(item);
  }
  return [...panels].map(([cell, of]) => ({ cell, items: of })).sort((a, b) => a.cell - b.cell);
}

/**
 * The cells that a figure with a panel for each can show: spread over the sizes of all that is selected, because the first
 * ones would be all small. The note says which, and how to see the others.
 */
export function boundedCells<T extends OfCell>(
  items: readonly T[],
  most: number,
): { shown: { cell: number; items: T[] }[]; note: string | undefined } {
  const all = byCell(items);
  if (all.length <= most) return { shown: all, note: undefined };
  const { note } = bounded(all, most, "cells", "operations and sizes");
  const at = (i: number): number => Math.round((i * (all.length - 1)) / Math.max(1, most - 1));
  return { shown: Array.from({ length: most }, (_, i) => all[at(i)]!), note };
}

/** Arms in the campaign's order, only those of `items`. */
export function armsOf(view: View, items: readonly OfCell[]): string[] {
  const there = new Set(items.map((item) => item.arm));
  return view.campaign.arms.map((arm) => arm.label).filter((label) => there.has(label));
}

export function armLegend(view: View, arms: readonly string[], kind: "point" | "line" | "both" | "area"): LegendEntry[] {
  return arms.map((arm) => {
    const { colour, symbol, dash } = view.style.arm(arm);
    return {
      label: arm,
      colour,
      ...(kind === "point" || kind === "both" ? { symbol } : {}),
      ...(kind === "line" || kind === "both" || kind === "area" ? { dash } : {}),
      ...(kind === "area" ? { area: 0.18 } : {}),
    };
  });
}
