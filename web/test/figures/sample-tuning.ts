// Results of `invar tune`, made up.
import type { Answer, TidyColumn, TidyTable } from "../../src/answers.ts";

const kSizes = [8, 1024, 65536];

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

const kCell = plain("cell", "cell");

function cellOf(size_bytes: number): { operation: string; size_bytes: number; ranks: number; factors: Record<string, string> } {
  return { operation: "bcast", size_bytes, ranks: 2, factors: {} };
}

export function sampleTuning(): Answer {
  const confirmed: TidyTable = {
    id: "confirmed",
    title: "",
    columns: [
      kCell,
      plain("entry", "text"),
      { ...plain("gain", "share"), low: "gain_low", high: "gain_high" },
      plain("gain_low", "share"),
      plain("gain_high", "share"),
    ],
    rows: kSizes.map((size, i) => [cellOf(size), i === 0 ? null : "algorithm:binomial", 0.3 * i, 0.3 * i - 0.02, 0.3 * i + 0.02]),
  };
  const winners: TidyTable = {
    id: "winners",
    title: "",
    columns: [
      kCell,
      plain("winner", "text"),
      { ...plain("ratio", "ratio"), low: "ratio_low", high: "ratio_high" },
      plain("ratio_low", "ratio"),
      plain("ratio_high", "ratio"),
    ],
    rows: kSizes.map((size, i) => [cellOf(size), "algorithm binomial", 1 - 0.3 * i, 0.98 - 0.3 * i, 1.02 - 0.3 * i]),
  };
  const variables: TidyTable = {
    id: "variables",
    title: "to use it",
    columns: [plain("action", "text"), plain("variable", "text"), plain("value", "text")],
    rows: [
      ["unset", "OMPI_MCA_coll_tuned_bcast_algorithm", null],
      ["set", "OMPI_MCA_coll_tuned_dynamic_rules_filename", "/data/t/rules.conf"],
    ],
  };
  return {
    question: "tune",
    sentence: "The tuned file gains 30 % to 60 % of bad's time in 2 of 2 cells with an entry: 2 ranks.",
    scope: "2 ranks",
    tables: [confirmed, winners, variables],
    notes: [],
    warnings: [],
  };
}
