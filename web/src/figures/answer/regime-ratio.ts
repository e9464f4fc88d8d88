// Whether the answer depends on the state that the machine was in.
import type { Figure } from "../../figure.ts";
import { drawRatios, selectedRatios, smallestThatMatters, type RatioSeries } from "../kit/ratios.ts";

export const figure: Figure = {
  id: "regime-ratio",
  section: "regimes",
  title: "Ratio of times in each regime",
  read:
    "Points are ratios from the blocks that were measured while the machine was in one regime, with their intervals; filled points are decided within that regime. " +
    "Where the regimes' points lie apart, the answer depends on the state of the machine, and the ratio over everything depends on how long each state lasted.",
  draw(view) {
    const compare = view.campaign.compare;
    if (!compare) return null;
    const among = compare.cells.filter((cell) => cell.regime !== null);
    const names = [...new Set(among.map((cell) => cell.regime as string))];
    if (names.length < 2) return null;
    const series: RatioSeries[] = names.map((name, i) => ({
      label: name,
      of: (cell) => cell.regime === name,
      style: view.style.series("regime", i),
    }));
    return drawRatios(view, selectedRatios(view, among), among, smallestThatMatters(view, compare), series);
  },
};
