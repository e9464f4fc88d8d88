// A memory's model in words and numbers: what stands beside its figures, as tables.
import { type Answer, rowsOf, tableOf } from "../../answers.ts";
import type { Value } from "../../figure.ts";
import { bytes, digits, interval, share } from "../../format.ts";
import type { NamedTable } from "../kit/named-table.ts";
import type { Cache, Limit, Pitfall } from "./memory-rows.ts";

/** With its arm where there are several. */
function named<Row extends { arm: string }>(answer: Answer, id: string, title: string, columns: Record<string, (row: Row) => Value>): NamedTable[] {
  const rows = rowsOf<Row>(tableOf(answer, id));
  if (rows.length === 0) return [];
  const several = new Set(rows.map(({ arm }) => arm)).size > 1;
  const all = Object.entries({ ...(several ? { arm: ({ arm }: Row): Value => arm } : {}), ...columns });
  return [{ title, table: { columns: all.map(([name]) => name), rows: rows.map((row) => all.map(([, value]) => value(row))) } }];
}

const size = (value: number | null): string => bytes(value === null ? null : Math.round(value));

function behaviour({ behaves_bytes, behaves_low_bytes, behaves_high_bytes }: Cache): string {
  if (behaves_bytes === null) return "no knee is near";
  return size(behaves_bytes) + (behaves_low_bytes === null ? "" : ` [${interval(behaves_low_bytes, behaves_high_bytes, size)}]`);
}

/** Caches as they are told and as they behave, what bounds the numbers, and what misleads; what there is not is left out. */
export function memoryTables(answer: Answer | null): NamedTable[] {
  if (answer === null) return [];
  return [
    ...named<Cache>(answer, "hierarchy", "Caches: what they say, and how they behave", {
      cache: ({ cache }) => cache,
      says: ({ told_bytes }) => bytes(told_bytes),
      "behaves as": behaviour,
      by: ({ by }) => by,
      shape: ({ shape }) => shape ?? "",
      contradicts: ({ contradicts }) => (contradicts === null ? "not judged" : contradicts ? "yes" : ""),
      why: ({ why }) => why ?? "",
    }),
    ...named<Limit>(answer, "limits", "Limits", {
      limit: ({ limit }) => limit,
      of: ({ of }) => of,
      value: ({ value, unit }) => `${digits(value, 3)} ${unit}`,
      reached: ({ reached }) => (reached === null ? "" : share(reached)),
      how: ({ how }) => how,
    }),
    ...named<Pitfall>(answer, "pitfalls", "Pitfalls: what a naive benchmark would conclude", {
      pitfall: ({ pitfall }) => pitfall,
      of: ({ of }) => of ?? "",
      found: ({ found }) => found,
      seen: ({ seen }) => seen,
      naive: ({ naive }) => naive ?? "",
    }),
  ];
}
