// Cells of the experiments on synchronisation: a panel for each operation and size, a row for each way to synchronise.
import type { Levels } from "../../data.ts";
import { bytes, durationTick } from "../../format.ts";
import { varyingFactors } from "../../select.ts";
import { groupBy } from "./facets.ts";

/** "barrier, dither 1 µs": what varies beside operation, size and ranks. */
export function rowName(cell: Levels, among: readonly Levels[]): string {
  const words: string[] = [];
  for (const factor of varyingFactors(among).keys()) {
    const level = cell.factors[factor];
    if (level === undefined) continue;
    if (factor === "sync") words.push(String(level));
    else if (factor === "dither_ns") words.push(Number(level) === 0 ? "no dither" : `dither ${durationTick(Number(level))}`);
    else words.push(`${factor} ${level}`);
  }
  return words.join(", ") || "all";
}

export interface SyncPanel<T> {
  title: string;
  subtitle: string;
  cells: T[];
}

export function syncPanels<T extends Levels>(cells: readonly T[], subtitle: (cell: T) => string): SyncPanel<T>[] {
  const several = new Set(cells.map((cell) => cell.ranks)).size > 1;
  const key = (cell: T): string => `${cell.operation}\n${cell.size_bytes}\n${cell.ranks}\n${subtitle(cell)}`;
  return [...groupBy(cells, key).values()].map((own) => {
    const [first] = own;
    const title = [
      first!.operation,
      ...(first!.size_bytes === null ? [] : [bytes(first!.size_bytes)]),
      ...(several ? [`${first!.ranks} ranks`] : []),
    ].join(", ");
    return { title, subtitle: subtitle(first!), cells: own };
  });
}
