// Results of `invar guidelines`, made up.
import type { Answer, Kind, TidyColumn, TidyTable, TidyValue } from "../../src/answers.ts";
import type { GuidelineRow } from "../../src/data.ts";
import { Random } from "./random.ts";

const kSizes = [1, 8, 100, 1024, 16384, 102400];
const kRules: [string, string, string, string][] = [
  ["GL3", "gather(n) <= allgather(n)", "gather", "gather=allgather"],
  ["GL10", "bcast(n) <= scatter(n/p) + allgather(n/p)", "bcast", "bcast=scatter+allgather"],
  ["m-reduce", "monotone(reduce)", "reduce", "reduce"],
];

function kindOf(name: string): Kind {
  if (name.endsWith("_ns")) return "time";
  if (name.startsWith("factor")) return "ratio";
  return name.endsWith("_bytes") ? "bytes" : name === "ranks" ? "count" : name === "p_adjusted" ? "p" : "text";
}

function columnsOf(names: string[]): TidyColumn[] {
  return names.map((name) => ({
    name,
    kind: kindOf(name),
    unit: name.endsWith("_ns") ? "ns" : null,
    low: name === "factor" ? "factor_low" : null,
    high: name === "factor" ? "factor_high" : null,
  }));
}

function rowOf(random: Random, rule: number, size: number): GuidelineRow {
  const [name, statement, left, right] = kRules[rule]!;
  const factor = Math.exp(0.5 * (random.uniform() - 0.5)) * (rule === 1 && size > 1000 ? 1.8 : 1);
  const right_ns = 800 + size / 10;
  const verdict = factor > 1.1 ? "violated" : factor < 0.95 ? "holds" : "undecided";
  return {
    rule: name,
    statement,
    kind: rule === 2 ? "monotone" : "pattern",
    tolerance: 0,
    arm: "openmpi",
    ranks: 2,
    size_bytes: size,
    left,
    left_ns: right_ns * factor,
    right,
    right_size_bytes: size,
    right_ns,
    factor,
    factor_low: factor * 0.97,
    factor_high: factor * 1.03,
    p_adjusted: verdict === "violated" ? 0.001 : 0.4,
    verdict,
    lost_ns: factor > 1 ? right_ns * (factor - 1) : null,
    why: null,
  };
}

export function sampleGuidelines(): Answer {
  const random = new Random(71);
  const rows = kRules.flatMap((_, rule) => kSizes.map((size) => rowOf(random, rule, size)));
  const absent = { ...rows[0]!, size_bytes: 1, rule: "m-reduce", verdict: "not-measured", why: "1 B is not a multiple of int32" } as const;
  rows[12] = { ...absent, factor: null, factor_low: null, factor_high: null, left_ns: null, right_ns: null, lost_ns: null };
  // What no arm measures at any size has neither arm nor ranks nor size.
  rows.push({ ...rows[12]!, rule: "s-scan", statement: "split(scan)", kind: "split", left: "scan", arm: null, ranks: null, size_bytes: null, why: "not yet" });
  const names = Object.keys(rows[0]!) as (keyof GuidelineRow)[];
  const guidelines: TidyTable = {
    id: "guidelines",
    title: "",
    columns: columnsOf(names),
    rows: rows.map((row) => names.map((name) => row[name])),
  };
  const own = ["rule", "arm", "factor", "factor_low", "factor_high", "lost_ns", "p_adjusted"] as const;
  const violated: TidyTable = {
    id: "violated",
    title: "",
    columns: [{ name: "cell", kind: "cell", unit: null, low: null, high: null }, ...columnsOf([...own])],
    rows: rows
      .filter(({ verdict }) => verdict === "violated")
      .map((row): TidyValue[] => [
        { operation: row.left, size_bytes: row.size_bytes, ranks: 2, factors: {} },
        ...own.map((name) => row[name]),
      ]),
  };
  return {
    question: "guidelines",
    sentence: "openmpi violates 2 of 3 guidelines: 2 ranks.",
    scope: "2 ranks",
    tables: [guidelines, violated],
    notes: ["GL10: bcast(n) <= scatter(n/p) + allgather(n/p)", "violated: above 1 + tolerance, holds: the interval ends below it"],
    warnings: [],
  };
}
