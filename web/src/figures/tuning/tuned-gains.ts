// What a tuned file gains in every cell, and how it is used.
import { answerOf, rowsOf, tableOf } from "../../answers.ts";
import type { Drawing, Figure, View } from "../../figure.ts";
import { type AnswerFigure, answerFigure } from "../kit/answer.ts";
import { joinNotes } from "../kit/facets.ts";

interface Variable {
  action: "set" | "unset";
  variable: string;
  value: string | null;
}

/** The campaign that raced has the answer of its latest confirmation; a confirmation is a campaign, too, with a page of its own. */
function questionOf(view: View): string {
  return tableOf(answerOf(view.campaign, "tune"), "confirmed") ? "tune" : "tune-confirm";
}

/** "To use it: unset A; set B=1." Empty where nothing is to be told. */
export function useOf(view: View): string {
  const variables = rowsOf<Variable>(tableOf(answerOf(view.campaign, questionOf(view)), "variables"));
  if (variables.length === 0) return "";
  const words = variables.map(({ action, variable, value }) => (action === "unset" ? `unset ${variable}` : `set ${variable}=${value ?? ""}`));
  return `To use it: ${words.join("; ")}.`;
}

const kGains: Omit<AnswerFigure, "question"> = {
  id: "tuned-gains",
  section: { id: "tuning", title: "What would be faster, and what does it gain?", short: "Tuning", before: "clocks" },
  title: "What the tuned file gains",
  read:
    "Each row is a cell, measured with the file and without it in launches of their own that chose nothing: the share of the time that a call takes less, with the interval. " +
    "An entry gains where the lower end is above the least gain that matters (2 % if nothing else was asked for), and one that was confirmed before stays where this is undecided; rows without an entry show whether anything became slower.",
  table: "confirmed",
  column: "gain",
};

export const figure: Figure = {
  ...answerFigure({ ...kGains, question: "tune" }),
  also: ["tune-confirm"],
  draw(view): Drawing | null {
    const drawing = answerFigure({ ...kGains, question: questionOf(view) }).draw(view);
    return drawing && { ...drawing, note: joinNotes(drawing.note, useOf(view)) };
  },
};
