// Answers of experiments with clocks, made up: the same tables and columns.
import type { TidyColumn } from "../../src/answers.ts";
import type { PageAnswer } from "../../src/data.ts";
import { type ClockRow as Row, type ClocksKind, kClockTables } from "../../src/figures/kit/clocks.ts";
import { Random } from "./random.ts";

/** The answer of an experiment whose table has these rows. */
export function clockAnswer(kind: ClocksKind, rows: Row[], source: string = kind): PageAnswer {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const columns = names.map((name): TidyColumn => ({ name, kind: "number", unit: null, low: null, high: null }));
  return {
    source,
    question: kind,
    sentence: `What ${kind} says.`,
    scope: "",
    tables: [{ id: kClockTables[kind], title: "", columns, rows: rows.map((row) => names.map((name) => row[name] ?? null)) }],
    notes: [],
    warnings: [],
  };
}

// Error directly after (ns), growth a second (ns), time of a synchronisation (s).
const kAlgorithms: [string, number, number, number][] = [
  ["skampi", 180, 13000, 0.004],
  ["netgauge", 260, 13000, 0.002],
  ["jk:nfitpts=100:nexchanges=30", 14, 3, 0.41],
  ["hca:nfitpts=100:nexchanges=30", 40, 14, 0.12],
  ["hca2", 36, 11, 0.13],
  ["hca3", 24, 6, 0.12],
  ["h2hca", 18, 8, 0.12],
  ["mesh", 4, 0.9, 0.1],
];
const kContext = { link: "simulated", network: "bursty", ranks: 16, ranks_per_host: 1 };

function accuracy(random: Random, ranks: number, afters: number[]): Row[] {
  return kAlgorithms.flatMap(([algorithm, start, growth, takes]) =>
    afters.map((after_s) => {
      const worst = (start * Math.log2(ranks) ** 0.5 + growth * after_s) * Math.exp(0.1 * random.normal());
      return {
        ...kContext,
        ranks,
        algorithm,
        trials: 20,
        after_s,
        sync_s: takes * (algorithm === "jk" ? ranks / 16 : Math.log2(ranks) / 4),
        worst_min_ns: worst * 0.6,
        worst_q1_ns: worst * 0.8,
        worst_median_ns: worst,
        worst_q3_ns: worst * 1.3,
        worst_max_ns: worst * 2.1,
        typical_min_ns: worst * 0.2,
        typical_q1_ns: worst * 0.3,
        typical_median_ns: worst * 0.4,
        typical_q3_ns: worst * 0.5,
        typical_max_ns: worst * 0.8,
      };
    }),
  );
}

function pareto(random: Random): Row[] {
  const rows: Row[] = [];
  for (const [name, start, growth] of kAlgorithms) {
    const short = name.split(":")[0]!;
    for (const fit of short === "skampi" || short === "netgauge" ? [1] : [10, 30, 100, 300]) {
      for (const exchanges of [10, 30, 100]) {
        rows.push({
          ...kContext,
          settings: fit === 1 ? `${short}:nexchanges=${exchanges}` : `${short}:nfitpts=${fit}:nexchanges=${exchanges}`,
          trials: 20,
          after_s: 5,
          sync_s: fit * exchanges * 8e-6 * (short === "jk" ? 15 : 4),
          worst_median_ns: (start + growth * 5) * (300 / fit) ** 0.6 * (100 / exchanges) ** 0.3 * Math.exp(0.15 * random.normal()),
          frontier: false,
        });
      }
    }
  }
  rows.push({ ...kContext, settings: "barrier", trials: 20, after_s: 5, sync_s: 0.0001, worst_median_ns: 6400, frontier: false });
  for (const row of rows) {
    const better = (other: Row): boolean =>
      Number(other["sync_s"]) < Number(row["sync_s"]) && Number(other["worst_median_ns"]) < Number(row["worst_median_ns"]);
    row["frontier"] = !rows.some(better);
  }
  return rows;
}

function barriers(random: Random): Row[] {
  const methods: [string, number][] = [
    ["MPI_Barrier", 230],
    ["dissemination", 120],
    ["double-barrier", 210],
    ["window", 9],
    ["round-time", 12],
  ];
  return methods.flatMap(([method, median]) =>
    Array.from({ length: 8 }, (_, rank) => ({
      library: "openmpi",
      ranks: 8,
      method,
      repetitions: 1000,
      left_out: 3,
      entry_skew_median_ns: 6,
      exit_q1_ns: median * 0.8,
      exit_median_ns: median,
      exit_q3_ns: median * 1.25,
      exit_p95_ns: median * 2.2,
      exit_p99_ns: method === "window" ? null : median * 4.1,
      time_median_ns: median * 3,
      sigma_ns: 0,
      rank,
      behind_median_ns: median * (method.startsWith("window") || method === "round-time" ? 0.3 * random.uniform() : rank / 7),
    })),
  );
}

