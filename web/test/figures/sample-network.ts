// A network's model and its check, made up: two arms with pieces, a break each that the others' rules see or not, thresholds, trains.
import type { Answer, TidyColumn, TidyTable, TidyValue } from "../../src/answers.ts";
import { Random } from "./random.ts";

const kArms = ["openmpi", "mpich"];
const kSizes = 60;
/** Every tenth size is in no fit. */
const kHeldOut = 10;

function plain(name: string, kind: TidyColumn["kind"] = "text", unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

const bytesColumn = (name: string): TidyColumn => plain(name, "bytes", "bytes");

function estimate(name: string, suffix: string, kind: TidyColumn["kind"], unit: string | null): TidyColumn[] {
  const [low, high] = [`${name}_low${suffix}`, `${name}_high${suffix}`];
  return [{ ...plain(name + suffix, kind, unit), low, high }, plain(low, kind, unit), plain(high, kind, unit)];
}

const kModel = [plain("arm"), plain("place")];

interface Line {
  to: number;
  intercept: number;
  slope: number;
}

/** What is planted: by series the pieces of the first arm; the second has other breaks. */
const kSeries: Record<string, Line[]> = {
  "round-trip": [{ to: 4040, intercept: 210, slope: 0.16 }, { to: 65536, intercept: 900, slope: 0.12 }, { to: 4194304, intercept: 2400, slope: 0.09 }],
  send: [{ to: 4040, intercept: 90, slope: 0.05 }, { to: 4194304, intercept: 700, slope: 0.09 }],
  "send-to-late": [],
  isend: [{ to: 4040, intercept: 70, slope: 0.05 }, { to: 4194304, intercept: 310, slope: 0 }],
  ssend: [{ to: 4194304, intercept: 420, slope: 0.1 }],
  "late-receive": [{ to: 4040, intercept: 120, slope: 0.06 }, { to: 4194304, intercept: 520, slope: 0.09 }],
  "posted-receive": [{ to: 4194304, intercept: 130, slope: 0.03 }],
  gap: [{ to: 4194304, intercept: 150, slope: 0.1 }],
};

function linesOf(series: string, arm: number): Line[] {
  return (kSeries[series] ?? []).map(({ to, intercept, slope }) => ({
    to: arm === 0 || to === 4194304 ? to : 4 * to,
    intercept: intercept * (1 + 0.3 * arm),
    slope: slope * (1 - 0.2 * arm),
  }));
}

function sizes(): number[] {
  const all = Array.from({ length: kSizes }, (_, i) => Math.round(2 ** (22 * ((i + 0.37) / kSizes))));
  return [...new Set([1, ...all, 4194304])];
}

const isHeldOut = (i: number): boolean => i % kHeldOut === 5;

function pointsTable(): TidyTable {
  const random = new Random(21);
  const row = (arm: number, series: string, messages: number, delayed: boolean, i: number, size: number): TidyValue[] => {
    const lines = linesOf(series, arm);
    const place = lines.findIndex(({ to }) => size <= to);
    const line = lines[place];
    const fitted = line ? line.intercept + line.slope * size : null;
    const late = { intercept: arm === 0 && size > 4040 ? 9000 : 110, slope: 0.07 };
    const usual = fitted ?? late.intercept + late.slope * size * messages;
    const time = usual * Math.exp(0.02 * random.normal()) * (series === "send" && size > 2e6 ? 1.4 : 1);
    const half = 0.02 + 0.02 * random.uniform();
    return [
      kArms[arm]!, null, series, messages, delayed, size, time, ...(i === 7 ? [null, null] : [time * (1 - half), time * (1 + half)]),
      line ? place + 1 : null, fitted, fitted === null ? null : time / fitted - 1, 0.02, 0.03, 0.1, i === 7 ? 1 : 5, 0, 50, isHeldOut(i),
    ];
  };
  const keys: [string, number, boolean][] = [
    ...Object.keys(kSeries).map((series): [string, number, boolean] => [series, 1, false]),
    ["later-receive", 1, false],
    ["train", 10, false],
    ["train", 10, true],
  ];
  return {
    id: "points",
    title: "",
    columns: [
      ...kModel, plain("series"), plain("messages", "count"), plain("delayed", "yes-no"), bytesColumn("size_bytes"),
      ...estimate("time", "_ns", "time", "ns"), plain("piece", "count"), plain("fitted_ns", "time", "ns"), plain("residual", "share"),
      plain("fit_sd", "share"), plain("group_sd", "share"), plain("repetition_sd", "share"), plain("groups", "count"), plain("bounded", "count"),
      plain("repetitions", "count"), plain("held_out", "yes-no"),
    ],
    rows: kArms.flatMap((_, arm) => keys.flatMap(([series, messages, delayed]) => sizes().map((size, i) => row(arm, series, messages, delayed, i, size)))),
  };
}

function piecesTable(): TidyTable {
  const all = sizes().filter((_, i) => !isHeldOut(i));
  const around = (middle: number): [number, number, number] => [middle, 0.97 * middle, 1.03 * middle];
  return {
    id: "pieces",
    title: "Pieces of straight lines: intercept + slope x size",
    columns: [
      ...kModel, plain("series"), bytesColumn("from_bytes"), bytesColumn("to_bytes"), plain("sizes", "count"),
      ...estimate("intercept", "_ns", "time", "ns"), ...estimate("slope", "_ns_per_byte", "number", null), plain("on_bound"),
      plain("group_sd", "share"), plain("repetition_sd", "share"), bytesColumn("next_bytes"), bytesColumn("break_low_bytes"),
      bytesColumn("break_high_bytes"), plain("jump_ns", "time", "ns"), plain("written", "yes-no"),
    ],
    rows: kArms.flatMap((arm, a) =>
      Object.keys(kSeries).flatMap((series) => {
        const lines = linesOf(series, a);
        return lines.map(({ to, intercept, slope }, i): TidyValue[] => {
          const from = lines[i - 1]?.to ?? 0;
          const own = all.filter((size) => size > from && size <= to);
          const next = all.find((size) => size > to) ?? null;
          const last = own.at(-1)!;
          // The analyst's has no interval.
          const known = series !== "late-receive";
          return [
            arm, null, series, own[0]!, last, own.length, ...around(intercept), ...around(slope), slope === 0 ? "slope" : null, 0.02, 0.1,
            ...(i + 1 < lines.length ? [next, known ? 0.8 * last : null, known ? 1.3 * next! : null, 400, !known] : [null, null, null, null, null]),
          ];
        });
      }),
    ),
  };
}

function thresholdsTable(): TidyTable {
  const row = (arm: number, threshold: string, last: number | null, first: number | null, why: string | null): TidyValue[] =>
    [kArms[arm]!, null, threshold, last, first, last, first, "smallest size that", why];
  return {
    id: "thresholds",
    title: "Thresholds: where the library sends in another way",
    columns: [...kModel, plain("threshold"), ...["last_bytes", "first_bytes", "low_bytes", "high_bytes"].map(bytesColumn), plain("what"), plain("why")],
    rows: [
      row(0, "detached", 3900, 4200, null),
      row(0, "async", 3900, 4200, null),
      row(1, "detached", null, 16384, "no smaller size"),
      row(1, "async", null, null, "not measured"),
    ],
  };
}

function detectorsTable(): TidyTable {
  const row = (arm: number, detector: string, of: string, count: number | null, low: number[], high: number[], why: string | null = null): TidyValue[] =>
    [kArms[arm]!, null, detector, of, 54, count, low, high, low.join(", ") || null, why];
  return {
    id: "detectors",
    title: "Changes of protocol by other tools' rules, same times",
    columns: [
      ...kModel, plain("detector"), plain("of"), plain("sizes", "count"), plain("count", "count"), bytesColumn("low_bytes"), bytesColumn("high_bytes"),
      plain("changes"), plain("why"),
    ],
    rows: kArms.flatMap((_, arm) => [
      row(arm, "NetGauge", "gap", 1, [4096], [8192]),
      row(arm, "PLogP", "overheads and gap", 3, [12, 3000, 60000], [16, 5000, 70000]),
      row(arm, "LoOgGP", "send", 0, [], []),
      row(arm, "LoOgGP", "round-trip", null, [], [], "it needs three sizes"),
    ]),
  };
}

const kOperations: [string, number, boolean][] = [
  ["round-trip", 2, true], ["send", 2, true], ["isend", 2, true], ["late-receive", 2, true], ["bcast", 4, false], ["allreduce", 4, false], ["halo", 4, false],
];

function checkTables(): TidyTable[] {
  const random = new Random(4);
  const columns = [...kModel, plain("operation"), plain("ranks", "count"), plain("calibrated", "yes-no"), plain("held_out", "yes-no")];
  const rows: TidyValue[][] = kArms.flatMap((arm, a) =>
    kOperations.flatMap(([operation, ranks, calibrated]) =>
      sizes().filter((_, i) => calibrated || i % 8 === 0).map((size, i): TidyValue[] => {
        const measured = (200 + 60 * a + 0.11 * size) * ranks * 0.5;
        const error = 0.04 * random.normal() + (operation === "allreduce" ? 0.2 : 0);
        const simulated = operation === "isend" && a === 1 ? null : measured * (1 + error);
        const held = calibrated && isHeldOut(i);
        return [
          arm, null, operation, ranks, calibrated && !held, held, size, measured, 0.96 * measured, 1.05 * measured, simulated,
          simulated === null ? null : error, 1.7 * measured, 0.7, a === 1 ? null : 1.2 * measured, a === 1 ? null : 0.2, 18,
        ];
      }),
    ),
  );
  const errors: TidyValue[][] = kArms.flatMap((arm, a) =>
    kOperations.flatMap(([operation, ranks, calibrated]) =>
      (calibrated ? [false, true] : [false]).map((held): TidyValue[] => {
        const none = operation === "isend" && a === 1;
        return [
          arm, null, operation, ranks, calibrated && !held, held, 40, none ? null : 0.031, none ? null : 0.11, 0.7, 0.71, a === 1 ? null : 0.2, a === 1 ? null : 0.21,
          none ? null : 0.01, none ? "smpirun ended with status 1" : null,
        ];
      }),
    ),
  );
  return [
    {
      id: "check",
      title: "",
      columns: [
        ...columns, bytesColumn("size_bytes"), ...estimate("measured", "_ns", "time", "ns"), plain("simulated_ns", "time", "ns"), plain("error", "share"),
        plain("defaults_ns", "time", "ns"), plain("defaults_error", "share"), plain("usual_ns", "time", "ns"), plain("usual_error", "share"), plain("groups", "count"),
      ],
      rows,
    },
    {
      id: "check_errors",
      title: "",
      columns: [
        ...columns, plain("sizes", "count"),
        ...["median_error", "p95_error", "defaults_median_error", "defaults_p95_error", "usual_median_error", "usual_p95_error", "bias"].map((name) => plain(name, "share")),
        plain("why"),
      ],
      rows: errors,
    },
  ];
}

export function sampleNetwork(): Answer {
  return {
    question: "network",
    sentence: "openmpi: L 0.210 us, o_s 90.0 ns, o_r 120 ns, g 150 ns, G 0.0900 ns/B from 64 KiB on, eager up to 4040 B; mpich: L 0.273 us, o_s 117 ns: 2 ranks.",
    scope: "2 ranks",
    tables: [thresholdsTable(), piecesTable(), detectorsTable(), pointsTable(), ...checkTables()],
    notes: [],
    warnings: [],
  };
}
