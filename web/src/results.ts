// The answers that the page embeds as `invar ... --format json` prints them (docs/formats.md, "Results as JSON").

export type Level = string | number | boolean;

/** What says which cell something belongs to. */
export interface Levels {
  operation: string;
  size_bytes: number | null; // null: an operation without a size
  ranks: number;
  factors: Record<string, Level>;
}

export interface Arm {
  label: string;
  library: string | null;
  version: string | null;
  program: string | null; // command of a foreign program
  settings: Record<string, string>;
  launches: number;
}

// About arm A, the reference; of a gate (is B slower by more than a margin?): pass, fail.
export type Verdict = "faster" | "slower" | "equivalent" | "pass" | "fail" | "undecided";

export interface ComparedCell extends Levels {
  regime: string | null; // null: the headline, of the reference regime
  arm_a: string;
  arm_b: string;
  in_arm?: string; // only of levels of a factor, or of times: the arm that both sides are of
  time?: string; // of the operation, only where some row is of something else than whole calls
  time_b?: string | null; // of B, where it is another one
  cell_a?: Levels | null; // of A, where it is another one than this row's
  cell_b?: Levels | null; // of B, where it is another one than A's
  median_a_ns: number | null;
  low_a_ns: number | null;
  high_a_ns: number | null;
  median_b_ns: number | null;
  low_b_ns: number | null;
  high_b_ns: number | null;
  ratio: number | null; // time of B / time of A
  ratio_low: number | null;
  ratio_high: number | null;
  launches: number;
  p: number | null;
  p_adjusted: number | null;
  verdict: Verdict | null; // null: these data allow none
  asterisks?: string | null; // only where a test of launches is asked for: *, **, *** at .05, .01, .001
  look: number | null;
  // What speaks against a row over everything: its regimes disagree; a few groups weigh much, so that the times do not show the verdict; two campaigns: other shares of the regimes, or a ratio that contradicts
  // the times (neither has a ratio or a verdict).
  doubt: "disagree" | "weighs" | "shares" | "times" | "batches" | null;
}

export interface Regime {
  name: string; // "canary 0.13 us"
  median_ns: number;
  low_ns: number;
  high_ns: number;
  share: number;
  campaign_shares: number[]; // two campaigns: of each; one: empty
}

/** A stretch that ran slower: whole blocks of one launch group. */
export interface Perturbation {
  group: number;
  blocks: number[];
  slowdown: number; // 0.3: 30 %
  visits: number;
  begin_s: number; // campaign's own time axis in Campaign.perturbations; group's in Comparison.perturbations
  end_s: number;
}

export interface Diagnosis extends Levels {
  arm: string;
  visits: number;
  tested_visits: number | null;
  bimodal_visits: number | null;
  effective_share: number | null;
  normal_means_from: number | null;
  means_w: number | null;
}

export interface Look {
  look: number;
  launches: number;
  alpha: number;
  decided: number;
  questions: number; // pairs that were asked, also those that no row shows
}

/** A level of the factor whose levels are compared, and a cell that has it. */
export interface LevelCell extends Levels {
  level: string;
}

export interface BestArms extends Levels {
  arms: string[];
}

/** `invar compare --format json`. */
export interface Comparison {
  schema: number;
  sentence: string;
  detail: string; // the end of the sentence that tells of regimes; often empty
  scope: string;
  arms: Arm[];
  cells: ComparedCell[];
  regimes: Regime[];
  regimes_missing: string | null;
  // The machine's regime that the headline is of; split: what is outside of it was left out.
  reference?: { regime: string; low_ns: number; high_ns: number; median_ns: number | null; share: number; split: boolean } | null;
  perturbations: Perturbation[];
  diagnosis: Diagnosis[];
  warnings: string[];
  against?: string; // only where levels of a factor are compared: its name
  levels?: LevelCell[]; // likewise: every cell's level, in the order of the plan
  looks?: Look[]; // only of sequential campaigns
  best?: BestArms[]; // only with more than two arms
  // What the report adds:
  method?: string | null;
  runtime?: "local" | "global" | null;
  alpha?: number | null;
  min_effect?: number | null; // share: 0.02 is 2 %
  correction?: string | null;
}

export interface FactorEffect {
  level: string;
  reference: string;
  ratio: number | null; // time of the level / time of the reference
  ratio_low: number | null;
  ratio_high: number | null;
  groups: number;
  p: number | null;
  p_adjusted: number | null;
  influence: Influence | null;
}

export type Influence = "matters" | "does not matter" | "undecided";

export interface FactorTest {
  name: string;
  statistic: number;
  df1: number;
  df2: number;
  p: number | null;
  p_adjusted: number | null;
}

export interface FactorResult {
  factor: string; // "arm", a factor, or "launch", "visit", "repetition"
  between_launches: boolean;
  levels: string[]; // the reference first
  effects: FactorEffect[];
  sd_log: number | null;
  sd_log_low: number | null;
  sd_log_high: number | null;
  variance_log: number | null;
  share: number | null;
  anova: FactorTest | null;
  rank_test: FactorTest | null;
  influence: Influence | null;
}

export interface FactorsTarget {
  operation: string;
  size_bytes: number | null;
  visits: number;
  factors: FactorResult[];
  interactions: number | null; // share of variance
  no_interactions: string | null;
}

