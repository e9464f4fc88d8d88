// Pairs of ranks against the median of all comparable ones.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "pair-matrix",
  section: { id: "messages" },
  title: "Which pairs are slower than the others",
  read:
    "Each row is a pair of ranks in one direction: its time over the median of the pairs that it can be compared with, with the interval. " +
    "All pairs of a round talk at once, and a pair is named only where the test over launches says so after correction for all of them.",
  question: "all-pairs",
  table: "pairs",
  column: "ratio",
});
