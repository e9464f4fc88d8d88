// The answer's figure: how many times longer the other arm takes, for each size.
import type { Figure } from "../../figure.ts";
import { drawRatios, selectedRatios, smallestThatMatters } from "../kit/ratios.ts";

export const figure: Figure = {
  id: "ratio",
  section: "ratio",
  title: "Ratio of times, by message size",
  read:
    "A point is the time of one arm divided by the time of the reference, its line the interval at the campaign's confidence: above 1 the reference is faster, below 1 the other arm. " +
    "A decided point has the symbol of the faster arm, ≈ is equivalent and ? undecided; what lies in the grey band differs by less than the smallest difference that matters.",
  draw(view) {
    const compare = view.campaign.compare;
    if (!compare) return null;
    const among = compare.cells.filter((cell) => cell.regime === null);
    const min_effect = smallestThatMatters(view, compare);
    return drawRatios(view, selectedRatios(view, among), among, min_effect, [{ label: "", of: () => true }]);
  },
};
