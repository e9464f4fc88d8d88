// The object that `invar report` embeds in the page, schema 1 (docs/formats.md). C++ computes every number in it. Every
// key is always there; what does not exist is null or an empty list. Times are in ns unless the name says another unit.

import type { Answer } from "./answers.ts";
import type {
  Arm,
  Comparison,
  Factors,
  Levels,
  Perturbation,
  Regime,
  Reproduce,
  SelfTest,
} from "./results.ts";

export type * from "./results.ts";

export interface Times {
  cell: number; // index into Campaign.cells
  arm: string;
  launches: number;
  observations: number;
  median_ns: number;
  estimate?: "median" | "geometric mean" | "hodges-lehmann"; // what that is of the launches' medians
  low_ns: number | null;
  high_ns: number | null;
  mean_ns: number;
  min_ns: number;
  q1_ns: number;
  q3_ns: number;
  p95_ns: number;
  p99_ns: number;
}

export interface LaunchMedians {
  cell: number;
  arm: string;
  base_ns: number; // the cell's smallest launch median over all arms
  // relative: over base_ns; low_ns, high_ns: interval of the median inside this launch, where it is known
  points: { launch: number; group: number; median_ns: number; relative: number; low_ns?: number | null; high_ns?: number | null }[];
  low: number; // Tukey's box of `relative`; points beyond [low, high] are outliers
  q1: number;
  median: number;
  q3: number;
  high: number;
}

export interface Distribution {
  cell: number;
  arm: string;
  observations: number;
  bins: { low_ns: number; width_ns: number; counts: number[] };
  below: number; // observations outside the bins
  above: number;
  density: { ns: number[]; per_ns: number[] };
  ecdf: { ns: number[]; share: number[] };
  tail: { ns: number[]; beyond: number[] }; // share of observations > ns
}

export interface Order {
  cell: number;
  arm: string;
  seconds: number[]; // edges of columns
  ns: number[]; // edges of rows, log spaced
  counts: [column: number, row: number, count: number][];
  median_ns: (number | null)[]; // by column
}

export interface Canary {
  kind?: "across" | "chain"; // absent: a cache line between two ranks
  seconds: number[];
  median_ns: (number | null)[];
  low_ns: (number | null)[];
  high_ns: (number | null)[];
  histogram: { edges_ns: number[]; counts: number[] };
}

export interface Normality {
  cell: number;
  arm: string;
  sample_size: number;
  w: number | null;
  normal: number[];
  mean_ns: number[];
  line: { intercept_ns: number; slope_ns: number };
}

export interface Failure {
  group: number | null; // null: it concerns more than one
  launch: number | null;
  arm: string | null;
  cell: number | null;
  reason: string;
}

export interface Campaign {
  name: string;
  state: "complete" | "incomplete" | "failed" | "damaged" | "empty";
  problems: string[];
  question: string; // that it was made for
  sentence: string;
  scope: string;
  arms: Arm[];
  cells: Levels[];
  failures: Failure[];
  compare: Comparison | null;
  compare_missing: string | null;
  times: Times[];
  launch_medians: LaunchMedians[];
  distributions: Distribution[];
  order: Order[];
  canary: Canary | null;
  regimes: Regime[];
  perturbations: Perturbation[];
  normality: Normality[];
  runtime: "local" | "global" | null;
  local_cells?: number[]; // of which it is local although `runtime` is global
  alpha: number | null;
  min_effect: number | null;
  factors: Factors | null;
  self_test: SelfTest | null;
  answers: Answer[]; // whose figures are drawn from tidy tables, whatever the question
}

/** What an experiment that is not a campaign says; `source`: the name of its directory. */
export type PageAnswer = Answer & { source: string };

export interface MetadataRow {
  group: string;
  key: string;
  values: (string | null)[]; // by column
  differs: boolean;
  matters: boolean;
}

export interface PageData {
  schema: 1;
  invar: string;
  made_at: string;
  anonymised: boolean;
  title: string;
  sentence: string;
  cards: { label: string; value: string; detail: string }[];
  campaigns: Campaign[];
  comparison: Comparison | null; // of two campaigns
  comparison_missing: string | null;
  reproduce: Reproduce | null;
  answers: PageAnswer[]; // of experiments with clocks, and of calibrations by others
  metadata: { columns: string[]; rows: MetadataRow[] };
  method: { paragraphs: string[]; references: { key: string; text: string }[] };
}
