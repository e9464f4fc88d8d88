// The selection: which cells and arms it leaves, and which filters there are.
import type { Campaign, Levels } from "./data.ts";
import type { Selection } from "./figure.ts";
import { bytes } from "./format.ts";

export const EVERYTHING: Selection = { campaign: 0, operations: null, sizes: null, ranks: null, arms: null, levels: {} };

export function sizeKey(size_bytes: number | null): string {
  return size_bytes === null ? "none" : String(size_bytes);
}

/** Whether the selection has a cell with these levels. A factor that the cell does not have excludes nothing. */
export function hasLevels(selection: Selection, levels: Pick<Levels, "operation" | "size_bytes"> & Partial<Levels>): boolean {
  if (selection.operations && !selection.operations.includes(levels.operation)) return false;
  if (selection.sizes && !selection.sizes.includes(sizeKey(levels.size_bytes))) return false;
  if (selection.ranks && levels.ranks !== undefined && !selection.ranks.includes(String(levels.ranks))) return false;
  for (const [factor, wanted] of Object.entries(selection.levels)) {
    const level = levels.factors?.[factor];
    if (level !== undefined && !wanted.includes(String(level))) return false;
  }
  return true;
}

/** The same for cells with the same levels. */
export function cellKey({ operation, size_bytes, ranks, factors }: Levels): string {
  return JSON.stringify([operation, size_bytes, ranks, Object.entries(factors).sort(([one], [other]) => (one < other ? -1 : 1))]);
}

export function hasArm(selection: Selection, label: string): boolean {
  return !selection.arms || selection.arms.includes(label);
}

type Factors = ReadonlyMap<string, string[]>;

/** The same levels stand in several families, so that nothing else tells these cells apart. */
function familiesTellApart(cells: readonly Levels[]): boolean {
  const familyOf = new Map<string, string>();
  return cells.some((cell) => {
    const { family, ...factors } = cell.factors;
    const key = cellKey({ ...cell, factors });
    const known = familyOf.get(key);
    familyOf.set(key, String(family ?? ""));
    return known !== undefined && known !== String(family ?? "");
  });
}

function varying(cells: readonly Levels[]): Factors {
  const levels = new Map<string, Set<string>>();
  for (const { factors } of cells) {
    for (const [factor, level] of Object.entries(factors)) {
      const found = levels.get(factor);
      if (found) found.add(String(level));
      else levels.set(factor, new Set([String(level)]));
    }
  }
  // A family says what is compared with each other, and is not a level of anything.
  if ((levels.get("family")?.size ?? 0) > 1 && !familiesTellApart(cells)) levels.delete("family");
  return new Map([...levels].filter(([, found]) => found.size > 1).map(([factor, found]) => [factor, [...found]]));
}

// What is found out about a list of cells, once: figures ask for every cell of thousands. Lists of cells never change.
interface Among {
  varying?: Factors;
  ranks: Set<number>;
  varyingOf: Map<string, Factors>; // by operation
  labels: Map<Levels, string>;
}
const known = new WeakMap<readonly Levels[], Among>();

function about(cells: readonly Levels[]): Among {
  let found = known.get(cells);
  if (!found) {
    const byOperation = new Map<string, Levels[]>();
    for (const cell of cells) {
      const alike = byOperation.get(cell.operation);
      if (alike) alike.push(cell);
      else byOperation.set(cell.operation, [cell]);
    }
    found = {
      ranks: new Set(cells.map((cell) => cell.ranks)),
      varyingOf: new Map([...byOperation].map(([operation, alike]) => [operation, varying(alike)])),
      labels: new Map(),
    };
    known.set(cells, found);
  }
  return found;
}

/** Factors (beside operation, size and ranks) whose levels differ between cells that have them: name -> levels as text. */
export function varyingFactors(cells: readonly Levels[]): Factors {
  const among = about(cells);
  return (among.varying ??= varying(cells));
}

/**
 * What tells cells apart beside their size: "allreduce", "bcast, 4 ranks, sync barrier". Only what varies among `among` is
 * named, the operation always. `among` is looked through once, however many of its cells are asked for.
 */
export function cellLabel(cell: Levels, among: readonly Levels[]): string {
  const { ranks, varyingOf, labels } = about(among);
  const before = labels.get(cell);
  if (before !== undefined) return before;
  const parts = [cell.operation];
  if (ranks.size > 1 || (ranks.size === 1 && !ranks.has(cell.ranks))) parts.push(`${cell.ranks} ranks`);
  // Factors that only tell operations apart (a root, a datatype) need no name beside the operation's.
  for (const factor of varyingOf.get(cell.operation)?.keys() ?? []) {
    const level = cell.factors[factor];
    if (level !== undefined) parts.push(`${factor} ${level}`);
  }
  const label = parts.join(", ");
  labels.set(cell, label);
  return label;
}

/** The same with the size: "allreduce, 8 B". */
export function cellName(cell: Levels, among: readonly Levels[]): string {
  const label = cellLabel(cell, among);
  return cell.size_bytes === null ? label : `${label}, ${bytes(cell.size_bytes)}`;
}

export interface Panel<T> {
  label: string;
  items: T[]; // by size
}

