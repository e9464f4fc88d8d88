// All pairs of four ranks in both directions, one of which is slow, and what patterns of them move together: made up.
import type { Answer, TidyColumn, TidyValue } from "../../src/answers.ts";

const kRanks = [0, 1, 2, 3];

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

/** A column with the ends of its interval behind it, called `name_low_unit`. */
function estimate(name: string, kind: TidyColumn["kind"], suffix = "", unit: string | null = null): TidyColumn[] {
  const low = `${name}_low${suffix}`;
  const high = `${name}_high${suffix}`;
  return [{ ...plain(name + suffix, kind, unit), low, high }, plain(low, kind, unit), plain(high, kind, unit)];
}

function around(value: number): number[] {
  return [value, 0.99 * value, 1.01 * value];
}

function oneway(pattern: string): TidyValue {
  return { operation: "oneway", size_bytes: 65536, ranks: 4, factors: { nodes: 1, pattern } };
}

export function samplePairs(arms: readonly string[] = ["openmpi", "mpich"]): Answer {
  const pairs = kRanks.flatMap((from) => kRanks.filter((to) => to !== from).map((to) => ({ from, to })));
  return {
    question: "all-pairs",
    sentence:
      "openmpi: 1 of 12 directed pairs is slower than the others: rank 1 to rank 2, 1.30 [1.28, 1.33] times the median; mpich: none of 12 directed pairs is slower than the others by more than 2 %: 4 ranks.",
    scope: "4 ranks",
    tables: [
      {
        id: "pairs",
        title: "",
        columns: [
          plain("arm", "text"),
          plain("cell", "cell"),
          plain("pair", "text"),
          plain("from", "count"),
          plain("to", "count"),
          plain("both_ways", "yes-no"),
          plain("at_once", "count"),
          plain("one_host", "yes-no"),
          plain("launches", "count"),
          ...estimate("time", "time", "_ns", "ns"),
          ...estimate("bandwidth", "number", "_gb_s", "GB/s"),
          ...estimate("ratio", "ratio"),
          plain("p_adjusted", "p"),
          plain("outlier", "yes-no"),
        ],
        rows: arms.flatMap((arm, i) =>
          pairs.map(({ from, to }) => {
            const slow = i === 0 && from === 1 && to === 2;
            const ratio = slow ? 1.3 : 1 + 0.004 * (from - to);
            const time_ns = 7000 * ratio;
            const numbers = [...around(time_ns), ...around(65536 / time_ns), ...around(ratio)];
            return [arm, oneway("all-pairs"), `${from} to ${to}`, from, to, false, 1, true, 8, ...numbers, slow ? 0.0003 : 1, slow];
          }),
        ),
      },
    ],
    notes: [],
    warnings: [],
  };
}

export function sampleBisection(arms: readonly string[] = ["openmpi", "mpich"]): Answer {
  const patterns = [
    { pattern: "bisection", patterns: 1, gb_s: 10.2 },
    { pattern: "random-matchings:20", patterns: 20, gb_s: 9.4 },
    { pattern: "ring", patterns: 1, gb_s: 12.1 },
  ];
  return {
    question: "bisection",
    sentence:
      "openmpi moves 10.2 GB/s [10.1, 10.3] in bisection (oneway 64 KiB, 2 pairs at once), 9.40 GB/s [9.31, 9.49] over 20 random matchings, the effective bisection (oneway 64 KiB, 2 pairs at once): 4 ranks.",
    scope: "4 ranks",
    tables: [
      {
        id: "rates",
        title: "",
        columns: [plain("arm", "text"), plain("cell", "cell"), plain("patterns", "count"), ...estimate("total", "number", "_gb_s", "GB/s")],
        rows: arms.flatMap((arm, i) =>
          patterns.map(({ pattern, patterns: count, gb_s }): TidyValue[] => [arm, oneway(pattern), count, ...around(gb_s * (1 - 0.1 * i))]),
        ),
      },
    ],
    notes: [],
    warnings: [],
  };
}
