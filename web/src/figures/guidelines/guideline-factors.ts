// By how much guidelines are violated, the most expensive first.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "guideline-factors",
  section: { id: "guidelines" },
  title: "How much longer than what could replace it",
  read:
    "Each row is a violated rule at a size: how many times as long its left side takes as its right side, with the interval, sorted by the time that a call loses. " +
    "A large factor of a short call may cost less than a small one of a long call, which is why the rows are not sorted by the factor.",
  question: "guidelines",
  table: "violated",
  column: "factor",
});
