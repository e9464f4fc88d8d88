// A network's model in words and numbers: what stands beside its figures, as tables.
import { type Answer, rowsOf, tableOf } from "../../answers.ts";
import type { Value } from "../../figure.ts";
import { bytes } from "../../format.ts";
import type { NamedTable } from "../kit/named-table.ts";
import type { ModelRow, Threshold } from "./network-rows.ts";

interface Parameter extends ModelRow {
  model: string;
  parameter: string;
  sizes: string;
  state: string;
  value: string | null;
  why: string | null;
}

interface Platform extends ModelRow {
  platform: string;
  hosts: string;
  run: string;
}

/** Rows of the reference regime, behind what tells models apart. */
function named<Row extends ModelRow>(answer: Answer, id: string, title: string, columns: Record<string, (row: Row) => Value>): NamedTable[] {
  const rows = rowsOf<Row>(tableOf(answer, id)).filter(({ regime }) => (regime ?? null) === null);
  if (rows.length === 0) return [];
  const who: Record<string, (row: Row) => Value> = {
    ...(new Set(rows.map(({ arm }) => arm)).size > 1 ? { arm: ({ arm }: Row) => arm } : {}),
    ...(rows.some(({ place }) => place) ? { place: ({ place }: Row) => place } : {}),
  };
  const all = Object.entries({ ...who, ...columns });
  return [{ title, table: { columns: all.map(([name]) => name), rows: rows.map((row) => all.map(([, value]) => value(row))) } }];
}

/** Parameters by ranges of sizes, thresholds, and the files that a simulator takes; what there is not is left out. */
export function modelTables(answer: Answer | null): NamedTable[] {
  if (answer === null) return [];
  return [
    ...named<Parameter>(answer, "parameters", "Parameters", {
      model: ({ model }) => model,
      parameter: ({ parameter }) => parameter,
      sizes: ({ sizes }) => sizes,
      value: ({ value, state }) => value ?? state,
      state: ({ state }) => state,
      why: ({ why }) => why ?? "",
    }),
    ...named<Threshold & { what: string }>(answer, "thresholds", "Thresholds: where the library sends in another way", {
      threshold: ({ threshold }) => threshold,
      above: ({ last_bytes }) => (last_bytes === null ? null : bytes(last_bytes)),
      "up to": ({ first_bytes }) => (first_bytes === null ? null : bytes(first_bytes)),
      what: ({ what }) => what,
      why: ({ why }) => why ?? "",
    }),
    ...named<Platform>(answer, "platforms", "Platforms for SimGrid, in the campaign's directory", {
      platform: ({ platform }) => platform,
      hosts: ({ hosts }) => hosts,
      run: ({ run }) => run,
    }),
  ];
}
