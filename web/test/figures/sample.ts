// A page with data for every figure, made up from a seed: heavy tails, second modes, a ratio that crosses one over the
// sizes, launches in slow stretches, missing values and a failed launch. Fixture of the figures' tests.
import type {
  Arm,
  Campaign,
  ComparedCell,
  Comparison,
  Distribution,
  LaunchMedians,
  Levels,
  Normality,
  Order,
  PageData,
  Times,
  Verdict,
} from "../../src/data.ts";
import { sampleClocks } from "./sample-clocks.ts";
import { sampleGuidelines } from "./sample-guidelines.ts";
import { sampleMemory } from "./sample-memory.ts";
import { sampleNetwork } from "./sample-network.ts";
import { sampleOverlap } from "./sample-overlap.ts";
import { sampleP2p } from "./sample-p2p.ts";
import { sampleBisection, samplePairs } from "./sample-pairs.ts";
import { sampleTuning } from "./sample-tuning.ts";
import { sampleFactors, sampleLocalGlobal, sampleNrep, sampleReproduce, sampleSelfTest, sampleSyncBias } from "./sample-results.ts";
import { quantile, Random } from "./random.ts";

export interface SampleOptions {
  arms?: string[];
  cells?: Levels[];
  launches?: number;
  repetitions?: number; // of a cell in a launch
  looks?: boolean;
  name?: string;
  seed?: number;
}

export function levels(operation: string, size_bytes: number | null, ranks = 2, factors: Levels["factors"] = {}): Levels {
  return { operation, size_bytes, ranks, factors: { nodes: 1, sync: "round-time", ...factors } };
}

const kOperations = ["allreduce", "bcast"];
const kSizes = [4, 8, 16, 64, 256, 1024, 4096, 16384, 65536];

export const kTwoByNine: Levels[] = [
  ...kOperations.flatMap((operation) => kSizes.map((size) => levels(operation, size))),
  levels("barrier", null),
];

export function manyCells(): Levels[] {
  const names = ["allreduce", "bcast", "reduce", "allgather", "alltoall", "gather", "scatter", "scan", "exscan", "reduce_scatter"];
  const sizes = Array.from({ length: 15 }, (_, i) => 4 * 2 ** i);
  return names.flatMap((name) => ["barrier", "round-time"].flatMap((sync) => sizes.map((size) => levels(name, size, 2, { sync }))));
}

function arm(label: string): Arm {
  return { label, library: label.split("+")[0] ?? label, version: `${label} 4.1`, program: null, settings: {}, launches: 30 };
}

function trueTime(cell: Levels, index: number): number {
  const size = cell.size_bytes ?? 0;
  const base = { allreduce: 420, bcast: 260, barrier: 310 }[cell.operation] ?? 500;
  const start = base * (1 + 0.22 * index);
  const slope = 0.31 * (1 - 0.24 * index);
  return start + slope * size + (size > 2000 ? 900 * (index === 0 ? 1 : 0.7) : 0);
}

interface Measured {
  cell: number;
  arm: number;
  launches: { launch: number; group: number; times: number[]; seconds: number[] }[];
}

function measure(random: Random, cells: Levels[], arms: string[], launches: number, repetitions: number): Measured[] {
  const slow = (second: number): number => (second > 4.1 && second < 4.9 ? 1.35 : second > 7.5 && second < 7.7 ? 1.2 : 1);
  return cells.flatMap((level, cell) =>
    arms.map((_, index) => ({
      cell,
      arm: index,
      launches: Array.from({ length: launches }, (__, group) => {
        const effect = Math.exp(random.normal() * 0.015 + (random.uniform() < 0.07 ? 0.11 : 0));
        const times: number[] = [];
        const seconds: number[] = [];
        for (let i = 0; i < repetitions; i += 1) {
          // Ten rounds, each with a visit of every cell.
          const round = Math.floor((i / repetitions) * 10) + (cell + (i % 7) / 7) / cells.length;
          const when = ((group + round / 10) / launches) * 10;
          const mode = index === 1 && random.uniform() < 0.18 ? 1.16 : 1;
          const tail = random.uniform() < 0.012 ? 1.3 * (1 - random.uniform()) ** -0.75 : 1;
          const noise = 1 + 0.03 * random.gamma();
          times.push(Math.round((trueTime(level, index) * effect * mode * tail * noise * slow(when)) / 2) * 2);
          seconds.push(when);
        }
        return { launch: group * arms.length + index + 1, group: group + 1, times, seconds };
      }),
    })),
  );
}

