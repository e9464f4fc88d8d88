// A memory's model, made up: reads and a chase over three levels, one of which ends before the processor says, and levels of a factor.
import type { Answer, TidyColumn, TidyTable, TidyValue } from "../../src/answers.ts";
import { Random } from "./random.ts";

const kArms = ["none", "openmpi"];
const kSizes = 48;
const kLevels = [
  { name: "L1", to: 32 << 10, gb_s: 160, load_ns: 1.1 },
  { name: "L2", to: 512 << 10, gb_s: 90, load_ns: 3.4 },
  { name: "L3", to: 6 << 20, gb_s: 45, load_ns: 12 },
  { name: "memory", to: 1 << 28, gb_s: 22, load_ns: 88 },
];

function plain(name: string, kind: TidyColumn["kind"] = "text", unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

function estimate(name: string, suffix: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn[] {
  const [low, high] = [`${name}_low${suffix}`, `${name}_high${suffix}`];
  return [{ ...plain(name + suffix, kind, unit), low, high }, plain(low, kind, unit), plain(high, kind, unit)];
}

const kWalk = [plain("arm"), plain("operation"), plain("place")];

function levelOf(size: number): (typeof kLevels)[number] {
  return kLevels.find(({ to }) => size <= to) ?? kLevels.at(-1)!;
}

function pointsTable(chases: boolean): TidyTable {
  const random = new Random(chases ? 5 : 4);
  const sizes = Array.from({ length: kSizes }, (_, i) => Math.round(4096 * (1 << 28 >> 12) ** (i / (kSizes - 1))));
  const rows = kArms.flatMap((arm) =>
    sizes.map((size): TidyValue[] => {
      const { gb_s, load_ns } = levelOf(size);
      const luck = 1 + 0.02 * (random.uniform() - 0.5);
      const pass_ns = chases ? (size / 128) * load_ns : size / gb_s;
      return [arm, chases ? "chase" : "read", null, size, (chases ? load_ns : gb_s) * luck, chases ? pass_ns * luck : pass_ns / luck, pass_ns, 12, 0.01, 5, 20, 1];
    }),
  );
  return {
    id: chases ? "latency" : "bandwidth",
    title: "",
    columns: [
      ...kWalk, plain("size_bytes", "bytes", "bytes"), chases ? plain("latency_ns", "time", "ns") : plain("bandwidth_gb_s", "bandwidth", "GB/s"),
      plain("pass_ns", "time", "ns"), plain("fitted_ns", "time", "ns"), plain("bytes_per_cycle", "number"), plain("group_sd", "share"),
      plain("groups", "count"), plain("visits", "count"), plain("modes", "count"),
    ],
    rows,
  };
}

function kneesTable(): TidyTable {
  const rows = kArms.flatMap((arm) =>
    kLevels.slice(0, -1).map(({ name, to }): TidyValue[] => [
      arm, "read", null, name, "cache", "jump", false, to, 0.97 * to, 1.02 * to, 0.95 * to, 0.94 * to, 0.96 * to, 1.3 * to, 1.2 * to, 1.4 * to, true, 0.7, 0.6, 0.8, null,
    ]),
  );
  return {
    id: "knees",
    title: "",
    columns: [
      ...kWalk, plain("name"), plain("cause"), plain("shape"), plain("merged", "yes-no"), ...estimate("capacity", "_bytes", "bytes", "bytes"),
      ...estimate("begin", "_bytes", "bytes", "bytes"), ...estimate("end", "_bytes", "bytes", "bytes"), plain("reached", "yes-no"), ...estimate("rise", "", "share"), plain("why"),
    ],
    rows,
  };
}

function hierarchyTable(): TidyTable {
  const told = [["L1", 32 << 10], ["L2", 512 << 10], ["L3", 32 << 20]] as const;
  return {
    id: "hierarchy",
    title: "",
    columns: [
      plain("arm"), plain("cache"), plain("told_bytes", "bytes", "bytes"), plain("ways", "count"), plain("line_bytes", "count"), plain("shared_cpus"), plain("by"),
      ...estimate("behaves", "_bytes", "bytes", "bytes"), plain("shape"), plain("contradicts", "yes-no"), plain("why"),
    ],
    rows: kArms.flatMap((arm) =>
      told.map(([name, bytes], i): TidyValue[] => {
        const behaves = kLevels[i]!.to;
        const contradicts = bytes > 1.3 * behaves;
        return [arm, name, bytes, 8, 64, "0-1", "read", behaves, 0.97 * behaves, 1.02 * behaves, "jump", contradicts, contradicts ? "ends before" : null];
      }),
    ),
  };
}

export function sampleMemory(): Answer {
  return {
    question: "memory",
    sentence: "none: L1 32 KiB 160 GB/s, L2 512 KiB 90 GB/s, L3 6 MiB 45 GB/s, memory 22 GB/s; L3 says 32 MiB, behaves as 6 MiB [5.8, 6.1]: 1 rank.",
    scope: "1 rank",
    tables: [
      hierarchyTable(), kneesTable(), pointsTable(false), pointsTable(true),
      {
        id: "limits",
        title: "",
        columns: [plain("arm"), plain("limit"), plain("of"), plain("value", "number"), plain("unit"), plain("reached", "share"), plain("how")],
        rows: kArms.map((arm): TidyValue[] => [arm, "ports", "read, L1", 164, "GB/s", 0.97, "2 loads x 32 B x 2.56 GHz"]),
      },
      {
        id: "effects",
        title: "",
        columns: [plain("arm"), plain("operation"), plain("beside"), plain("factor"), plain("level"), plain("reference"), ...estimate("ratio", "", "ratio"), plain("sizes", "count"), plain("groups", "count")],
        rows: kArms.flatMap((arm) => [["width", "8", "32", 3.6], ["pages", "huge", "4 KiB", 0.82]].map(([factor, level, reference, ratio]): TidyValue[] => [
          arm, "read", null, factor!, level!, reference!, ratio!, 0.97 * Number(ratio), 1.03 * Number(ratio), 12, 5,
        ])),
      },
      {
        id: "pitfalls",
        title: "",
        columns: [plain("arm"), plain("pitfall"), plain("of"), plain("found"), plain("seen"), plain("naive")],
        rows: kArms.flatMap((arm): TidyValue[][] => [
          [arm, "narrow elements", "read, L1", "yes", "16 KiB to 64 KiB costs a byte, times: 32 B 2.0, 4 B 1.0", "4 B: the end of L1 costs next to nothing"],
          [arm, "competitor", null, "no", "800 visits have one mode", null],
        ]),
      },
    ],
    notes: [],
    warnings: [],
  };
}
