// Performance guidelines: every rule at every size, a sign each (paper 003, table IV).
import * as Plot from "@observablehq/plot";
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Figure, View } from "../../figure.ts";
import { bytes, duration, interval, plural, ratio } from "../../format.ts";
import type { GuidelineRow } from "../../results.ts";
import { hasArm } from "../../select.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, kSignSize, tips } from "../kit/chart.ts";
import { bounded, groupBy } from "../kit/facets.ts";
import { type Panel, sheet } from "../kit/sheet.ts";

const kPanels = 12;

type Verdict = NonNullable<GuidelineRow["verdict"]>;

/** What stands for a verdict, and how it is called. */
const kSigns: Record<Verdict, { sign: string; words: string }> = {
  violated: { sign: "✗", words: "violated" },
  holds: { sign: "✓", words: "holds" },
  "not-violated": { sign: "·", words: "not violated" },
  undecided: { sign: "?", words: "undecided" },
  "not-measured": { sign: "–", words: "not measured" },
};

const colourOf = (view: View, verdict: Verdict): string => (verdict === "violated" ? view.style.text : view.style.muted);

const badness = (row: GuidelineRow): number => ["not-measured", "holds", "not-violated", "undecided", "violated"].indexOf(row.verdict!);

/** Splits into 2, 4 and 8 parts are rows of one rule and size: the worst of them stands there. */
function worst(rows: GuidelineRow[]): GuidelineRow {
  return rows.reduce((one, other) => (badness(other) > badness(one) ? other : one));
}

/**
 * The rows of a panel, one a rule and size, rules with a violation first. `measured`: those of its arm and ranks; `absent`: what is
 * not measured, of which a row without a size speaks of all of them where the rule has no other, and one without an arm of every arm.
 */
export function panelRows(measured: GuidelineRow[], absent: GuidelineRow[], sizes: (number | null)[]): GuidelineRow[] {
  const { arm, ranks } = measured[0]!;
  const here = absent.filter((row) => (row.arm === null || row.arm === arm) && (row.ranks === null || row.ranks === ranks));
  const rules = new Set(measured.map((row) => row.rule));
  const missing = here.flatMap((row) => {
    if (row.size_bytes !== null) return sizes.includes(row.size_bytes) ? [row] : [];
    return rules.has(row.rule) ? [] : sizes.map((size_bytes) => ({ ...row, size_bytes }));
  });
  const rows = [...groupBy([...measured, ...missing], (row) => `${row.rule} ${row.size_bytes}`).values()].map(worst);
  const ofRule = groupBy(rows, (row) => row.rule);
  const most = (of: GuidelineRow[]): number => Math.max(...of.map(badness));
  return [...ofRule.values()].sort((one, other) => most(other) - most(one)).flat();
}

/** "8", "1K", "100K": as short as a column of signs. */
function shortSize(size_bytes: number): string {
  if (size_bytes === 0 || size_bytes % 1024 !== 0) return String(size_bytes);
  return size_bytes % 1024 ** 2 === 0 ? `${size_bytes / 1024 ** 2}M` : `${size_bytes / 1024}K`;
}

function textOf(row: GuidelineRow): string {
  const head = `${row.statement}\n${bytes(row.size_bytes)}: ${kSigns[row.verdict!].words}`;
  if (row.why !== null) return `${head}, ${row.why}`;
  const lost = row.lost_ns === null ? "" : `\nlost a call: ${duration(row.lost_ns)}`;
  return `${head}\nfactor ${ratio(row.factor)} [${interval(row.factor_low, row.factor_high, ratio)}]\n${duration(row.left_ns)} against ${duration(row.right_ns)}${lost}`;
}