const median = (values: number[]): number =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );

function timesOf(of: Measured, arms: string[]): Times {
  const all = of.launches.flatMap((one) => one.times).sort((a, b) => a - b);
  const medians = of.launches.map((one) => median(one.times)).sort((a, b) => a - b);
  const half = (1.6 * (quantile(medians, 0.75) - quantile(medians, 0.25))) / Math.sqrt(medians.length);
  const middle = quantile(medians, 0.5);
  return {
    cell: of.cell,
    arm: arms[of.arm]!,
    launches: medians.length,
    observations: all.length,
    median_ns: middle,
    low_ns: medians.length > 2 ? middle - half : null,
    high_ns: medians.length > 2 ? middle + half : null,
    mean_ns: all.reduce((a, b) => a + b, 0) / all.length,
    min_ns: all[0]!,
    q1_ns: quantile(all, 0.25),
    q3_ns: quantile(all, 0.75),
    p95_ns: quantile(all, 0.95),
    p99_ns: quantile(all, 0.99),
  };
}

function launchMediansOf(of: Measured, arms: string[], base: number): LaunchMedians {
  const points = of.launches.map((one) => {
    const value = median(one.times);
    return { launch: one.launch, group: one.group, median_ns: value, relative: value / base };
  });
  const sorted = points.map((point) => point.relative).sort((a, b) => a - b);
  const q1 = quantile(sorted, 0.25);
  const q3 = quantile(sorted, 0.75);
  const inside = sorted.filter((value) => value >= q1 - 1.5 * (q3 - q1) && value <= q3 + 1.5 * (q3 - q1));
  return {
    cell: of.cell,
    arm: arms[of.arm]!,
    base_ns: base,
    points,
    low: inside[0]!,
    q1,
    median: quantile(sorted, 0.5),
    q3,
    high: inside.at(-1)!,
  };
}

function distributionOf(of: Measured, arms: string[]): Distribution {
  const all = of.launches.flatMap((one) => one.times).sort((a, b) => a - b);
  const n = all.length;
  const low = quantile(all, 0.001) * 0.99;
  const high = quantile(all, 0.985);
  const bins = 48;
  const width = (high - low) / bins;
  const counts = Array<number>(bins).fill(0);
  let below = 0;
  let above = 0;
  for (const value of all) {
    const bin = Math.floor((value - low) / width);
    if (bin < 0) below += 1;
    else if (bin >= bins) above += 1;
    else counts[bin]! += 1;
  }
  const h = width * 1.6;
  const grid = Array.from({ length: 120 }, (_, i) => low + ((i + 0.5) / 120) * (high - low));
  const thin = all.filter((_, i) => i % Math.max(1, Math.floor(n / 800)) === 0);
  const density = grid.map(
    (x) => thin.reduce((sum, value) => sum + Math.exp(-0.5 * ((x - value) / h) ** 2), 0) / (thin.length * h * 2.5066),
  );
  const shares = Array.from({ length: 100 }, (_, i) => (i + 1) / 100);
  const tail = Array.from({ length: 60 }, (_, i) => n ** (-(i + 1) / 60));
  return {
    cell: of.cell,
    arm: arms[of.arm]!,
    observations: n,
    bins: { low_ns: low, width_ns: width, counts },
    below,
    above,
    density: { ns: grid, per_ns: density },
    ecdf: { ns: shares.map((share) => quantile(all, share)), share: shares },
    tail: { ns: tail.map((share) => quantile(all, 1 - share)), beyond: tail },
  };
}

