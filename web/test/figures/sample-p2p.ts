// Latency, bandwidth and queues of messages, made up.
import type { Answer, TidyColumn, TidyTable } from "../../src/answers.ts";
import { curvesTable, stepsTable } from "./sample-steps.ts";

const kSizes = [8, 1024, 65536];
const kArms = ["openmpi", "mpich"];

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

function estimate(name: string, kind: TidyColumn["kind"], unit: string): TidyColumn[] {
  return [{ ...plain(name, kind, unit), low: "low", high: "high" }, plain("low", kind, unit), plain("high", kind, unit)];
}

function cellOf(operation: string, size_bytes: number, factors: Record<string, string | number> = {}): {
  operation: string;
  size_bytes: number;
  ranks: number;
  factors: Record<string, string | number>;
} {
  return { operation, size_bytes, ranks: 2, factors };
}

export function sampleP2p(): Answer {
  const rows = (operation: string, value: (size: number, arm: number) => number): TidyTable["rows"] =>
    kArms.flatMap((arm, i) =>
      kSizes.map((size) => {
        const middle = value(size, i);
        return [cellOf(operation, size), arm, middle, 0.97 * middle, 1.04 * middle];
      }),
    );
  return {
    question: "p2p",
    sentence: "openmpi: latency 0.21 us, bandwidth 11.8 GB/s, half at 8 KiB; mpich: 0.25 us, 10.4 GB/s, half at 8 KiB: 2 ranks.",
    scope: "2 ranks",
    tables: [
      {
        id: "latency",
        title: "",
        columns: [plain("cell", "cell"), plain("arm", "text"), ...estimate("half_round_trip_ns", "time", "ns")],
        rows: rows("pingpong", (size, arm) => 210 + 40 * arm + 0.09 * size),
      },
      {
        id: "bandwidth",
        title: "",
        columns: [plain("cell", "cell"), plain("arm", "text"), ...estimate("bandwidth_gb_s", "number", "GB/s")],
        rows: rows("stream", (size, arm) => ((11.8 - 1.4 * arm) * size) / (size + 8192)),
      },
      {
        id: "queues",
        title: "",
        columns: [plain("cell", "cell"), plain("arm", "text"), plain("kind", "text"), plain("count", "count"), ...estimate("time_ns", "time", "ns")],
        rows: kArms.flatMap((arm, i) =>
          [1, 16, 256].map((count) => {
            const middle = 210 + 40 * i + (1 + 2 * i) * count;
            return [cellOf("pingpong", 8, { pending: `same:${count}` }), arm, "pending, same peer", count, middle, 0.97 * middle, 1.04 * middle];
          }),
        ),
      },
      stepsTable(),
      curvesTable(),
    ],
    notes: [],
    warnings: [],
  };
}
