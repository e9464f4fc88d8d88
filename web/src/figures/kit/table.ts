// Columns that say which cell a row of a figure's table belongs to.
import type { Levels } from "../../data.ts";
import type { Value } from "../../figure.ts";
import { varyingFactors } from "../../select.ts";

export interface LevelColumns {
  columns: string[];
  of(levels: Levels): Value[];
}

/** Operation, size, ranks, and the factors that vary among `all`. */
export function levelColumns(all: readonly Levels[]): LevelColumns {
  const factors = [...varyingFactors(all).keys()];
  return {
    columns: ["operation", "size (B)", "ranks", ...factors],
    of: (levels) => [
      levels.operation,
      levels.size_bytes,
      levels.ranks,
      ...factors.map((factor) => {
        const level = levels.factors[factor];
        return level === undefined ? null : typeof level === "boolean" ? String(level) : level;
      }),
    ],
  };
}
