// How much of a call is hidden behind computation.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "overlap",
  section: { id: "messages" },
  title: "What computation hides of a call",
  read:
    "Each row is an amount of computation between start and end of a call: what both at once take less than one after the other, " +
    "over the shorter of the two, with the interval. Below 0 both at once take longer than one after the other.",
  question: "overlap",
  table: "overlap",
  column: "overlap",
});
