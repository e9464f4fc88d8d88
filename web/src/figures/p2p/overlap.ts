// How much of a call is hidden behind computation.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "overlap",
  section: { id: "messages" },
  title: "What computation hides of a call",
  read:
    "Each row is an amount of computation between start and end of a call: the hidden time over the shorter of both alone, with the interval. " +
    "Below 0 both together take longer than one after the other.",
  question: "overlap",
  table: "overlap",
  column: "overlap",
});
