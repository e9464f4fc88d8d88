// The answer as a table: operations down, sizes across, who is faster and by what ratio. The mark is the faster arm's, as in
// every figure.
import type { Comparison, ComparedCell, Levels, Verdict } from "./data.ts";
import { h } from "./dom.ts";
import type { Selection } from "./figure.ts";
import { swatch } from "./filters.ts";
import { interval, ratio, type Style } from "./style.ts";
import { bytes } from "./format.ts";
import { cellLabel, hasArm, hasLevels, sizeKey } from "./select.ts";

/** More sizes are no table any more; the figure of the ratios has them. */
const MOST_COLUMNS = 40;

/** More sizes do not fit on paper. */
const PAPER_COLUMNS = 12;

interface Row<T> {
  label: string;
  bySize: Map<string, T>;
}

function table<T extends Levels>(
  caption: string,
  items: readonly T[],
  all: readonly Levels[],
  prefix: (item: T) => string,
  content: (item: T) => HTMLElement,
): HTMLElement | null {
  const sizes = [...new Set(items.map((item) => item.size_bytes))].sort((a, b) => (a ?? -1) - (b ?? -1));
  if (sizes.length === 0 || sizes.length > MOST_COLUMNS) return null;
  const rows = new Map<string, Row<T>>();
  for (const item of items) {
    const label = prefix(item) + cellLabel(item, all);
    if (!rows.has(label)) rows.set(label, { label, bySize: new Map() });
    rows.get(label)?.bySize.set(sizeKey(item.size_bytes), item);
  }
  const body = [...rows.values()].map(({ label, bySize }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, label),
      ...sizes.map((size) => {
        const item = bySize.get(sizeKey(size));
        return item ? content(item) : h("td", {}, h("span", { class: "visually-hidden" }, "not measured"));
      }),
    ),
  );
  const heads = sizes.map((size) => h("th", { scope: "col", class: "number" }, bytes(size)));
  return h(
    "div",
    { class: sizes.length > PAPER_COLUMNS ? "verdicts wide" : "verdicts" },
    h("p", { class: "muted", "aria-hidden": "true" }, caption),
    h(
      "div",
      { class: "table-box", tabindex: 0, role: "region", "aria-label": caption },
      h("table", {}, h("caption", { class: "visually-hidden" }, caption), h("thead", {}, h("tr", {}, h("td"), ...heads)), h("tbody", {}, ...body)),
    ),
  );
}

interface Marks {
  of(arm: string): Element;
}

// An arm's mark is drawn once and copied: a table may have hundreds.
function marksOf(style: Style): Marks {
  const drawn = new Map<string, Element>();
  return {
    of: (arm) => {
      if (!drawn.has(arm)) drawn.set(arm, swatch(style.arm(arm)));
      return drawn.get(arm)?.cloneNode(true) as Element;
    },
  };
}

/** What is wrong with a cell, for its line in the table and for the key. */
const DOUBTS = {
  disagree: { short: "regimes", long: "regimes: another regime of the machine has another winner" },
  weighs: { short: "few groups", long: "few groups: they make the ratio, a mean over groups; the times, medians over groups, do not show it" },
  shares: { short: "regimes", long: "regimes: each campaign ran in others of the machine, no ratio over everything" },
  times: { short: "times", long: "times: they contradict the ratio, none is given" },
  batches: { short: "batches", long: "batches: one campaign timed single calls, the other batches of calls; no ratio" },
} as const;

function doubtMark(words: string): HTMLElement {
  return h("span", { class: "doubt" }, h("span", { "aria-hidden": "true" }, "⚠\uFE0E "), words);
}

/** Of verdicts that name no winner. */
const SIGNS: Partial<Record<Verdict, string>> = { equivalent: "≈", pass: "✓", fail: "✗", undecided: "?" };

