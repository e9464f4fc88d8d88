// Answers as tidy tables (docs/formats.md, "The page's data"): what a figure reads of any question.
import type { Campaign, Levels } from "./data.ts";

export type Kind =
  | "text"
  | "cell"
  | "yes-no"
  | "verdict"
  | "count"
  | "bytes"
  | "time"
  | "ratio"
  | "share"
  | "p"
  | "log-sd"
  | "bandwidth"
  | "rate"
  | "number";

export interface TidyColumn {
  name: string;
  kind: Kind;
  unit: string | null;
  low: string | null; // columns with the ends of its interval
  high: string | null;
}

export type TidyValue = string | number | boolean | null | Levels | (string | number | null)[];

export interface TidyTable {
  id: string;
  title: string;
  columns: TidyColumn[];
  rows: TidyValue[][];
  missing?: string; // why it has none
}

export interface Answer {
  question: string;
  sentence: string;
  scope: string;
  tables: TidyTable[];
  notes: string[];
  warnings: string[];
}

export function answerOf(campaign: Campaign, question: string): Answer | null {
  return campaign.answers.find((answer) => answer.question === question) ?? null;
}

export function tableOf(answer: Answer | null, id: string): TidyTable | null {
  return answer?.tables.find((table) => table.id === id) ?? null;
}

/** Rows as objects whose keys are the names of the columns; the levels of a cell stand among them, as in JSON. */
export function rowsOf<Row>(table: TidyTable | null): Row[] {
  return (table?.rows ?? []).map((row) => {
    const entries = row.map((value, i): Record<string, unknown> => {
      const column = table!.columns[i]!;
      return column.kind === "cell" ? { ...(value as Levels) } : { [column.name]: value };
    });
    return Object.assign({}, ...entries) as Row;
  });
}
