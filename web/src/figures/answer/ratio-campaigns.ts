// The same arm in two campaigns: another day, another machine.
import type { Figure } from "../../figure.ts";
import { hasLevels } from "../../select.ts";
import { drawRatios, type Measured } from "../kit/ratios.ts";

export const figure: Figure = {
  id: "ratio-campaigns",
  section: "ratio",
  title: "The two campaigns compared",
  read:
    "A point is the time in the second campaign divided by the time in the first one, its line the interval: above 1 the first campaign was faster. " +
    "Launches of two campaigns are not paired, so that everything that differed between them is in the ratio.",
  draw(view) {
    const compare = view.page.comparison;
    if (!compare) return null;
    const among = compare.cells.filter((cell) => cell.regime === null);
    // The filters name the arms of one campaign; here they are called label@campaign.
    const kept = (label: string): boolean => {
      const { arms } = view.selection;
      return !arms || arms.includes(label) || arms.includes(label.slice(0, Math.max(0, label.lastIndexOf("@"))));
    };
    const cells = among.filter(
      (cell): cell is Measured =>
        cell.ratio !== null && cell.ratio > 0 && hasLevels(view.selection, cell) && kept(cell.arm_a) && kept(cell.arm_b),
    );
    return drawRatios(view, cells, among, compare.min_effect ?? view.campaign.min_effect ?? 0, [{ label: "", of: () => true }]);
  },
};
