// Where levels of a factor are compared, they are the series of a figure, and stand side by side in one panel.
import type { Comparison, Levels } from "../../data.ts";
import type { View } from "../../figure.ts";
import { cellKey, cellLabel } from "../../select.ts";
import type { SeriesStyle } from "../../style.ts";
import { armsOf, bySize, levelsOf, type OfCell } from "./arms.ts";
import { groupBy } from "./facets.ts";

export interface Series<T> {
  name: string;
  style: SeriesStyle;
  items: T[];
}

export interface SeriesPanel<T> {
  title: string;
  subtitle?: string;
  row?: string;
  series: Series<T>[];
}

/** Whether levels are series: sizes are places on an axis already. */
function asked(compare: Comparison | null): compare is Comparison & { against: string; levels: NonNullable<Comparison["levels"]> } {
  return !!compare?.against && !!compare.levels && compare.against !== "size_bytes";
}

/** What cells are beside the level: of operations that are compared the panel has all names. */
function besideLevel(cell: Levels, against: string, names: string): Levels {
  if (against === "operation") return { ...cell, operation: names };
  if (against === "ranks") return { ...cell, ranks: 0 };
  const { [against]: _level, ...factors } = cell.factors;
  return { ...cell, factors };
}

function armPanels<T extends OfCell>(view: View, items: readonly T[]): SeriesPanel<T>[] {
  return bySize(view, items).map((panel) => ({
    title: panel.title,
    series: armsOf(view, panel.items).map((name) => ({
      name,
      style: view.style.arm(name),
      items: panel.items.filter((item) => item.arm === name),
    })),
  }));
}

// Placements are measured in launches of their own, and ways of measuring are no levels of anything.
const kApart = new Set(["nodes", "ppn", "mapping", "rank_order", "scheme"]);
const kMostSeries = 16;

/** Factors in which cells of one operation, size and number of ranks differ: their levels were measured in the same launches. */
function factorsInside(cells: readonly Levels[]): string[] {
  const places = [...groupBy(cells, (cell) => JSON.stringify([cell.operation, cell.size_bytes, cell.ranks])).values()];
  const names = Object.keys(cells[0]?.factors ?? {}).filter((name) => !kApart.has(name));
  return names.filter((name) => places.some((place) => new Set(place.map((cell) => cell.factors[name])).size > 1));
}

/** A series an arm and level, side by side on one axis, as long as they can be told apart; else a panel a level. */
function insidePanels<T extends OfCell>(view: View, items: readonly T[]): SeriesPanel<T>[] {
  const { cells } = view.campaign;
  const inside = factorsInside(cells);
  const levelOf = (cell: Levels): string => inside.map((name) => `${name} ${cell.factors[name]}`).join(", ");
  const levels = [...new Set(cells.map(levelOf))];
  const arms = armsOf(view, items);
  if (inside.length === 0 || levels.length * arms.length > kMostSeries) return armPanels(view, items);
  const alike = cells.map((cell) => inside.reduce((rest, name) => besideLevel(rest, name, ""), cell));
  const size = (item: T): number => levelsOf(view, item).size_bytes ?? -1;
  const ordered = [...items].sort((one, other) => size(one) - size(other));
  // Colours are given out among all arms of the campaign: choosing some changes none.
  const everyArm = view.campaign.arms.map((arm) => arm.label);
  const names = arms.flatMap((arm) =>
    levels.map((level, i) => ({
      arm,
      level,
      name: arms.length > 1 ? `${arm}, ${level}` : level,
      style: view.style.series("level", everyArm.indexOf(arm) * levels.length + i),
    })),
  );
  return [...groupBy(ordered, (item) => cellLabel(alike[item.cell]!, alike))].map(([title, of]) => ({
    title,
    series: names
      .map(({ arm, level, name, style }) => ({
        name,
        style,
        items: of.filter((item) => item.arm === arm && levelOf(levelsOf(view, item)) === level),
      }))
      .filter((one) => one.items.length > 0),
  }));
}

/** Panels whose cells differ in size, or in levels inside launches: a series an arm (and level) or, where levels are compared, a panel an arm and a series a level. */
export function seriesPanels<T extends OfCell>(view: View, items: readonly T[]): SeriesPanel<T>[] {
  const { campaign, style } = view;
  const { compare } = campaign;
  if (!asked(compare)) return insidePanels(view, items);
  const { against } = compare;
  const levels = new Map(compare.levels.map((one) => [cellKey(one), one.level]));
  const names = [...new Set(levels.values())];
  const all = campaign.cells.map((cell) => besideLevel(cell, against, names.join(", ")));
  const levelOf = (item: T): string | undefined => levels.get(cellKey(levelsOf(view, item)));
  const size = (item: T): number => levelsOf(view, item).size_bytes ?? -1;
  const ordered = items.filter((item) => levelOf(item) !== undefined).sort((one, other) => size(one) - size(other));
  const several = armsOf(view, items).length > 1;
  const compared = [...groupBy(ordered, (item) => cellLabel(all[item.cell]!, all))].flatMap(([title, alike]) =>
    armsOf(view, alike).map((arm) => ({
      title,
      ...(several ? { subtitle: arm, row: title } : {}),
      series: names
        .map((name) => ({ name, style: style.level(name), items: alike.filter((item) => item.arm === arm && levelOf(item) === name) }))
        .filter((one) => one.items.length > 0),
    })),
  );
  // What has no other level beside it.
  return [...compared, ...armPanels(view, items.filter((item) => levelOf(item) === undefined))];
}