function drawPanel(view: View, rows: GuidelineRow[], sizes: (number | null)[], width: number): SVGSVGElement {
  const names = new Rows(rows.map((row) => row.rule));
  const most = width * 0.3;
  const left = names.margin(view, most);
  const x = (row: GuidelineRow): number => sizes.indexOf(row.size_bytes);
  const y = (row: GuidelineRow): number => names.at(row.rule);
  // As many sizes as there is room for.
  const step = Math.max(1, Math.ceil((sizes.length * 34) / Math.max(1, width - left)));
  const axis: Axis = {
    type: "linear",
    domain: [-0.5, sizes.length - 0.5],
    ticks: sizes.map((_, i) => i).filter((i) => i % step === 0),
    format: (i) => {
      const size = sizes[Math.round(i)];
      return size === null || size === undefined ? "no size" : shortSize(size);
    },
  };
  return chart(view, {
    width,
    height: names.names.length * names.pitch(view, most, 20) + 40,
    left,
    right: 8,
    top: 6,
    x: axis,
    y: null,
    yDomain: names.domain,
    marks: [
      names.lines(view),
      ...[...groupBy(rows, (row) => row.verdict!)].map(([verdict, of]) =>
        Plot.text(of, {
          x,
          y,
          text: () => kSigns[verdict].sign,
          fontSize: kSignSize,
          fontWeight: verdict === "violated" ? 700 : 400,
          fill: colourOf(view, verdict),
          stroke: view.style.background,
          strokeWidth: 3,
        }),
      ),
      names.labels(view, most, width),
      tips(view, rows, { x, y, text: textOf }),
    ],
  });
}

export const figure: Figure = {
  id: "guideline-dots",
  section: { id: "guidelines", title: "What does it do worse than it could?", short: "Guidelines", before: "clocks" },
  question: "guidelines",
  title: "Rules by sizes",
  read:
    "Each sign is a rule at a size of its left side: ✗ where the left side takes longer than what could replace it, by more than the rule's tolerance and beyond chance. " +
    "✓ means that it surely does not, ? that more launches are needed to tell, and – that it was not measured; the pointer tells the rule, both times and their factor; rules with a violation stand first.",
  draw(view) {
    const answer = answerOf(view.campaign, "guidelines");
    if (!answer) return null;
    const all = rowsOf<GuidelineRow>(tableOf(answer, "guidelines"));
    const { selection } = view;
    const chosen = all.filter((row) => row.verdict !== null && (selection.operations === null || selection.operations.includes(row.left)));
    const measured = chosen.filter(
      (row) =>
        row.ranks !== null &&
        row.arm !== null &&
        hasArm(selection, row.arm) &&
        (selection.ranks === null || selection.ranks.includes(String(row.ranks))) &&
        (selection.sizes === null || selection.sizes.includes(row.size_bytes === null ? "none" : String(row.size_bytes))),
    );
    if (measured.length === 0) return null;
    const absent = chosen.filter((row) => row.verdict === "not-measured");
    const sizes = [...new Set(measured.map((row) => row.size_bytes))].sort((a, b) => (a ?? -1) - (b ?? -1));
    const panels = [...groupBy(measured, (row) => `${row.arm}, ${plural(row.ranks!, "rank")}`)].map(
      ([title, of]): [string, GuidelineRow[]] => [title, panelRows(of, absent, sizes)],
    );
    const rows = panels.flatMap(([, of]) => of);
    const { shown, note } = bounded(panels, kPanels, "panels");
    const verdicts = (Object.keys(kSigns) as Verdict[]).filter((verdict) => rows.some((row) => row.verdict === verdict));
    return {
      element: sheet(view, {
        label: "Guidelines that are violated, by rule and size",
        legend: verdicts.map((verdict) => ({
          label: kSigns[verdict].words,
          colour: colourOf(view, verdict),
          sign: kSigns[verdict].sign,
        })),
        xTitle: "size of the left side (bytes)",
        panels: shown.map(
          ([title, of]): Panel => ({ title: shown.length > 1 ? title : undefined, draw: (width) => drawPanel(view, of, sizes, width) }) as Panel,
        ),
        least: 520,
        columns: 2,
      }),
      table: {
        columns: ["rule", "statement", "arm", "ranks", "size (bytes)", "left (ns)", "right (ns)", "factor", "low", "high", "p", "verdict", "lost (ns)"],
        rows: rows.map((row) => [
          row.rule,
          row.statement,
          row.arm,
          row.ranks,
          row.size_bytes,
          row.left_ns,
          row.right_ns,
          row.factor,
          row.factor_low,
          row.factor_high,
          row.p_adjusted,
          row.verdict,
          row.lost_ns,
        ]),
      },
      summary: answer.sentence,
      note,
    };
  },
};
