// Results of the other commands, made up: factors, self-test, reproduce, clocks local-global and sync-bias.
import type { Answer, TidyColumn, TidyTable, TidyValue } from "../../src/answers.ts";
import type {
  Box,
  ComparedCell,
  Factors,
  LocalGlobalCell,
  Reproduce,
  ReproducedCell,
  ReproducedMethod,
  SelfTest,
  Spread,
  SyncBiasCell,
  Verdict,
} from "../../src/data.ts";
import { quantile, Random } from "./random.ts";

const kSizes = [8, 256, 1024, 16384, 65536];

export function sampleFactors(): Factors {
  const random = new Random(21);
  const shares: Record<string, number> = { arm: 0.31, thp: 0.004, cache: 0.22, sync: 0.05, launch: 0.17, visit: 0.06, repetition: 0.15 };
  const levelsOf: Record<string, string[]> = {
    arm: ["openmpi", "mpich"],
    thp: ["default", "always", "never"],
    cache: ["warm", "cold-flush"],
    sync: ["round-time", "barrier", "window"],
  };
  const sizes = [8, 1024, 65536];
  const targets = sizes.map((size_bytes, at) => ({
    operation: "allreduce",
    size_bytes,
    visits: 1200,
    factors: Object.entries(shares).map(([factor, share]) => {
      const levels = levelsOf[factor] ?? [];
      return {
        factor,
        between_launches: factor === "arm" || factor === "thp",
        levels,
        effects: levels.slice(1).map((level, i) => {
          const ratio =
            factor === "thp" ? 1 + 0.004 * i : factor === "cache" ? 1.62 - 0.2 * at : factor === "arm" ? 1.24 - 0.2 * at : 1.03 + 0.02 * i;
          const half = factor === "sync" ? 0.03 : 0.009;
          const clear = Math.abs(Math.log(ratio)) > half + 0.02;
          return {
            level,
            reference: levels[0]!,
            ratio,
            ratio_low: ratio * Math.exp(-half),
            ratio_high: ratio * Math.exp(half),
            groups: 30,
            p: 0.001,
            p_adjusted: 0.002,
            influence: clear ? ("matters" as const) : factor === "thp" ? ("does not matter" as const) : ("undecided" as const),
          };
        }),
        sd_log: levels.length > 0 ? null : 0.03,
        sd_log_low: factor === "launch" ? 0.02 : null,
        sd_log_high: factor === "launch" ? 0.05 : null,
        variance_log: 0.001 * share,
        share: factor === "repetition" ? share - 0.02 : share * (1 + 0.1 * (at - 1) * (factor === "arm" ? 1 : factor === "cache" ? -1 : 0)),
        anova: { name: "F", statistic: 41.2, df1: 1, df2: 29, p: 1e-6, p_adjusted: 1e-5 },
        rank_test: null,
        influence: "matters" as const,
      };
    }),
    interactions: 0.036,
    no_interactions: null,
  }));
  const launches = targets.flatMap((_, target) =>
    Array.from({ length: 30 }, (__, i) => {
      const mean = 700 * (target + 1) * Math.exp(0.02 * random.normal());
      return {
        target,
        launch: i + 1,
        observations: 480,
        mean_ns: mean,
        low_ns: mean * 0.994,
        high_ns: mean * 1.006,
        median_ns: mean * 0.985,
      };
    }),
  );
  const histograms = targets.flatMap((_, target) =>
    Object.entries(levelsOf).flatMap(([factor, levels]) =>
      levels.flatMap((level, i) =>
        Array.from({ length: 40 }, (__, bin) => {
          const low = 600 * (target + 1) + bin * 12;
          const middle = 780 + 600 * target + (factor === "cache" ? 160 : factor === "arm" ? 70 : 6) * i;
          const density = Math.exp(-(((low - middle) / 60) ** 2)) / 106 + (0.2 * Math.exp(-(((low - middle - 120) / 30) ** 2))) / 53;
          return { target, factor, level, low_ns: low, high_ns: low + 12, count: Math.round(density * 12 * 5000), density_per_ns: density };
        }),
      ),
    ),
  );
  const quantiles = targets.flatMap((_, target) =>
    [10, 30, 100, 300, 500].flatMap((sample_size) =>
      Array.from({ length: 60 }, (__, i) => {
        const p = (i + 1) / 61;
        const normal = Math.log(p / (1 - p)) / 1.702;
        return {
          target,
          sample_size,
          normal,
          mean_ns:
            900 * (target + 1) +
            (120 / Math.sqrt(sample_size / 10)) * (Math.expm1((normal * 2) / Math.sqrt(sample_size)) / (2 / Math.sqrt(sample_size))),
        };
      }),
    ),
  );
  return {
    schema: 1,
    sentence: "arm and cache matter, thp does not.",
    scope: "2 ranks, 1 host",
    runtime: "global",
    alpha: 0.05,
    min_effect: 0.02,
    groups: 30,
    tests: 24,
    targets,
    missing: [{ factor: "governor", level: "performance", reason: "no cpufreq on this machine", where: null, reference_now: null }],
    figures: { launches, histograms, quantiles },
    warnings: [],
  };
}

