// What a comparison owes to the way in which repetitions are synchronised.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { SyncBiasCell } from "../../data.ts";
import type { Figure } from "../../figure.ts";
import { interval, probability, ratio, share } from "../../format.ts";
import { hasLevels } from "../../select.ts";
import { hasSides } from "../../sides.ts";
import { bounded } from "../kit/facets.ts";
import { fixedRatio, forest, forestDomain, type ForestRow } from "../kit/forest.ts";
import { printedP, verdictLegend, verdictMark } from "../kit/ratios.ts";
import { sheet } from "../kit/sheet.ts";
import { rowName, syncPanels } from "../kit/sync.ts";
import { levelColumns } from "../kit/table.ts";
import { percentTick } from "../kit/ticks.ts";

const kPanels = 12;

type Cell = SyncBiasCell & { ratio: number };

export const figure: Figure = {
  id: "sync-bias",
  section: "clocks",
  question: "sync-bias",
  title: "The same comparison under every synchronisation",
  read:
    "Each row is the ratio of the two arms' times, with its interval, when repetitions begin together in that way; its mark is the faster arm's, or the sign of the verdict, and the grey band holds what does not matter. " +
    "Nothing but the synchronisation differs between rows: where they disagree, the answer to which library is faster is one about the synchronisation as well.",
  draw(view) {
    const answer = answerOf(view.campaign, "sync-bias");
    if (!answer) return null;
    const { selection, style } = view;
    const own = rowsOf<SyncBiasCell>(tableOf(answer, "cells")).filter((cell) => cell.regime === null);
    const cells = own.filter(
      (cell): cell is Cell =>
        cell.ratio !== null && hasLevels(selection, cell) && hasSides(selection, cell),
    );
    if (cells.length === 0) return null;
    const min_effect = view.campaign.min_effect ?? 0;
    const { shown, note } = bounded(
      syncPanels(cells, (cell) => `${cell.arm_b} / ${cell.arm_a}`),
      kPanels,
      "panels",
    );
    const visible = shown.flatMap((panel) => panel.cells);
    const domain = forestDomain(
      visible.map((cell) => ({ ratio: cell.ratio, low: cell.ratio_low, high: cell.ratio_high })),
      min_effect,
    );
    const rowOf = (cell: Cell): ForestRow => ({
      name: rowName(cell, own),
      ratio: cell.ratio,
      low: cell.ratio_low,
      high: cell.ratio_high,
      mark: verdictMark(view, cell),
      value: fixedRatio(cell.ratio),
      text:
        `${rowName(cell, own)}\nratio ${ratio(cell.ratio)} [${interval(cell.ratio_low, cell.ratio_high, ratio)}]${printedP(cell) === null ? "" : `, p ${probability(cell.p_adjusted)}`}\n` +
        `visits with several modes: ${cell.arm_a} ${share(cell.several_modes_a)}, ${cell.arm_b} ${share(cell.several_modes_b)}`,
    });
    const columns = levelColumns(own);
    return {
      element: sheet(view, {
        label: "Ratios of times by synchronisation",
        legend: [
          ...verdictLegend(view, visible),
          { label: `does not matter (within ${percentTick(min_effect)})`, colour: style.muted, area: 0.18 },
        ],
        xTitle: "ratio of times, with interval (logarithmic)",
        panels: shown.map((panel) => ({
          title: panel.title,
          subtitle: panel.subtitle,
          draw: (width) => forest(view, panel.cells.map(rowOf), { width, domain, min_effect }),
        })),
        least: 360,
        columns: 2,
      }),
      table: {
        columns: [
          ...columns.columns,
          "arm A",
          "arm B",
          "A (ns)",
          "B (ns)",
          "ratio B/A",
          "low",
          "high",
          "verdict on A",
          "p adjusted",
          "modes A",
          "modes B",
          "visits with several modes A",
          "visits with several modes B",
          "sd log visits A",
          "sd log visits B",
          "sd log repetitions A",
          "sd log repetitions B",
        ],
        rows: visible.map((d) => [
          ...columns.of(d),
          d.arm_a,
          d.arm_b,
          d.median_a_ns,
          d.median_b_ns,
          d.ratio,
          d.ratio_low,
          d.ratio_high,
          d.verdict,
          printedP(d),
          d.modes_a,
          d.modes_b,
          d.several_modes_a,
          d.several_modes_b,
          d.sd_log_visits_a,
          d.sd_log_visits_b,
          d.sd_log_repetitions_a,
          d.sd_log_repetitions_b,
        ]),
      },
      summary: answer.sentence,
      note,
    };
  },
};
