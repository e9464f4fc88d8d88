// The same question asked again and again, by every method: which of them gives the same times?
import type { Figure } from "../../figure.ts";
import { drawReproduced, kTimes } from "../kit/reproduce.ts";

export const figure: Figure = {
  id: "reproducibility",
  section: "reproducibility",
  title: "Times from repeat to repeat, by method",
  read:
    "Each point is what one method reported in one repeat of the whole measurement, divided by the smallest of its own reports for that size (1.1: a report 10 % above another one of the same thing); boxes hold the middle half of the points with their median, whiskers reach to the last point within one and a half box lengths. " +
    "The closer to 1 a method's box stays, the more a number from that method is worth, because nothing was changed between repeats.",
  draw: (view) => drawReproduced(view, kTimes),
};
