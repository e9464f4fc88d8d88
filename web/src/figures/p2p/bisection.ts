// Bytes in a second that all pairs of a pattern move together.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "bisection",
  section: { id: "messages" },
  title: "What all pairs move at once",
  read:
    "Each row is a pattern in an arm: the bytes of all its pairs over the time from the first start to the last end, with its interval; random matchings are one row, the effective bisection. " +
    "If all pairs move little more than one alone, they share something on the way.",
  question: "bisection",
  table: "rates",
  column: "total_gb_s",
});