function orderOf(of: Measured, arms: string[], columns: number, rows: number): Order {
  const all = of.launches.flatMap((one) => one.times);
  // As invar report does: even rows for nearly all, and what lies beyond in the first and the last one.
  const sorted = [...all].sort((a, b) => a - b);
  const low = quantile(sorted, 0.002) * 0.98;
  const high = quantile(sorted, 0.995) * 1.1;
  const seconds = Array.from({ length: columns + 1 }, (_, i) => (i / columns) * 10);
  const ns = Array.from({ length: rows + 1 }, (_, i) => low * (high / low) ** (i / rows));
  ns[0] = Math.min(ns[0]!, sorted[0]!);
  ns[rows] = Math.max(ns[rows]!, sorted.at(-1)!);
  const counts = new Map<number, number>();
  const inColumn = Array.from({ length: columns }, () => [] as number[]);
  for (const launch of of.launches) {
    launch.times.forEach((time, i) => {
      const column = Math.min(columns - 1, Math.floor((launch.seconds[i]! / 10) * columns));
      const row = Math.max(0, Math.min(rows - 1, Math.floor((Math.log(time / low) / Math.log(high / low)) * rows)));
      counts.set(column * rows + row, (counts.get(column * rows + row) ?? 0) + 1);
      inColumn[column]!.push(time);
    });
  }
  return {
    cell: of.cell,
    arm: arms[of.arm]!,
    seconds,
    ns,
    counts: [...counts].map(([at, number]) => [Math.floor(at / rows), at % rows, number]),
    median_ns: inColumn.map((times) => (times.length > 0 ? median(times) : null)),
  };
}

function normalQuantile(share: number): number {
  // Good to 5e-4 (Abramowitz and Stegun 26.2.23), enough for a picture.
  const t = Math.sqrt(-2 * Math.log(Math.min(share, 1 - share)));
  const z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3);
  return share < 0.5 ? -z : z;
}

function normalityOf(of: Measured, arms: string[], random: Random): Normality {
  const all = of.launches.flatMap((one) => one.times);
  const means = Array.from({ length: 100 }, () => {
    let sum = 0;
    for (let i = 0; i < 30; i += 1) sum += all[Math.floor(random.uniform() * all.length)]!;
    return sum / 30;
  }).sort((a, b) => a - b);
  const normal = means.map((_, i) => normalQuantile((i + 0.5) / means.length));
  const slope = (quantile(means, 0.75) - quantile(means, 0.25)) / 1.349;
  return {
    cell: of.cell,
    arm: arms[of.arm]!,
    sample_size: 30,
    w: 0.9 + 0.09 * random.uniform(),
    normal,
    mean_ns: means,
    line: { intercept_ns: quantile(means, 0.5), slope_ns: slope },
  };
}

export function compared(cell: Levels, a: string, b: string, ratio: number, half: number, ns: number, launches: number): ComparedCell {
  const low = ratio * Math.exp(-half);
  const high = ratio * Math.exp(half);
  const verdict: Verdict = low > 1 ? "faster" : high < 1 ? "slower" : low > 1 / 1.02 && high < 1.02 ? "equivalent" : "undecided";
  return {
    ...cell,
    regime: null,
    arm_a: a,
    arm_b: b,
    median_a_ns: ns,
    low_a_ns: ns * 0.99,
    high_a_ns: ns * 1.012,
    median_b_ns: ns * ratio,
    low_b_ns: ns * ratio * 0.985,
    high_b_ns: ns * ratio * 1.01,
    ratio,
    ratio_low: low,
    ratio_high: high,
    launches,
    p: verdict === "undecided" ? 0.2 : 1e-6,
    p_adjusted: verdict === "undecided" ? 0.31 : 4e-6,
    verdict,
    look: null,
    doubt: null,
  };
}

