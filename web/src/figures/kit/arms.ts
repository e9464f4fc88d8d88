// What belongs to cells and arms of a campaign: the selected part of it, in panels.
import type { Levels } from "../../data.ts";
import type { View } from "../../figure.ts";
import { plural } from "../../format.ts";
import { cellLabel, hasArm, hasLevels, spread } from "../../select.ts";
import { bounded, groupBy, joinNotes } from "./facets.ts";
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
 * `most` of them, spread over all operations and, from one operation to the next, over its sizes: the first ones would be
 * all small, and every n-th one may be always of the same size.
 */
export function spreadOver<T>(groups: readonly (readonly T[])[], most: number): T[] {
  const some = spread(groups, most);
  return some.flatMap((group, i) => {
    // What does not divide goes to the first groups.
    const own = Math.min(group.length, Math.floor(most / some.length) + (i < most % some.length ? 1 : 0));
    if (own !== 1) return spread(group, own);
    const at = some.length > 1 ? Math.round((i / (some.length - 1)) * (group.length - 1)) : 0;
    return [group[at]!];
  });
}

/** The cells that a figure with a panel for each can show; the note says how many there are, and how to see the others. */
export function boundedCells<T extends OfCell>(
  view: View,
  items: readonly T[],
  most: number,
): { shown: { cell: number; items: T[] }[]; note: string | undefined } {
  const all = byCell(items);
  if (all.length <= most) return { shown: all, note: undefined };
  const groups = groupBy(all, ({ items: of }) => cellLabel(levelsOf(view, of[0]!), view.campaign.cells));
  const { length } = spreadOver([...groups.values()], most);
  const { note } = bounded(all, length, "cells", "operations and sizes");
  return { shown: spreadOver([...groups.values()], most), note };
}

/**
 * The same for figures with a panel for each cell and arm: at most `most` of them, the arms of a cell together. The note also
 * counts the panels of arms that a cell has beyond that.
 */
export function boundedPanels<T extends OfCell>(view: View, items: readonly T[], most: number): { shown: T[]; note: string | undefined } {
  const arms = new Set(items.map((item) => item.arm)).size;
  const { shown, note } = boundedCells(view, items, Math.max(1, Math.floor(most / Math.max(1, arms))));
  const all = shown.flatMap((cell) => cell.items);
  const dropped = all.length - most;
  return {
    shown: all.slice(0, most),
    note: joinNotes(
      note,
      dropped > 0 ? `${plural(dropped, "more arm is", "more arms are")} not drawn: choose libraries in the filters.` : undefined,
    ),
  };
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
