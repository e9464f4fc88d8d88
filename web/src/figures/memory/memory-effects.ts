// What levels of factors do to walks, each against the usual level of the same sizes and launch groups.
import { answerFigure } from "../kit/answer.ts";
import { kQuestion } from "./memory-rows.ts";

export const figure = answerFigure({
  id: "memory-effects",
  section: { id: "memory" },
  title: "What levels of factors do",
  read:
    "Each row is a level of a factor: how many times as long a byte takes as with the usual level, with the interval, over sizes that both have. " +
    "An interval around 1 is a level that does nothing here.",
  question: kQuestion,
  table: "effects",
  column: "ratio",
  texts: ({ operation, beside, factor, level, reference }) => [
    beside === null ? String(operation) : `${operation}, ${beside}`,
    `${factor} ${level} against ${reference}`,
  ],
});