export function sampleSelfTest(): SelfTest {
  const random = new Random(31);
  const effects = [0.01, 0.02, 0.04, 0.08, 0.15];
  const cells = kSizes.map((size_bytes) => ({
    operation: "allreduce",
    size_bytes,
    ranks: 2,
    factors: {},
    median_ns: 400 + size_bytes,
    planted: effects.map((effect) => ({
      delay_ns: effect * (400 + size_bytes),
      effect: effect * (0.9 + 0.2 * random.uniform()),
      testable: !(effect === 0.01 && size_bytes < 1000),
    })),
  }));
  const found = (effect: number, groups: number): number => 1 / (1 + Math.exp(-(Math.log(effect / 0.03) * 2.2 + Math.log(groups / 15))));
  return {
    schema: 1,
    sentence: "Verdicts hold: 1 of 300 tables has a wrong one.",
    scope: "2 ranks",
    holds: true,
    arms: [{ label: "openmpi", library: "openmpi", version: null, program: null, settings: {}, launches: 90 }],
    groups: 90,
    alpha: 0.05,
    min_effect: 0.02,
    raw_welch_share: 0.31,
    delay_check: 1.01,
    cells,
    tables: (
      [
        ["turns", 5],
        ["turns", 15],
        ["turns", 30],
        ["rounds", 10],
      ] as const
    ).map(([pairing, groups]) => ({
      pairing,
      groups,
      tables: 300,
      tables_wrong: groups === 5 ? 2 : groups === 15 ? 9 : 12,
      tables_limit: 24,
      cells: 1500,
      cells_wrong: groups === 5 ? 2 : 14,
      uncorrected_share: 0.047,
      uncorrected_low: 0.036,
      uncorrected_high: 0.06,
      power: effects.map((effect) => ({
        effect,
        tables: 300,
        found: found(effect, groups),
        equivalent: effect <= 0.02 ? 0.3 * (groups / 30) : 0,
        found_by_cell: cells.map((cell, i) =>
          cell.planted[effects.indexOf(effect)]!.testable ? Math.min(1, Math.max(0, found(effect, groups) * (0.8 + 0.1 * i))) : null,
        ),
      })),
    })),
    problems: [],
    warnings: [],
  };
}

function boxOf(values: readonly number[]): Box {
  const sorted = [...values].sort((a, b) => a - b);
  const q1 = quantile(sorted, 0.25);
  const q3 = quantile(sorted, 0.75);
  const inside = sorted.filter((value) => value >= q1 - 1.5 * (q3 - q1) && value <= q3 + 1.5 * (q3 - q1));
  return { low: Math.min(q1, inside[0]!), q1, median: quantile(sorted, 0.5), q3, high: Math.max(q3, inside.at(-1)!) };
}

function spreadOf(values: (number | null)[]): Spread | null {
  const some = values.filter((value): value is number => value !== null).sort((a, b) => a - b);
  if (some.length < 2) return null;
  const least = some[0]!;
  const largest = some.at(-1)!;
  return { repeats: some.length, least, largest, spread: largest / least - 1, box: boxOf(some.map((value) => value / least)) };
}

