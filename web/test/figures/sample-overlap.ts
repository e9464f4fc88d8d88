// Overlap of a call with growing computation, made up: one library goes on by itself, the other one does not.
import type { Answer, TidyColumn } from "../../src/answers.ts";

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

export function sampleOverlap(): Answer {
  return {
    question: "overlap",
    sentence: "openmpi hides -2.0 % to -1.0 % of ibcast 64 KiB; mpich hides 90 % to 92 %: 2 ranks.",
    scope: "2 ranks",
    tables: [
      {
        id: "overlap",
        title: "",
        columns: [
          plain("arm", "text"),
          plain("cell", "cell"),
          plain("computation", "text"),
          plain("compute_ns", "time", "ns"),
          plain("both_ns", "time", "ns"),
          { ...plain("overlap", "share"), low: "overlap_low", high: "overlap_high" },
          plain("overlap_low", "share"),
          plain("overlap_high", "share"),
        ],
        rows: ["openmpi", "mpich"].flatMap((arm, i) =>
          [0.5, 1, 2].map((multiple) => {
            const overlap = i === 0 ? -0.02 : 0.9 + 0.01 * multiple;
            const call = { operation: "ibcast", size_bytes: 65536, ranks: 2, factors: {} };
            return [arm, call, `${multiple}x`, 9000 * multiple, 9000 * (1 + multiple - overlap), overlap, overlap - 0.03, overlap + 0.03];
          }),
        ),
      },
    ],
    notes: [],
    warnings: [],
  };
}
