// Latency, bandwidth and queues of messages, made up.
import type { Answer, TidyColumn, TidyTable, TidyValue } from "../../src/answers.ts";
import type { Levels } from "../../src/data.ts";
import { curvesTable, stepsTable } from "./sample-steps.ts";

const kSizes = [0, 8, 1024, 8192, 65536];
const kArms = ["openmpi", "mpich"];

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

/** As C++ names them: the unit stands behind the end's name. */
function estimate(name: string, kind: TidyColumn["kind"], unit: string, suffix = ""): TidyColumn[] {
  const [low, high] = [`${name}_low${suffix}`, `${name}_high${suffix}`];
  return [{ ...plain(name + suffix, kind, unit), low, high }, plain(low, kind, unit), plain(high, kind, unit)];
}

function interval(middle: number): [number, number, number] {
  return [middle, 0.97 * middle, 1.04 * middle];
}

function cellOf(operation: string, size_bytes: number, factors: Levels["factors"] = {}): Levels {
  return { operation, size_bytes, ranks: 2, factors: { nodes: 1, sync: "round-time", ...factors } };
}

const roundTripOf = (size: number, arm: number): number => 2 * (210 + 40 * arm + 0.09 * size);
const streamOf = (size: number, arm: number): number => (64 * (size + 8192)) / (11.8 - 1.4 * arm);

function summaryTable(): TidyTable {
  return {
    id: "summary",
    title: "",
    columns: [
      plain("arm", "text"),
      plain("place", "text"),
      ...estimate("latency", "time", "ns", "_ns"),
      ...estimate("bandwidth_gb_s", "bandwidth", "GB/s"),
      ...estimate("half_bandwidth", "bytes", "bytes", "_bytes"),
      plain("half_bandwidth", "text"),
    ],
    // Of the second one only the sizes around its half are known.
    rows: kArms.map((arm, i) => [
      arm,
      null,
      ...interval(210 + 40 * i),
      ...interval(10.5 - i),
      ...(i === 0 ? [...interval(7300), "7.13 KiB [6.91, 7.41]"] : [null, 1024, 8192, "between 1 KiB and 8 KiB"]),
    ]),
  };
}

function latencyTable(): TidyTable {
  const none = [null, null, null];
  return {
    id: "latency",
    title: "Half a round trip, and one way",
    columns: [
      plain("cell", "cell"),
      plain("arm", "text"),
      ...["round_trip", "half_round_trip", "there", "back", "asymmetry"].flatMap((name) => estimate(name, "time", "ns", "_ns")),
      plain("asymmetry_missing", "text"),
    ],
    rows: kArms.flatMap((arm, i) =>
      kSizes.map((size): TidyValue[] => {
        const time = roundTripOf(size, i);
        const both = size === 8 ? [...interval(time / 2 + 30), ...interval(time / 2 + 10)] : [...none, ...none];
        const why = size === 8 ? "cannot be told: there - back is 0.020 us, not surely more than the 0.070 us that its ranks' clocks, which agree up to 0.035 us, may put into it" : null;
        return [cellOf("pingpong", size), arm, ...interval(time), ...interval(time / 2), ...both, ...none, why];
      }),
    ),
  };
}

function bandwidthTable(): TidyTable {
  const row = (operation: string, size: number, arm: number, time: number, messages: number): TidyValue[] => [
    cellOf(operation, size, operation === "stream" ? { window: messages } : {}),
    kArms[arm]!,
    operation === "stream" ? "span" : "round trip",
    ...interval(time),
    ...(size === 0 ? [null, null, null] : interval((messages * size) / time)),
    ...interval((messages * 1e9) / time),
  ];
  return {
    id: "bandwidth",
    title: "Rates",
    columns: [
      plain("cell", "cell"),
      plain("arm", "text"),
      plain("time", "text"),
      ...estimate("time", "time", "ns", "_ns"),
      ...estimate("bandwidth_gb_s", "bandwidth", "GB/s"),
      ...estimate("message_rate_per_s", "rate", "1/s"),
    ],
    rows: kArms.flatMap((_, i) => [
      ...kSizes.map((size) => row("pingpong", size, i, roundTripOf(size, i), 2)),
      ...kSizes.filter((size) => size > 0).map((size) => row("stream", size, i, streamOf(size, i), 64)),
    ]),
  };
}

function queuesTable(): TidyTable {
  const kinds = { "pending, same peer": 1, "pending, any source": 3, "unexpected, same peer": 0 };
  return {
    id: "queues",
    title: "",
    columns: [
      plain("cell", "cell"),
      plain("arm", "text"),
      plain("kind", "text"),
      plain("count", "count"),
      ...estimate("time", "time", "ns", "_ns"),
    ],
    rows: kArms.flatMap((arm, i) =>
      Object.entries(kinds).flatMap(([kind, cost]) =>
        [0, 1, 16, 256, 4096].map((count) => [cellOf("pingpong", 8), arm, kind, count, ...interval(210 + 40 * i + cost * (1 + i) * count)]),
      ),
    ),
  };
}

export function sampleP2p(): Answer {
  return {
    question: "p2p",
    sentence: "openmpi: latency 0.210 us, bandwidth 10.5 GB/s, half at 7.13 KiB; mpich: latency 0.250 us, bandwidth 9.50 GB/s, half between 1 KiB and 8 KiB: 2 ranks.",
    scope: "2 ranks",
    tables: [summaryTable(), latencyTable(), bandwidthTable(), queuesTable(), stepsTable(), curvesTable()],
    notes: [],
    warnings: [],
  };
}