function drift(random: Random): Row[] {
  return [1, 2, 3, 4].flatMap((rank) =>
    Array.from({ length: 40 }, (_, i) => ({
      library: "openmpi",
      ranks: 5,
      virtual_skew: 0,
      rank,
      seconds: i * 1.25,
      offset_ns: rank * 1e12 + [6200, -7900, 400, 2900][rank - 1]! * i * 1.25 + 60 * random.normal(),
      half_width_ns: 110,
      truth_ns: null,
    })),
  );
}

function runTimes(random: Random): Row[] {
  const syncs: [string, string, number, number][] = [
    ["MPI_Barrier", "local", 61000, 0],
    ["skampi", "global", 52000, 13000],
    ["netgauge", "global", 52500, 13000],
    ["hca3:nfitpts=100", "global", 52100, 20],
    ["mesh", "global", 52000, 0],
  ];
  return syncs.flatMap(([sync, time, start, slope]) =>
    Array.from({ length: 40 }, (_, bin) => bin)
      .filter((bin) => !(sync === "hca3:nfitpts=100" && bin === 17))
      .map((bin) => {
        const median = start + slope * bin * 0.5 + 350 * random.normal();
        return {
          library: "openmpi",
          ranks: 16,
          virtual_skew: 0,
          operation: "bcast 8 KiB",
          sync,
          time,
          bin,
          seconds: bin * 0.5,
          since_sync_s: time === "local" ? null : bin * 0.5 + 3,
          repetitions: 100,
          left_out: 1,
          q1_ns: median * 0.97,
          median_ns: median,
          q3_ns: median * 1.06,
          local_median_ns: median,
          global_median_ns: median,
          true_median_ns: null,
          slope_ns_per_s: slope,
        };
      }),
  );
}

function tracking(): Row[] {
  return [10, 20, 30, 40, 50, 60].flatMap((until_s) =>
    (
      [
        ["first-model", 4 + 2.1 * until_s],
        ["predicted", 6.5],
        ["smoothed", 2.4],
      ] as const
    ).map(([clock, median_ns]) => ({
      ...kContext,
      until_s,
      clock,
      median_ns,
      q95_ns: median_ns * 1.8,
      max_ns: median_ns * 2.9,
      tracking_share: 0.0021,
    })),
  );
}

function resolution(): Row[] {
  const rows: [string, number, number, number, number][] = [
    ["tsc", 23, 10, 10, 0],
    ["monotonic-raw", 31, 10, 10, 0],
    ["mpi-wtime", 52, 10, 31, 4],
  ];
  return rows.map(([clock, cost, step, resolved, backwards]) => ({
    library: "openmpi",
    ranks: 2,
    clock,
    trusted: true,
    reason: "",
    cost_q1_ns: cost * 0.97,
    cost_median_ns: cost,
    cost_q3_ns: cost * 1.08,
    smallest_step_ns: step,
    step_ns: resolved,
    reads: 1e6,
    backwards,
    backwards_most_ns: backwards * 7,
    shared: clock !== "mpi-wtime",
    shared_backwards: 0,
    shared_most_ns: 0,
    ticks_per_s: clock === "tsc" ? 2.596e9 : 1e9,
    half_width_per_s: 100,
    rates_apart_ppm: 0.01,
  }));
}

export function sampleClocks(): PageAnswer[] {
  const random = new Random(11);
  const of = (kind: ClocksKind, rows: Row[]): PageAnswer => clockAnswer(kind, rows);
  return [
    of("accuracy", accuracy(random, 16, [0, 5, 10, 20])),
    of("pareto", pareto(random)),
    of(
      "scaling",
      [2, 4, 16, 64, 256, 1024].flatMap((ranks) => accuracy(random, ranks, [0])),
    ),
    of("tracking", tracking()),
    of("barriers", barriers(random)),
    of("drift", drift(random)),
    of("runtime-over-time", runTimes(random)),
    of("resolution", resolution()),
  ];
}
