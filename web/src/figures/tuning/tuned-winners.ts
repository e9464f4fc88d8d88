// What is fastest in every cell of a race, against the arm as it is given.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "tuned-winners",
  section: { id: "tuning" },
  title: "What is fastest of all that can be made to run",
  read:
    "Each row is a cell in which something beats the arm as it is given: the time of the winner over that of the arm, from the groups that chose it. " +
    "The best of many candidates looks better than it is, which is why a file counts only what is confirmed.",
  question: "tune",
  table: "winners",
  column: "ratio",
});