function compareOf(random: Random, cells: Levels[], arms: string[], options: SampleOptions): Comparison {
  const launches = options.launches ?? 30;
  const schedule = [3, 5, 8, 12, 20, 30];
  const regimes = [
    { name: "canary 0.13 us", median_ns: 131, low_ns: 127, high_ns: 138, share: 0.71, campaign_shares: [] },
    { name: "canary 0.23 us", median_ns: 228, low_ns: 219, high_ns: 246, share: 0.29, campaign_shares: [] },
  ];
  const rows: ComparedCell[] = [];
  for (let a = 0; a < arms.length; a += 1) {
    for (let b = a + 1; b < arms.length; b += 1) {
      for (const cell of cells) {
        const ratio = (trueTime(cell, b) / trueTime(cell, a)) * Math.exp(0.01 * random.normal());
        const half = 0.008 + 0.03 * random.uniform() ** 3 + (cell.size_bytes === 4096 ? 0.12 : 0);
        const row = compared(cell, arms[a]!, arms[b]!, ratio, half, trueTime(cell, a), launches);
        if (launches < 2) Object.assign(row, { ratio_low: null, ratio_high: null, verdict: null, p: null, p_adjusted: null });
        if (options.looks) row.look = row.verdict === "undecided" ? null : 1 + Math.floor(random.uniform() * 5);
        rows.push(row);
        if (a > 0 || launches < 2 || cells.length > 60) continue;
        regimes.forEach((regime, i) => {
          const half_here = half * (1.3 + i);
          rows.push({
            ...compared(cell, arms[a]!, arms[b]!, ratio * (i === 0 ? 1 : 1.05), half_here, trueTime(cell, a), launches),
            regime: regime.name,
          });
        });
      }
    }
  }
  const own = rows.filter((row) => row.regime === null);
  // With several arms rows are those with the reference, as invar compare has them; looks are about all pairs.
  const printed = rows.filter((row) => row.arm_a === arms[0]);
  return {
    schema: 1,
    sentence: `${arms[0]} is faster for small sizes.`,
    detail: "",
    scope: "2 ranks, 1 host, shared memory, this session",
    arms: arms.map(arm),
    cells: printed,
    regimes,
    regimes_missing: null,
    perturbations: [],
    diagnosis: [],
    warnings: [],
    ...(options.looks
      ? {
          looks: schedule.map((groups, i) => ({
            look: i + 1,
            launches: groups,
            alpha: 0.05 * ((i + 1) / 6) ** 2,
            decided: own.filter((row) => row.look !== null && row.look <= i + 1).length,
            questions: own.length,
          })),
        }
      : {}),
    ...(arms.length > 2 ? { best: cells.map((cell) => ({ ...cell, arms: bestArms(cell, arms) })) } : {}),
    method: "invar",
    runtime: "global",
    alpha: 0.05,
    min_effect: 0.02,
    correction: "bh",
  };
}

function bestArms(cell: Levels, arms: string[]): string[] {
  const times = arms.map((_, i) => trueTime(cell, i));
  return arms.filter((_, i) => times[i]! <= Math.min(...times) * 1.02);
}

/** `race --against cache`: two levels in every arm; rows name the cells of the first one. */
export function againstCampaign(options: SampleOptions = {}): Campaign {
  const random = new Random(5);
  const sizes = [8, 1024, 65536];
  const of = (cache: string): Levels[] => sizes.map((size) => levels("allreduce", size, 2, { cache }));
  const [warm, cold] = [of("warm"), of("cold-flush")];
  const campaign = sampleCampaign({ ...options, cells: [...warm, ...cold], launches: 6, repetitions: 20 });
  const arms = campaign.arms.map(({ label }) => label);
  const rows = arms.flatMap((in_arm) => {
    const name = (level: string): string => (arms.length > 1 ? `${level} in ${in_arm}` : level);
    return warm.map((cell) => ({
      ...compared(cell, name("warm"), name("cold-flush"), 1.4 * Math.exp(0.05 * random.normal()), 0.02, trueTime(cell, 0), 6),
      in_arm,
    }));
  });
  const compare = compareOf(random, warm, ["x", "y"], {});
  campaign.compare = {
    ...compare,
    arms: campaign.arms,
    cells: rows,
    against: "cache",
    levels: [...warm.map((cell) => ({ ...cell, level: "warm" })), ...cold.map((cell) => ({ ...cell, level: "cold-flush" }))],
  };
  return campaign;
}