/** `invar factors --format json`. */
export interface Factors {
  schema: number;
  sentence: string;
  scope: string;
  runtime: "local" | "global";
  alpha: number;
  min_effect: number;
  groups: number;
  tests: number;
  targets: FactorsTarget[];
  missing: { factor: string; level: string; reason: string; where: string | null; reference_now: string | null }[];
  figures: {
    launches: {
      target: number; // index into targets
      launch: number;
      observations: number;
      mean_ns: number;
      low_ns: number | null;
      high_ns: number | null;
      median_ns: number;
    }[];
    histograms: {
      target: number;
      factor: string;
      level: string;
      low_ns: number;
      high_ns: number;
      count: number;
      density_per_ns: number;
    }[];
    quantiles: { target: number; sample_size: number; normal: number; mean_ns: number }[];
  };
  warnings: string[];
}

export interface SelfTestCell extends Levels {
  median_ns: number;
  planted: { delay_ns: number; effect: number; testable: boolean }[]; // by level of delay
}

export interface SelfTestPower {
  effect: number; // share: 0.02 is 2 %
  tables: number;
  found: number | null;
  equivalent: number | null;
  found_by_cell: (number | null)[]; // as SelfTest.cells
}

export interface SelfTestTables {
  pairing: "turns" | "rounds" | "launches";
  groups: number; // launch groups a table
  tables: number;
  tables_wrong: number;
  tables_limit: number;
  cells: number;
  cells_wrong: number;
  uncorrected_share: number | null;
  uncorrected_low: number | null;
  uncorrected_high: number | null;
  power: SelfTestPower[];
}

/** `invar self-test --format json`. */
export interface SelfTest {
  schema: number;
  sentence: string;
  scope: string;
  holds: boolean;
  arms: Arm[];
  groups: number;
  alpha: number;
  min_effect: number;
  raw_welch_share: number | null;
  delay_check: number | null;
  cells: SelfTestCell[];
  tables: SelfTestTables[];
  problems: string[];
  warnings: string[];
}

/** A row of `invar clocks local-global`: arm_a and arm_b are the two ways to take the time of one arm. */
export interface LocalGlobalCell extends ComparedCell {
  arm: string;
  skew_ns: number | null;
  skew_low_ns: number | null;
  skew_high_ns: number | null;
  local_to_first: number | null;
  global_to_first: number | null;
}

export interface SyncBiasCell extends ComparedCell {
  visits_a: number;
  modes_a: number | null;
  several_modes_a: number | null;
  sd_log_visits_a: number | null;
  sd_log_repetitions_a: number | null;
  visits_b: number;
  modes_b: number | null;
  several_modes_b: number | null;
  sd_log_visits_b: number | null;
  sd_log_repetitions_b: number | null;
}

/** A row of `invar guidelines`: a rule at a size, for a number of ranks, in an arm. */
export interface GuidelineRow {
  rule: string;
  statement: string;
  kind: "pattern" | "monotone" | "split";
  tolerance: number;
  arm: string | null; // null: not measured in any
  ranks: number | null;
  size_bytes: number | null;
  left: string;
  left_ns: number | null;
  right: string | null;
  right_size_bytes: number | null;
  right_ns: number | null;
  factor: number | null;
  factor_low: number | null;
  factor_high: number | null;
  p_adjusted: number | null;
  verdict: "violated" | "holds" | "undecided" | "not-measured" | "not-violated" | null;
  lost_ns: number | null;
  why: string | null;
}

export interface Spread {
  repeats: number;
  least: number;
  largest: number;
  spread: number;
  box: Box; // of the values over the least
}

/** Tukey's: quartiles, and whiskers to the last value within one and a half box lengths. */
export interface Box {
  low: number;
  q1: number;
  median: number;
  q3: number;
  high: number;
}

export interface SpreadSummary {
  count: number;
  median: number;
  worst: number;
  worst_cell: Levels;
  worst_arm: string;
  box: Box; // of the values of all these cells and arms, each over the least of its own
}

export interface ReproducedCell extends Levels {
  arm: string;
  times_ns: (number | null)[]; // by repeat
  normalised_times: (number | null)[]; // over the least
  time_ns: Spread | null;
  ratios: (number | null)[];
  normalised_ratios: (number | null)[];
  ratio: Spread | null;
  winner_changed: boolean | null;
  verdicts: (Verdict | null)[];
  missing: string | null;
}

export interface ReproducedMethod {
  method: string; // "invar" or a preset
  number: "answer" | "one-run" | "same-time";
  suite: string | null;
  shares_time: boolean;
  machine_s: (number | null)[];
  median_machine_s: number | null;
  times: SpreadSummary | null;
  ratios: SpreadSummary | null;
  comparisons: number;
  winners_changed: number;
  judged: number | null;
  opposite_verdicts: number | null;
  decided_alike: number | null;
  cells: ReproducedCell[];
}

/** `invar reproduce --format json`. */
export interface Reproduce {
  schema: number;
  sentence: string;
  scope: string;
  repeats: number;
  budget_s: number | null;
  min_effect: number;
  arms: Arm[];
  methods: ReproducedMethod[];
  warnings: string[];
}
