// Overlap of a call with growing computation, made up: one library goes on by itself, the other one does not.
import type { Answer, TidyColumn } from "../../src/answers.ts";

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

export function sampleOverlap(): Answer {
  return {
    question: "overlap",
    sentence: "openmpi takes longer for ibcast 64 KiB and computation at once than for one after the other; mpich hides 92 % of ibcast 64 KiB by itself: 2 ranks.",
    scope: "2 ranks",
    tables: [
      {
        id: "overlap",
        title: "",
        columns: [
          plain("arm", "text"),
          plain("cell", "cell"),
          plain("computation", "text"),
          plain("multiple", "ratio"),
          plain("compute_ns", "time", "ns"),
          plain("both_ns", "time", "ns"),
          { ...plain("overlap", "share"), low: "overlap_low", high: "overlap_high" },
          plain("overlap_low", "share"),
          plain("overlap_high", "share"),
        ],
        rows: ["openmpi", "mpich"].flatMap((arm, i) =>
          [0.5, 1, 2, 0.5].map((level, k) => {
            const multiple = 1.2 * level;
            const overlap = i === 0 ? -0.02 : 0.9 + 0.01 * multiple;
            // The last one is another call, in a family of its own.
            const call = { operation: "ibcast", size_bytes: k === 3 ? 1024 : 65536, ranks: 2, factors: { family: `together-${k === 3 ? 2 : 1}` } };
            return [arm, call, `${level}x`, multiple, 9000 * multiple, 9000 * (1 + multiple - overlap), overlap, overlap - 0.03, overlap + 0.03];
          }),
        ),
      },
    ],
    notes: [],
    warnings: [],
  };
}
