// What waits in the receiver's queues, and what that costs.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "queues",
  section: { id: "messages" },
  title: "Messages and receives that wait",
  read:
    "Each row is the time of a message while so many others wait in a queue that the library looks through first, with its interval. " +
    "A library with a queue for every peer does not mind what others have left.",
  question: "p2p",
  table: "queues",
  column: "time_ns",
});
