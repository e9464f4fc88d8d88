// Operations and sizes whose factors were measured.
import type { Factors, FactorsTarget } from "../../data.ts";
import type { View } from "../../figure.ts";
import { bytes } from "../../format.ts";
import { hasLevels } from "../../select.ts";
import { spreadOver } from "./arms.ts";
import { bounded, groupBy } from "./facets.ts";

export interface Target extends FactorsTarget {
  index: number; // into Factors.targets
  name: string;
}

export function targetName(target: Pick<FactorsTarget, "operation" | "size_bytes">): string {
  return target.size_bytes === null ? target.operation : `${target.operation}, ${bytes(target.size_bytes)}`;
}

export function targetsOf(view: View, factors: Factors): Target[] {
  return factors.targets
    .map((target, index) => ({ ...target, index, name: targetName(target) }))
    .filter((target) => hasLevels(view.selection, { operation: target.operation, size_bytes: target.size_bytes }));
}

const kWords: Record<string, string> = {
  thp: "huge pages",
  aslr: "random addresses",
};

/** As readers call it; the table keeps the name. */
export function factorWord(factor: string): string {
  return kWords[factor] ?? factor.replaceAll("_", " ");
}

/** At most `most` of what belongs to targets, spread over operations and sizes. */
export function boundedTargets<T extends { target: Target }>(items: readonly T[], most: number): { shown: T[]; note: string | undefined } {
  if (items.length <= most) return { shown: [...items], note: undefined };
  const shown = spreadOver([...groupBy(items, (item) => item.target.operation).values()], most);
  return { shown, note: bounded(items, shown.length, "panels", "operation or size").note };
}