export function sampleReproduce(): Reproduce {
  const random = new Random(41);
  const arms = ["openmpi", "mpich"];
  const repeats = 12;
  const methods: [string, ReproducedMethod["number"], string | null, number][] = [
    ["invar", "answer", null, 0.006],
    ["reprompi", "same-time", "ReproMPI 1.0", 0.012],
    ["osu", "one-run", "OSU 7.5", 0.07],
    ["osu", "same-time", "OSU 7.5", 0.022],
    ["imb", "one-run", "IMB 2021.9", 0.09],
    ["skampi", "one-run", "SKaMPI 5", 0.05],
  ];
  return {
    schema: 1,
    sentence: "invar: times repeat within 2 %.",
    scope: "2 ranks",
    repeats,
    budget_s: 60,
    min_effect: 0.02,
    arms: arms.map((label) => ({ label, library: label, version: null, program: null, settings: {}, launches: 300 })),
    methods: methods.map(([method, number, suite, sd]) => {
      const cells: ReproducedCell[] = arms.flatMap((arm, index) =>
        [4, 16, 64, 256, 1024, 4096, 16384, 65536].map((size_bytes) => {
          const own = sd * (size_bytes < 1000 ? 1.3 : 0.5);
          const times_ns = Array.from({ length: repeats }, (_, i) =>
            method === "imb" && i === 3 && size_bytes === 4
              ? null
              : (300 + 0.3 * size_bytes) * (1 + 0.2 * index) * Math.exp(own * random.normal() + (random.uniform() < 0.04 ? 3 * own : 0)),
          );
          const least = Math.min(...times_ns.filter((value): value is number => value !== null));
          const ratios = index === 0 ? [] : times_ns.map((value) => (value === null ? null : 1.2 * Math.exp(own * random.normal())));
          const least_ratio = Math.min(...ratios.filter((value): value is number => value !== null));
          return {
            operation: "allreduce",
            size_bytes,
            ranks: 2,
            factors: {},
            arm,
            times_ns,
            normalised_times: times_ns.map((value) => (value === null ? null : value / least)),
            time_ns: spreadOf(times_ns),
            ratios,
            normalised_ratios: ratios.map((value) => (value === null ? null : value / least_ratio)),
            ratio: spreadOf(ratios),
            winner_changed: index === 0 ? null : size_bytes === 1024 && method !== "invar",
            verdicts: index === 0 ? [] : times_ns.map((): Verdict => "faster"),
            missing: null,
          };
        }),
      );
      const summary = (
        pick: (cell: ReproducedCell) => Spread | null,
        values: (cell: ReproducedCell) => (number | null)[],
      ): ReproducedMethod["times"] => {
        const some = cells.filter((cell) => pick(cell) !== null).sort((a, b) => pick(a)!.spread - pick(b)!.spread);
        const worst = some.at(-1)!;
        return {
          count: some.length,
          median: quantile(
            some.map((cell) => pick(cell)!.spread),
            0.5,
          ),
          worst: pick(worst)!.spread,
          worst_cell: { operation: worst.operation, size_bytes: worst.size_bytes, ranks: 2, factors: {} },
          worst_arm: worst.arm,
          box: boxOf(some.flatMap(values).filter((value): value is number => value !== null)),
        };
      };
      return {
        method,
        number,
        suite,
        shares_time: method === "reprompi",
        machine_s: Array.from({ length: repeats }, () => 58),
        median_machine_s: 58,
        times: summary((cell) => cell.time_ns, (cell) => cell.normalised_times),
        ratios: summary((cell) => cell.ratio, (cell) => cell.normalised_ratios),
        comparisons: 8,
        winners_changed: method === "invar" ? 0 : 1,
        judged: method === "invar" ? 8 : null,
        opposite_verdicts: method === "invar" ? 0 : null,
        decided_alike: method === "invar" ? 7 : null,
        cells,
      };
    }),
    warnings: [],
  };
}

const kSyncs = ["round-time", "window", "barrier", "dissemination", "double-barrier"];

function compared(random: Random, size: number, ratio: number, arm_a: string, arm_b: string, factors: Record<string, string | number>) {
  const half = 0.008 + 0.01 * random.uniform();
  const verdict: Verdict = ratio * Math.exp(-half) > 1 ? "faster" : ratio * Math.exp(half) < 1 ? "slower" : "undecided";
  const ns = 500 + size * 0.3;
  return {
    operation: "allreduce",
    size_bytes: size,
    ranks: 2,
    factors,
    regime: null,
    arm_a,
    arm_b,
    median_a_ns: ns,
    low_a_ns: ns * 0.99,
    high_a_ns: ns * 1.01,
    median_b_ns: ns * ratio,
    low_b_ns: ns * ratio * 0.985,
    high_b_ns: ns * ratio * 1.02,
    ratio,
    ratio_low: ratio * Math.exp(-half),
    ratio_high: ratio * Math.exp(half),
    launches: 20,
    p: 0.001,
    p_adjusted: 0.004,
    verdict,
    look: null,
    doubt: null,
  };
}

/** Rows as the page gets them: a cell in one column, a column for every other key. */
function tidy<Row extends ComparedCell>(question: string, sentence: string, rows: Row[], intervals: Record<string, string>): Answer {
  const levels = ["operation", "size_bytes", "ranks", "factors"];
  const names = Object.keys(rows[0]!).filter((name) => !levels.includes(name));
  const ends = (name: string, end: "low" | "high"): string | null => {
    const of = intervals[name];
    return of === undefined ? null : of === "skew" ? `skew_${end}_ns` : `${end}_${of}_ns`;
  };
  const columns: TidyColumn[] = names.map((name) => ({
    name,
    kind: name.endsWith("_ns") ? "time" : typeof rows[0]![name as keyof Row] === "number" ? "number" : "text",
    unit: name.endsWith("_ns") ? "ns" : null,
    low: ends(name, "low"),
    high: ends(name, "high"),
  }));
  const table: TidyTable = {
    id: "cells",
    title: "",
    columns: [{ name: "cell", kind: "cell", unit: null, low: null, high: null }, ...columns],
    rows: rows.map(({ operation, size_bytes, ranks, factors, ...row }) => [
      { operation, size_bytes, ranks, factors },
      ...names.map((name) => (row as Record<string, unknown>)[name] as TidyValue),
    ]),
  };
  return { question, sentence, scope: "2 ranks", tables: [table], notes: [], warnings: [] };
}

