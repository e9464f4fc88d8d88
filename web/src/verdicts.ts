// The answer as tables: one an operation, its sizes down, the pairs of arms across, so that a screen of any width shows all
// of it. The mark is the faster arm's, as in every figure.
import type { Comparison, ComparedCell } from "./data.ts";
import { h } from "./dom.ts";
import { watchEdges } from "./edges.ts";
import type { Selection } from "./figure.ts";
import { swatch } from "./filters.ts";
import { bytes, interval, ratio, type Style } from "./style.ts";
import { cellKey, cellLabel, cellName, hasLevels } from "./select.ts";
import { pairName, selectedRows, sideName, sideStyle, SIGNS, winner } from "./sides.ts";

/** More rows are no table that anybody reads. */
const MOST_ROWS = 600;

interface Row {
  label: string;
  items: ComparedCell[];
}

interface Block {
  title: string | null; // null: its rows have whole names
  rows: Row[];
}

/**
 * A block for every operation (and what else tells cells apart beside their size) that has several sizes. What has one size, or
 * none, as a barrier, is a row of the last block.
 */
export function blocksOf(items: readonly ComparedCell[], titleOf: (item: ComparedCell) => string): Block[] {
  const found = new Map<string, Map<number | null, ComparedCell[]>>();
  for (const item of items) {
    const title = titleOf(item) + cellLabel(item, items);
    const sizes = found.get(title) ?? new Map<number | null, ComparedCell[]>();
    sizes.set(item.size_bytes, [...(sizes.get(item.size_bytes) ?? []), item]);
    found.set(title, sizes);
  }
  const blocks: Block[] = [];
  const single: Row[] = [];
  for (const [title, sizes] of found) {
    if (sizes.size === 1) {
      const [of] = [...sizes.values()] as [ComparedCell[]];
      single.push({ label: titleOf(of[0]!) + cellName(of[0]!, items), items: of });
    } else {
      const ordered = [...sizes].sort(([one], [other]) => (one ?? -1) - (other ?? -1));
      blocks.push({ title, rows: ordered.map(([size, of]) => ({ label: bytes(size), items: of })) });
    }
  }
  return single.length > 0 ? [...blocks, { title: null, rows: single }] : blocks;
}

interface Marks {
  of(row: ComparedCell, side: "a" | "b"): Element;
  ofArm(arm: string): Element;
}

// A mark is drawn once and copied: a table may have hundreds.
function marksOf(style: Style): Marks {
  const drawn = new Map<string, Element>();
  const copy = (look: ReturnType<Style["arm"]>): Element => {
    const key = `${look.colour} ${look.symbol}`;
    if (!drawn.has(key)) drawn.set(key, swatch(look));
    return drawn.get(key)?.cloneNode(true) as Element;
  };
  return { of: (row, side) => copy(sideStyle(style, row, side)), ofArm: (arm) => copy(style.arm(arm)) };
}

/** What is wrong with a cell, for its line in the table and for the key. */
const DOUBTS = {
  disagree: { short: "regimes", long: "regimes: another regime of the machine has another winner" },
  weighs: { short: "few groups", long: "few groups: they make the ratio, a mean of logs; the times, which they hardly move, do not show it" },
  shares: { short: "regimes", long: "regimes: each campaign ran in others of the machine, no ratio over everything" },
  times: { short: "times", long: "times: they contradict the ratio, none is given" },
  batches: { short: "batches", long: "batches: one campaign timed single calls, the other batches of calls; no ratio" },
} as const;

function doubtMark(words: string): HTMLElement {
  return h("span", { class: "doubt" }, h("span", { "aria-hidden": "true" }, "⚠\uFE0E "), words);
}

function said(row: ComparedCell): string {
  const side = winner(row);
  if (side) return `${sideName(row, side)} is faster`;
  if (row.verdict === "pass" || row.verdict === "fail") return `${sideName(row, "b")} ${row.verdict === "pass" ? "passes" : "fails"} the gate`;
  return row.verdict ?? "no verdict";
}

function verdictCell(row: ComparedCell, marks: Marks): HTMLElement {
  const { verdict } = row;
  const side = winner(row);
  const range = row.ratio_low === null && row.ratio_high === null ? null : `[${ratio(row.ratio_low)}, ${ratio(row.ratio_high)}]`;
  const doubt = row.doubt === null || row.doubt === undefined ? null : DOUBTS[row.doubt];
  const title = `${said(row)}; ${ratio(row.ratio)}, interval ${interval(row.ratio_low, row.ratio_high, ratio)}, ${row.launches} launches${doubt ? `; ${doubt.long}` : ""}`;
  const mark = side ? marks.of(row, side) : h("span", { class: "sign", "aria-hidden": "true" }, (verdict && SIGNS[verdict]) ?? "");
  return h(
    "td",
    { class: `number ${verdict ?? "none"}`, title },
    h("span", { class: "verdict" }, h("span", { class: "visually-hidden" }, `${said(row)}: `), mark, ratio(row.ratio)),
    range === null ? null : h("span", { class: "range" }, " ", range),
    doubt === null ? null : doubtMark(doubt.short),
  );
}

interface Shown {
  caption: string;
  pairs: ComparedCell[]; // one of each, in the order of columns
  best: (row: Row) => string[] | null; // the arms that cannot be told from the fastest; null: nobody asked
  marks: Marks;
  alone?: boolean; // one block says everything
}

/** What tells the pair from the other ones: the arm that is compared with the common reference, or that both levels are of. */
function headOf(pair: ComparedCell, { pairs, marks }: Shown): (Element | string)[] {
  if (pairs.length > 1 && new Set(pairs.map((one) => `${sideName(one, "b")} / ${sideName(one, "a")}`)).size === 1) return [`in ${pair.in_arm}`];
  const common = pairs.length > 1 && !pair.in_arm && new Set(pairs.map((one) => one.arm_a)).size === 1;
  return common ? [marks.of(pair, "b"), h("span", {}, sideName(pair, "b"))] : [pairName(pair)];
}

