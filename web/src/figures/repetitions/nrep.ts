// How many repetitions of a launch are enough, cell by cell.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "nrep",
  section: { id: "repetitions", title: "How many repetitions are enough?", short: "Repetitions", before: "normality" },
  title: "Repetitions of a launch that are enough",
  read:
    "Each row is the largest number that any launch of the cell needed until all quantities that were asked for were below their thresholds at once. " +
    "A cell that is not here needs more than was measured.",
  question: "nrep",
  table: "repetitions",
  column: "repetitions",
});