export function sampleLocalGlobal(): Answer {
  const random = new Random(51);
  const cells: LocalGlobalCell[] = [8, 1024, 32768].flatMap((size) =>
      kSyncs.map((sync, i) => {
        const skew = [12, 15, 260, 120, 240][i]!;
        return {
          ...compared(random, size, 1 + skew / (500 + size * 0.3), "local", "global", { sync }),
          arm: "openmpi",
          skew_ns: skew,
          skew_low_ns: skew * 0.9,
          skew_high_ns: skew * 1.15,
          local_to_first: i === 0 ? null : 1 - 0.02 * i,
          global_to_first: i === 0 ? null : 1 + 0.05 * i,
        };
      }),
    );
  const intervals = { median_a_ns: "a", median_b_ns: "b", skew_ns: "skew" };
  return tidy("local-global", "After a barrier, global run-times are longer.", cells, intervals);
}

export function sampleSyncBias(): Answer {
  const random = new Random(61);
  const cells: SyncBiasCell[] = [8, 1024].flatMap((size) =>
      [...kSyncs, "none"].flatMap((sync, i) =>
        [0, 1000].map((dither_ns) => ({
          ...compared(random, size, [1.24, 1.23, 1.05, 1.12, 1.02, 0.91][i]! * (dither_ns === 0 ? 0.98 : 1), "openmpi", "mpich", {
            sync,
            dither_ns,
          }),
          visits_a: 200,
          modes_a: dither_ns === 0 ? 2 : 1,
          several_modes_a: dither_ns === 0 ? 0.41 : 0.03,
          sd_log_visits_a: 0.01,
          sd_log_repetitions_a: 0.05,
          visits_b: 200,
          modes_b: 1,
          several_modes_b: 0.04,
          sd_log_visits_b: 0.012,
          sd_log_repetitions_b: 0.04,
        })),
      ),
    );
  return tidy("sync-bias", "The ratio lies between 1.02 and 1.31.", cells, { median_a_ns: "a", median_b_ns: "b" });
}

/** Three launches of two cells; RSE and COV of means fall with the number of repetitions. */
export function sampleNrep(): Answer {
  const random = new Random(71);
  const column = (name: string, kind: TidyColumn["kind"]): TidyColumn => ({ name, kind, unit: null, low: null, high: null });
  const place = [column("arm", "text"), column("cell", "cell")];
  const cells = [16, 1024].map((size_bytes) => ({ operation: "allgather", size_bytes, ranks: 2, factors: {} }));
  const needs = new Map(cells.map((cell) => [cell, [1, 2, 3].map(() => 20 + 10 * Math.floor(random.uniform() * 30))]));
  const table = (id: string, columns: TidyColumn[], rows: TidyValue[][]): TidyTable => ({ id, title: "", columns: [...place, ...columns], rows });
  const numbers = Array.from({ length: 49 }, (_, i) => 20 + 20 * i);
  return {
    question: "nrep",
    sentence: "20 to 310 repetitions are enough for all 2 cells.",
    scope: "2 ranks",
    tables: [
      table("repetitions", [column("repetitions", "count")], cells.map((cell) => ["openmpi", cell, Math.max(...needs.get(cell)!)])),
      table(
        "launches",
        [column("launch", "count"), column("repetitions", "count")],
        cells.flatMap((cell) => needs.get(cell)!.map((need, i) => ["openmpi", cell, i + 1, need])),
      ),
      table(
        "running",
        [column("launch", "count"), column("n", "count"), column("rse", "share"), column("cov_mean", "share")],
        cells.flatMap((cell) =>
          needs.get(cell)!.flatMap((need, i) =>
            numbers.map((n) => ["openmpi", cell, i + 1, n, 0.025 * Math.sqrt(need / n), n < 40 ? null : 0.2 / n]),
          ),
        ),
      ),
      {
        id: "rule",
        title: "",
        columns: [column("method", "text"), column("quantity", "text"), column("asked", "yes-no"), column("threshold", "share")],
        rows: [
          ["rse", "rse", true, 0.025],
          ["cov-mean", "cov_mean", true, 0.01],
        ],
      },
    ],
    notes: [],
    warnings: [],
  };
}
