// All pairs of four ranks in both directions, one of which is slow: made up.
import type { Answer, TidyColumn } from "../../src/answers.ts";

const kRanks = [0, 1, 2, 3];

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

export function samplePairs(): Answer {
  const pairs = kRanks.flatMap((from) => kRanks.filter((to) => to !== from).map((to) => ({ from, to })));
  return {
    question: "all-pairs",
    sentence: "1 of 12 directed pairs is slower than the others: rank 1 to rank 2, by 30 %: 4 ranks.",
    scope: "4 ranks",
    tables: [
      {
        id: "pairs",
        title: "",
        columns: [
          plain("arm", "text"),
          plain("pair", "text"),
          plain("from", "count"),
          plain("to", "count"),
          { ...plain("ratio", "ratio"), low: "ratio_low", high: "ratio_high" },
          plain("ratio_low", "ratio"),
          plain("ratio_high", "ratio"),
          plain("outlier", "yes-no"),
        ],
        rows: pairs.map(({ from, to }) => {
          const slow = from === 1 && to === 2;
          const ratio = slow ? 1.3 : 1 + 0.004 * (from - to);
          return ["openmpi", `${from} to ${to}`, from, to, ratio, 0.99 * ratio, 1.01 * ratio, slow];
        }),
      },
    ],
    notes: [],
    warnings: [],
  };
}
