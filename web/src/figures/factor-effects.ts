// By how much each level of a factor changes the run-time.
import type { FactorEffect } from "../data.ts";
import type { Figure } from "../figure.ts";
import { interval, probability, ratio } from "../format.ts";
import { bounded, joinNotes } from "./kit/facets.ts";
import { factorWord, type Target, targetsOf } from "./kit/factors.ts";
import { fixedRatio, forest, forestDomain, type ForestRow } from "./kit/forest.ts";
import { sheet } from "./kit/sheet.ts";
import { percentTick } from "./kit/ticks.ts";

const kPanels = 9;
const kRows = 30;

interface Effect extends FactorEffect {
  factor: string;
  ratio: number;
}

export function effectsOf(target: Target): Effect[] {
  return target.factors.flatMap((factor) => factor.effects.filter((effect): effect is FactorEffect & { ratio: number } => effect.ratio !== null).map((effect) => ({ ...effect, factor: factor.factor })));
}

export const figure: Figure = {
  id: "factor-effects",
  section: "factors",
  title: "Effect of each level",
  read:
    "A point is the time with that level divided by the time with the level in brackets, all other factors as they come, with its interval: to the right of 1 it is slower. " +
    "Filled points are settled, either because the effect is larger than what matters or because it surely lies within the grey band; hollow ones need more launches.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const { style } = view;
    const all = targetsOf(view, data).map((target) => ({ target, effects: effectsOf(target) })).filter((one) => one.effects.length > 0);
    if (all.length === 0) return null;
    const { shown, note } = bounded(all, kPanels, "operations and sizes", "operation or size");
    const effects = shown.flatMap((one) => one.effects);
    const domain = forestDomain(effects.map((effect) => ({ ratio: effect.ratio, low: effect.ratio_low, high: effect.ratio_high })), data.min_effect);
    const look = (effect: Effect) => (effect.influence === "matters" ? style.series(1) : effect.influence === "does not matter" ? style.series(0) : { colour: style.muted, symbol: "circle" as const });
    const rowOf = (effect: Effect): ForestRow => ({
      name: `${factorWord(effect.factor)}: ${effect.level} (${effect.reference})`, ratio: effect.ratio, low: effect.ratio_low, high: effect.ratio_high,
      hollow: effect.influence === "undecided" || effect.influence === null, style: { colour: look(effect).colour, symbol: look(effect).symbol }, value: fixedRatio(effect.ratio),
      text: `${factorWord(effect.factor)}: ${effect.level} / ${effect.reference}\n${ratio(effect.ratio)} [${interval(effect.ratio_low, effect.ratio_high, ratio)}], p ${probability(effect.p_adjusted)}\n${effect.influence ?? "no verdict"}, ${effect.groups} groups`,
    });
    const cut = shown.some((one) => one.effects.length > kRows);
    return {
      element: sheet(view, {
        label: "Effects of levels of factors",
        legend: [
          { label: "matters", colour: style.series(1).colour, symbol: style.series(1).symbol },
          { label: "does not matter", colour: style.series(0).colour, symbol: style.series(0).symbol },
          { label: "undecided", colour: style.muted, symbol: "circle", hollow: true },
          { label: `within ${percentTick(data.min_effect)}`, colour: style.muted, area: 0.18 },
        ],
        xTitle: "time with the level / time with its reference (logarithmic)",
        panels: shown.map((one) => ({ title: one.target.name, draw: (width) => forest(view, one.effects.slice(0, kRows).map(rowOf), { width, domain, min_effect: data.min_effect }) })),
        least: 340,
        columns: 2,
      }),
      table: {
        columns: ["operation", "size (B)", "factor", "level", "reference", "ratio", "low", "high", "groups", "p adjusted", "influence"],
        rows: shown.flatMap((one) => one.effects.map((d) => [one.target.operation, one.target.size_bytes, d.factor, d.level, d.reference, d.ratio, d.ratio_low, d.ratio_high, d.groups, d.p_adjusted, d.influence])),
      },
      summary: `${effects.filter((effect) => effect.influence === "matters").length} of ${effects.length} effects matter.`,
      note: joinNotes(
        note,
        cut ? `The first ${kRows} effects of an operation and size are drawn; the table has all of them.` : undefined,
        data.missing.length > 0 ? `Without data: ${data.missing.map((one) => `${one.factor} ${one.level} (${one.reason})`).join("; ")}.` : undefined,
      ),
    };
  },
};