export function sampleCampaign(options: SampleOptions = {}): Campaign {
  const random = new Random(options.seed ?? 7);
  const arms = options.arms ?? ["openmpi", "mpich"];
  const cells = options.cells ?? kTwoByNine;
  const launches = options.launches ?? 30;
  const measured = measure(random, cells, arms, launches, options.repetitions ?? 100);
  const small = cells.length > 60;
  const base = cells.map((_, cell) =>
    Math.min(...measured.filter((one) => one.cell === cell).flatMap((one) => one.launches.map((launch) => median(launch.times)))),
  );
  const seconds = Array.from({ length: 100 }, (_, i) => i * 0.1 + 0.05);
  const canary = seconds.map(
    (second) => (second > 4 && second < 5.1 ? 228 : second > 7.4 && second < 7.8 ? 205 : 131) * Math.exp(0.01 * random.normal()),
  );
  const edges = Array.from({ length: 49 }, (_, i) => 120 * (270 / 120) ** (i / 48));
  return {
    name: options.name ?? "invar-demo",
    state: "complete",
    problems: [],
    question: "compare",
    sentence: `${arms[0]} is faster for small sizes.`,
    scope: "2 ranks, 1 host, shared memory, this session",
    arms: arms.map(arm),
    cells,
    failures: [{ group: 12, launch: 23, arm: arms[0]!, cell: 3, reason: "hung: the visit took longer than 2 s" }],
    compare: arms.length > 1 ? compareOf(random, cells, arms, options) : null,
    compare_missing: arms.length > 1 ? null : "one arm has nobody to be compared with",
    times: measured.map((one) => timesOf(one, arms)),
    launch_medians: measured.map((one) => launchMediansOf(one, arms, base[one.cell]!)),
    distributions: measured.map((one) => distributionOf(one, arms)),
    order: measured.map((one) => orderOf(one, arms, small ? 30 : 150, small ? 16 : 48)),
    canary: {
      seconds,
      median_ns: canary.map((value, i) => (i === 62 ? null : value)),
      low_ns: canary.map((value, i) => (i === 62 ? null : value * 0.97)),
      high_ns: canary.map((value, i) => (i === 62 ? null : value * (1.04 + 0.3 * random.uniform() ** 6))),
      histogram: {
        edges_ns: edges,
        counts: edges
          .slice(1)
          .map((edge) =>
            Math.round(900 * Math.exp(-(((edge - 131) / 5) ** 2)) + 240 * Math.exp(-(((edge - 228) / 9) ** 2)) + 3 * random.uniform()),
          ),
      },
    },
    regimes: [
      { name: "canary 0.13 us", median_ns: 131, low_ns: 127, high_ns: 138, share: 0.71, campaign_shares: [] },
      { name: "canary 0.23 us", median_ns: 228, low_ns: 219, high_ns: 246, share: 0.29, campaign_shares: [] },
    ],
    perturbations: [
      { group: 13, blocks: [4, 5, 6, 7], slowdown: 0.35, visits: 8, begin_s: 4.1, end_s: 4.9 },
      { group: 23, blocks: [9], slowdown: 0.2, visits: 2, begin_s: 7.5, end_s: 7.7 },
    ],
    normality: measured.slice(0, small ? 40 : measured.length).map((one) => normalityOf(one, arms, random)),
    runtime: "global",
    alpha: 0.05,
    min_effect: 0.02,
    factors: null,
    self_test: null,
    answers: [],
  };
}

export function pageOf(...campaigns: Campaign[]): PageData {
  return {
    schema: 1,
    invar: "0.9",
    made_at: "2026-11-22T13:00:00Z",
    anonymised: false,
    title: campaigns.map((one) => one.name).join(", "),
    sentence: campaigns[0]?.sentence ?? "",
    cards: [],
    campaigns,
    comparison: null,
    comparison_missing: null,
    reproduce: null,
    answers: [],
    metadata: { columns: [], rows: [] },
    method: { paragraphs: [], references: [] },
  };
}

/** Everything at once. */
export function samplePage(): PageData {
  const campaign = sampleCampaign();
  Object.assign(campaign, {
    factors: sampleFactors(),
    self_test: sampleSelfTest(),
    answers: [
      sampleLocalGlobal(),
      sampleSyncBias(),
      sampleNrep(),
      sampleGuidelines(),
      sampleTuning(),
      sampleP2p(),
      samplePairs(),
      sampleBisection(),
      sampleOverlap(),
      sampleNetwork(),
      sampleMemory(),
    ],
  });
  const page = pageOf(campaign);
  page.comparison = compareOf(new Random(3), kTwoByNine.slice(0, 9), ["openmpi@monday", "openmpi@friday"], {});
  page.reproduce = sampleReproduce();
  page.answers = sampleClocks();
  return page;
}
