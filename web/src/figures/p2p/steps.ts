// Where the time jumps from one size to the next.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "steps",
  section: { id: "messages" },
  title: "Sizes at which the time jumps",
  read:
    "Each row is a step: the sizes that it lies between, and how many times as long a call takes above it, with the interval. " +
    "A bend, where only the slope changes, is none.",
  question: "p2p",
  table: "steps",
  column: "height",
});
