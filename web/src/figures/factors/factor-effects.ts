// By how much each level of a factor changes the run-time.
import type { FactorEffect, Influence } from "../../data.ts";
import type { Figure } from "../../figure.ts";
import { interval, probability, ratio } from "../../format.ts";
import type { Mark } from "../kit/chart.ts";
import { bounded, groupBy, joinNotes } from "../kit/facets.ts";
import { factorWord, type Target, targetsOf } from "../kit/factors.ts";
import { fixedRatio, forest, forestDomain, type ForestRow } from "../kit/forest.ts";
import { sheet } from "../kit/sheet.ts";
import { percentTick } from "../kit/ticks.ts";

const kPanels = 9;
const kRows = 48;

/** Signs as those of verdicts: no series has them. */
const kInfluence: Record<Influence, string> = { matters: "≠", "does not matter": "≈", undecided: "?" };

interface Effect extends FactorEffect {
  factor: string;
  ratio: number;
}

export function effectsOf(target: Target): Effect[] {
  return target.factors.flatMap((factor) =>
    factor.effects
      .filter((effect): effect is FactorEffect & { ratio: number } => effect.ratio !== null)
      .map((effect) => ({ ...effect, factor: factor.factor })),
  );
}

export function effectName(effect: Pick<Effect, "factor" | "level" | "reference">): string {
  return `${factorWord(effect.factor)}: ${effect.level} (${effect.reference})`;
}

interface EffectRow {
  name: string;
  effect: Effect;
}

/** A panel for each operation and size with its effects as rows, or, where there are fewer effects than those, the other way round. */
export function effectPanels(all: readonly { target: Target; effects: Effect[] }[]): { title: string; rows: EffectRow[] }[] {
  const most = Math.max(...all.map((one) => one.effects.length));
  if (most >= all.length)
    return all.map((one) => ({ title: one.target.name, rows: one.effects.map((effect) => ({ name: effectName(effect), effect })) }));
  const rows = all.flatMap((one) => one.effects.map((effect) => ({ name: one.target.name, effect })));
  return [...groupBy(rows, (row) => effectName(row.effect))].map(([title, own]) => ({ title, rows: own }));
}

export const figure: Figure = {
  id: "factor-effects",
  section: "factors",
  title: "Effect of each level",
  read:
    "A point is the time with that level divided by the time with the level in brackets, all other factors as they come, with its interval: to the right of 1 it is slower. " +
    "Its sign says what is settled: ≠ an effect larger than what matters, ≈ one that surely lies within the grey band; those with ? need more launches.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const { style } = view;
    const all = targetsOf(view, data)
      .map((target) => ({ target, effects: effectsOf(target) }))
      .filter((one) => one.effects.length > 0);
    if (all.length === 0) return null;
    const panels = effectPanels(all);
    const { shown, note } = bounded(panels, kPanels, "panels", "operation or size");
    const effects = shown.flatMap((panel) => panel.rows.map((row) => row.effect));
    const domain = forestDomain(
      effects.map((effect) => ({ ratio: effect.ratio, low: effect.ratio_low, high: effect.ratio_high })),
      data.min_effect,
    );
    const mark = (influence: Influence | null): Mark => ({
      colour: influence === "matters" || influence === "does not matter" ? style.text : style.muted,
      sign: kInfluence[influence ?? "undecided"],
    });
    const rowOf = ({ name, effect }: EffectRow): ForestRow => ({
      name,
      ratio: effect.ratio,
      low: effect.ratio_low,
      high: effect.ratio_high,
      mark: mark(effect.influence),
      value: fixedRatio(effect.ratio),
      text: `${effectName(effect)}\n${ratio(effect.ratio)} [${interval(effect.ratio_low, effect.ratio_high, ratio)}], p ${probability(effect.p_adjusted)}\n${effect.influence ?? "no verdict"}, ${effect.groups} groups`,
    });
    const cut = shown.some((one) => one.rows.length > kRows);
    return {
      element: sheet(view, {
        label: "Effects of levels of factors",
        legend: [
          ...(["matters", "does not matter", "undecided"] as const).map((influence) => ({ label: influence, ...mark(influence), bar: true })),
          { label: `within ${percentTick(data.min_effect)}`, colour: style.muted, area: 0.18 },
        ],
        xTitle: "time with the level / time with its reference (logarithmic)",
        panels: shown.map((one) => ({
          title: one.title,
          draw: (width) => forest(view, one.rows.slice(0, kRows).map(rowOf), { width, domain, min_effect: data.min_effect }),
        })),
        least: 340,
        columns: 2,
      }),
      table: {
        columns: ["operation", "size (B)", "factor", "level", "reference", "ratio", "low", "high", "groups", "p adjusted", "influence"],
        rows: all.flatMap((one) =>
          one.effects.map((d) => [
            one.target.operation,
            one.target.size_bytes,
            d.factor,
            d.level,
            d.reference,
            d.ratio,
            d.ratio_low,
            d.ratio_high,
            d.groups,
            d.p_adjusted,
            d.influence,
          ]),
        ),
      },
      summary: `${effects.filter((effect) => effect.influence === "matters").length} of ${effects.length} effects matter.`,
      note: joinNotes(
        note,
        cut ? `The first ${kRows} rows of a panel are drawn: choose operation or size in the filters to see the others.` : undefined,
        data.missing.length > 0
          ? `Without data: ${data.missing.map((one) => `${one.factor} ${one.level} (${one.reason})`).join("; ")}.`
          : undefined,
      ),
    };
  },
};
