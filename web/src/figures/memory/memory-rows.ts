// Rows of an answer about a memory's model.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { View } from "../../figure.ts";
import { hasArm } from "../../select.ts";

export const kQuestion = "memory" as const;

/** What all rows of walks begin with: a walk is an operation with its levels, where it has other ones than usual. */
export interface WalkRow {
  arm: string;
  operation: string;
  place: string | null;
}

/** A buffer size of a walk: chains have a latency, all others a bandwidth. */
export interface WalkPoint extends WalkRow {
  size_bytes: number;
  bandwidth_gb_s?: number;
  latency_ns?: number;
  pass_ns: number;
  fitted_ns: number | null; // of a pass; null: too few sizes for a model
  group_sd: number;
  groups: number;
  modes: number;
}

export interface Knee extends WalkRow {
  name: string | null; // "L2", "TLB"; null: nobody knows
  shape: string;
  capacity_bytes: number;
  capacity_low_bytes: number | null;
  capacity_high_bytes: number | null;
  begin_bytes: number;
  end_bytes: number;
  why: string | null;
}

export interface Cache {
  arm: string;
  cache: string; // "L1"
  told_bytes: number;
  by: string;
  behaves_bytes: number | null;
  behaves_low_bytes: number | null;
  behaves_high_bytes: number | null;
  shape: string | null;
  contradicts: boolean | null; // null: nothing is known within an interval
  why: string | null;
}

export interface Limit {
  arm: string;
  limit: string;
  of: string;
  value: number;
  unit: string;
  reached: number | null;
  how: string;
}

/** What misleads a benchmark that does not look for it. */
export interface Pitfall {
  arm: string;
  pitfall: string;
  of: string | null;
  found: string; // "yes", "no", "not judged"
  seen: string;
  naive: string | null;
}

/** What is selected of a table of the answer. */
export function memoryRows<Row extends { arm: string }>(view: View, table: string): Row[] {
  return rowsOf<Row>(tableOf(answerOf(view.campaign, kQuestion), table)).filter(({ arm }) => hasArm(view.selection, arm));
}

/** A walk as people say it. */
export function walkOf({ operation, place }: WalkRow): string {
  return place ? `${operation}, ${place}` : operation;
}
