// The same for the ratio of two arms, which is what comparisons are about.
import type { Figure } from "../../figure.ts";
import { drawReproduced, kRatios } from "../kit/reproduce.ts";

export const figure: Figure = {
  id: "reproducibility-ratios",
  section: "reproducibility",
  title: "Ratios from repeat to repeat, by method",
  read:
    "Each point is the ratio of an arm's time to the first arm's that one method reported in one repeat, divided by the smallest of its own reports for that size; boxes hold the middle half of them with their median. " +
    "What both arms share, such as a slow day of the machine, drops out of a ratio only if a method measures them close together in time.",
  draw: (view) => drawReproduced(view, kRatios),
};
