// What a tuned file gains in every cell, and how it is used.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Drawing, Figure, View } from "../../figure.ts";
import { answerFigure } from "../kit/answer.ts";

interface Variable {
  action: "set" | "unset";
  variable: string;
  value: string | null;
}

/** "To use it: unset A; set B=1." Empty where nothing is to be told. */
function useOf(view: View): string {
  const variables = rowsOf<Variable>(tableOf(answerOf(view.campaign, "tune"), "variables"));
  if (variables.length === 0) return "";
  const words = variables.map(({ action, variable, value }) => (action === "unset" ? `unset ${variable}` : `set ${variable}=${value ?? ""}`));
  return `To use it: ${words.join("; ")}.`;
}

const gains = answerFigure({
  id: "tuned-gains",
  section: { id: "tuning", title: "What would be faster, and what does it gain?", short: "Tuning", before: "clocks" },
  title: "What the tuned file gains",
  read:
    "Each row is a cell, measured with the file and without it in launches of their own that chose nothing: the share of the time that a call takes less, with the interval. " +
    "An entry stays where the lower end is above 2 %; rows without an entry show whether anything became slower.",
  question: "tune",
  table: "confirmed",
  column: "gain",
});

export const figure: Figure = {
  ...gains,
  draw(view): Drawing | null {
    const drawing = gains.draw(view);
    if (!drawing) return null;
    const note = [drawing.note, useOf(view)].filter((text) => text !== undefined && text !== "").join(" ");
    return note === "" ? drawing : { ...drawing, note };
  },
};