/** Splits what has levels into panels that differ in size only (and in whatever else T holds, such as the arm). */
export function panels<T>(items: readonly T[], levelsOf: (item: T) => Levels): Panel<T>[] {
  const all = items.map(levelsOf);
  const found = new Map<string, Panel<T>>();
  items.forEach((item, i) => {
    const label = cellLabel(all[i] as Levels, all);
    if (!found.has(label)) found.set(label, { label, items: [] });
    found.get(label)?.items.push(item);
  });
  for (const panel of found.values()) {
    panel.items.sort((a, b) => (levelsOf(a).size_bytes ?? -1) - (levelsOf(b).size_bytes ?? -1));
  }
  return [...found.values()];
}

/** At most `most` of them, evenly spread, the first and the last among them. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  if (most === 1) return items.slice(0, 1);
  return Array.from({ length: most }, (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))] as T);
}

export interface Filters {
  campaigns: string[]; // names
  operations: string[];
  sizes: string[]; // keys as in Selection, ascending
  ranks: string[];
  arms: string[];
  levels: Map<string, string[]>;
}

/** What can be chosen in a campaign; a filter with a single choice is not a filter, and is shown as none. */
export function filtersOf(campaigns: readonly Campaign[], campaign: Campaign | undefined): Filters {
  const cells = campaign?.cells ?? [];
  const sizes = [...new Set(cells.map((cell) => cell.size_bytes))].sort((a, b) => (a ?? -1) - (b ?? -1));
  const ranks = [...new Set(cells.map((cell) => cell.ranks))].sort((a, b) => a - b);
  const operations = [...new Set(cells.map((cell) => cell.operation))];
  // What only tells operations apart (a datatype, a root) is chosen by choosing these.
  const within = new Set([...about(cells).varyingOf.values()].flatMap((factors) => [...factors.keys()]));
  return {
    campaigns: campaigns.map((c) => c.name),
    operations,
    sizes: sizes.map(sizeKey),
    ranks: ranks.map(String),
    arms: (campaign?.arms ?? []).map((arm) => arm.label),
    levels: new Map([...varyingFactors(cells)].filter(([factor]) => within.has(factor))),
  };
}

const LIST_KEYS = { op: "operations", size: "sizes", ranks: "ranks", arm: "arms" } as const;

function encode(text: string): string {
  // Commas join lists, so they are escaped beside what every URL escapes.
  return encodeURIComponent(text).replace(/%20/g, "+");
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replace(/\+/g, "%20"));
  } catch {
    return null;
  }
}

/** Fragment without "#": "times?op=bcast&size=8,1024&f.sync=barrier". `target`: id of a section or figure, or "". */
export function toFragment(selection: Selection, target: string): string {
  const parts: string[] = [];
  if (selection.campaign > 0) parts.push(`campaign=${selection.campaign + 1}`);
  for (const [key, name] of Object.entries(LIST_KEYS)) {
    const list = selection[name as "operations"];
    if (list) parts.push(`${key}=${list.map(encode).join(",")}`);
  }
  for (const [factor, levels] of Object.entries(selection.levels)) {
    parts.push(`f.${encode(factor)}=${levels.map(encode).join(",")}`);
  }
  return encode(target) + (parts.length > 0 ? `?${parts.join("&")}` : "");
}

/**
 * Reads a fragment, with or without "#". What the data does not have is left out; a list of which nothing remains, or
 * everything, is "all".
 */
export function fromFragment(fragment: string, campaigns: readonly Campaign[]): { selection: Selection; target: string } {
  const text = fragment.replace(/^#/, "");
  const question = text.indexOf("?");
  const target = decode(question < 0 ? text : text.slice(0, question)) ?? "";
  const selection: Selection = { ...EVERYTHING, levels: {} };
  const pairs = (question < 0 ? "" : text.slice(question + 1))
    .split("&")
    .filter(Boolean)
    .map((pair) => {
      const equal = pair.indexOf("=");
      const key = decode(equal < 0 ? pair : pair.slice(0, equal)) ?? "";
      const values = (equal < 0 ? "" : pair.slice(equal + 1)).split(",").map(decode);
      return { key, values: values.filter((value): value is string => value !== null) };
    });
  for (const { key, values } of pairs) {
    const number = Number(values[0]) - 1;
    if (key === "campaign" && Number.isInteger(number) && number >= 0 && number < campaigns.length) selection.campaign = number;
  }
  const filters = filtersOf(campaigns, campaigns[selection.campaign]);
  const known = (values: string[], choices: string[]): string[] | null => {
    const kept = choices.filter((choice) => values.includes(choice));
    return kept.length === 0 || kept.length === choices.length ? null : kept;
  };
  for (const { key, values } of pairs) {
    if (key in LIST_KEYS) {
      const name = LIST_KEYS[key as keyof typeof LIST_KEYS];
      selection[name] = known(values, filters[name]);
    } else if (key.startsWith("f.")) {
      const kept = known(values, filters.levels.get(key.slice(2)) ?? []);
      if (kept) selection.levels[key.slice(2)] = kept;
    }
  }
  return { selection, target };
}
