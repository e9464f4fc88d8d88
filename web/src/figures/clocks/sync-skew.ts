// How far apart ranks begin after each synchronisation.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "sync-skew",
  section: "clocks",
  title: "How far apart ranks begin",
  read:
    "Each row is the time over launches between the first rank's start of a repetition and the last one's, with its interval. " +
    "What a synchronisation leaves between the begins is waiting time that global run-times contain and local ones hide.",
  question: "local-global",
  table: "cells",
  column: "skew_ns",
});
