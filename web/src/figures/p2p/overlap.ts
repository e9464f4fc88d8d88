// How much of a call is hidden behind computation.
import { digits } from "../../format.ts";
import { answerFigure, type Row } from "../kit/answer.ts";

/** How many times as long as the call the computation really took, which is not what was asked for. */
export function behindText({ multiple, computation }: Row): string {
  return `behind ${typeof multiple === "number" ? `${digits(multiple, 2)}x` : String(computation)}`;
}

export const figure = answerFigure({
  id: "overlap",
  section: { id: "messages" },
  title: "What computation hides of a call",
  read:
    "Each row is an amount of computation between start and end of a call, in times of the call: what both at once take less than one after the other, " +
    "over the shorter of the two, with the interval. Below 0 both at once take longer than one after the other.",
  question: "overlap",
  table: "overlap",
  column: "overlap",
  texts: (row) => [String(row.arm), behindText(row)],
});