/** Marks, and names where they are few. */
function bestCell(arms: string[], marks: Marks): HTMLElement {
  const names = arms.join(", ");
  return h(
    "td",
    { class: "best", title: names },
    h("span", { class: "marks" }, ...arms.map(marks.ofArm), h("span", { class: arms.length > 2 ? "visually-hidden" : "names" }, names || "not known")),
  );
}

function blockTable(block: Block, shown: Shown): HTMLElement {
  const { pairs, marks } = shown;
  const here = pairs.filter((pair) => block.rows.some(({ items }) => items.some((item) => pairName(item) === pairName(pair))));
  const bests = block.rows.map(shown.best);
  const withBest = bests.some((arms) => arms !== null);
  const body = block.rows.map(({ label, items }, i) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, label),
      withBest
        ? bestCell(bests[i] ?? [], marks)
        : null,
      ...here.map((pair) => {
        const item = items.find((one) => pairName(one) === pairName(pair));
        return item ? verdictCell(item, marks) : h("td", { class: "number none" }, h("span", { class: "visually-hidden" }, "not measured"));
      }),
    ),
  );
  const title = block.title ?? (shown.alone ? null : "others");
  const caption = title === null ? shown.caption : `${shown.caption}: ${title}`;
  const heads = here.map((pair) => h("th", { scope: "col", class: "number" }, h("span", { class: "pair" }, ...headOf(pair, shown))));
  const box = h(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, block.title === null ? "cell" : "size"), withBest ? h("th", { scope: "col" }, "fastest") : null, ...heads)),
      h("tbody", {}, ...body),
    ),
  );
  return h("div", { class: "block" }, title === null ? null : h("h4", {}, title), watchEdges(box));
}

function tables(shown: Shown, items: readonly ComparedCell[], titleOf: (item: ComparedCell) => string): HTMLElement | null {
  if (items.length === 0) return null;
  const blocks = blocksOf(items, titleOf);
  const rows = blocks.reduce((sum, block) => sum + block.rows.length, 0);
  return h(
    "div",
    { class: "verdicts", "data-pairs": shown.pairs.length > 1 ? "several" : "one" },
    h("p", { class: "muted" }, shown.caption),
    rows > MOST_ROWS
      ? h("p", {}, `${rows} cells are too many for a table: choose some of them in the filters. The figure below and its data have all of them.`)
      : h("div", { class: "blocks" }, ...blocks.map((block) => blockTable(block, { ...shown, alone: blocks.length === 1 }))),
  );
}

/** Verdicts and, with more than two arms, the best ones. Empty where there is nothing to say. */
export function verdictTables(comparison: Comparison, selection: Selection, style: Style): HTMLElement[] {
  const rows = selectedRows(
    selection,
    comparison,
    comparison.cells.filter((row) => row.regime === null),
  );
  const pairs = [...new Map(rows.map((row) => [pairName(row), row])).values()];
  const [first] = rows;
  if (!first) return [];
  const marks = marksOf(style);
  const references = new Set(rows.map((row) => sideName(row, "a")));
  const others = new Set(rows.map((row) => sideName(row, "b")));
  const reference = references.size === 1 ? `time of ${sideName(first, "a")}` : "time of the reference";
  const what = `${others.size === 1 ? `time of ${sideName(first, "b")}` : "time of each"} / ${reference}`;
  // Levels have no such column: a cell has the best ones of every arm.
  const best = new Map((comparison.against ? [] : (comparison.best ?? [])).map((one) => [cellKey(one), one.arms]));
  const bestOf = ({ items }: Row): string[] | null => (best.size === 0 ? null : (best.get(cellKey(items[0]!)) ?? []));
  const verdicts = tables({ caption: `Who is faster, and ${what}`, pairs, best: bestOf, marks }, rows, () => "");
  // Two campaigns: what is known where nothing is said over everything.
  const questionOf = (row: ComparedCell): string => `${pairName(row)}\n${cellKey(row)}`;
  const unsaid = new Set(rows.filter((row) => row.doubt === "shares").map(questionOf));
  const within = comparison.cells.filter((row) => row.regime !== null && hasLevels(selection, row) && unsaid.has(questionOf(row)));
  const all = [...rows, ...within];
  const legend = h("p", { class: "key" });
  const winners = new Map(all.flatMap((row) => (winner(row) ? [[said(row), row] as const] : [])));
  for (const [words, row] of winners) legend.append(h("span", {}, marks.of(row, winner(row)!), words));
  for (const [verdict, sign] of Object.entries(SIGNS)) {
    if (all.some((row) => row.verdict === verdict)) legend.append(h("span", {}, h("span", { class: "sign" }, sign), verdict));
  }
  if (rows.some((row) => row.verdict === null)) legend.append(h("span", {}, "no sign: these data allow no verdict"));
  if (best.size > 0) legend.append(h("span", {}, "fastest: arms that cannot be told from the fastest one"));
  if (all.some((row) => row.ratio_low !== null)) legend.append(h("span", {}, "[ ] interval of the ratio"));
  for (const doubt of ["disagree", "weighs", "shares", "times", "batches"] as const) {
    if (rows.some((row) => row.doubt === doubt)) legend.append(h("span", {}, doubtMark(DOUBTS[doubt].long)));
  }
  const regimes = tables(
    { caption: `In each regime of the machine: who is faster, and ${what}`, pairs, best: () => null, marks },
    within,
    (row) => `${row.regime}: `,
  );
  return [legend, verdicts, regimes].filter((element) => element !== null);
}