function verdictCell(row: ComparedCell, marks: Marks): HTMLElement {
  const { arm_a, arm_b, verdict } = row;
  const said = {
    faster: `${arm_a} is faster`,
    slower: `${arm_b} is faster`,
    equivalent: "equivalent",
    pass: `${arm_b} passes the gate`,
    fail: `${arm_b} fails the gate`,
    undecided: "undecided",
    none: "no verdict",
  }[verdict ?? "none"];
  const range = row.ratio_low === null && row.ratio_high === null ? null : `[${ratio(row.ratio_low)}, ${ratio(row.ratio_high)}]`;
  const doubt = row.doubt === null || row.doubt === undefined ? null : DOUBTS[row.doubt];
  const title = `${said}; ${ratio(row.ratio)}, interval ${interval(row.ratio_low, row.ratio_high, ratio)}, ${row.launches} launches${doubt ? `; ${doubt.long}` : ""}`;
  const sign = verdict === null ? "" : (SIGNS[verdict] ?? "");
  const mark = verdict === "faster" ? marks.of(arm_a) : verdict === "slower" ? marks.of(arm_b) : h("span", { class: "sign", "aria-hidden": "true" }, sign);
  return h(
    "td",
    { class: `number ${verdict ?? "none"}`, title },
    h("span", { class: "verdict" }, h("span", { class: "visually-hidden" }, `${said}: `), mark, ratio(row.ratio)),
    range === null ? null : h("span", { class: "range" }, range),
    doubt === null ? null : doubtMark(doubt.short),
  );
}

function sameCell(one: Levels, other: Levels): boolean {
  return (
    one.operation === other.operation &&
    one.size_bytes === other.size_bytes &&
    one.ranks === other.ranks &&
    Object.entries(one.factors).every(([factor, level]) => other.factors[factor] === level)
  );
}

/** Verdicts and, with more than two arms, the best ones. Empty where there is nothing to say or too much for a table. */
export function verdictTables(comparison: Comparison, selection: Selection, style: Style): HTMLElement[] {
  const rows = comparison.cells.filter(
    (row) => row.regime === null && hasLevels(selection, row) && hasArm(selection, row.arm_a) && hasArm(selection, row.arm_b),
  );
  const pairs = new Set(rows.map((row) => `${row.arm_b} / ${row.arm_a}`));
  const marks = marksOf(style);
  const one = rows[0];
  const what = pairs.size === 1 && one ? `time of ${one.arm_b} / time of ${one.arm_a}` : "ratio of times";
  const verdicts = table(
    `Who is faster, and ${what}`,
    rows,
    rows,
    (row) => (pairs.size > 1 ? `${row.arm_b} / ${row.arm_a}: ` : ""),
    (row) => verdictCell(row, marks),
  );
  if (!verdicts) return [];
  // Two campaigns: what is known where nothing is said over everything.
  const within = comparison.cells.filter(
    (row) =>
      row.regime !== null &&
      hasLevels(selection, row) &&
      rows.some((one) => one.doubt === "shares" && one.arm_a === row.arm_a && one.arm_b === row.arm_b && sameCell(one, row)),
  );
  const winners = new Set([...rows, ...within].map((row) => (row.verdict === "faster" ? row.arm_a : row.verdict === "slower" ? row.arm_b : null)));
  const legend = h("p", { class: "key" });
  for (const { label: arm } of comparison.arms) if (winners.has(arm)) legend.append(h("span", {}, marks.of(arm), `${arm} is faster`));
  for (const [verdict, sign] of Object.entries(SIGNS)) {
    if ([...rows, ...within].some((row) => row.verdict === verdict)) legend.append(h("span", {}, `${sign} ${verdict}`));
  }
  if (rows.some((row) => row.verdict === null)) legend.append(h("span", {}, "no sign: these data allow no verdict"));
  if ([...rows, ...within].some((row) => row.ratio_low !== null)) legend.append(h("span", {}, "[ ] interval of the ratio"));
  for (const doubt of ["disagree", "weighs", "shares", "times", "batches"] as const) {
    if (rows.some((row) => row.doubt === doubt)) legend.append(h("span", {}, doubtMark(DOUBTS[doubt].long)));
  }
  const regimes = table(
    `In each regime of the machine: who is faster, and ${what}`,
    within,
    within,
    (row) => `${row.regime}${pairs.size > 1 ? `, ${row.arm_b} / ${row.arm_a}` : ""}: `,
    (row) => verdictCell(row, marks),
  );
  const best = (comparison.best ?? []).filter((row) => hasLevels(selection, row));
  const bestTable = table(
    "Arms that cannot be told from the best one",
    best,
    best,
    () => "",
    ({ arms }) =>
      h("td", { class: "number", title: arms.join(", ") }, h("span", { class: "visually-hidden" }, arms.join(", ")), ...arms.map((arm) => marks.of(arm))),
  );
  return [legend, verdicts, ...(regimes ? [regimes] : []), ...(bestTable ? [bestTable] : [])];
}
