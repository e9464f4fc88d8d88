// Half the round trip of messages, by size and arm.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "latency",
  section: { id: "messages", title: "How fast are messages between two ranks?", short: "Messages", before: "clocks" },
  title: "Half the round trip",
  read:
    "Each row is a message size in an arm: half the time from the first rank's send until the answer is there, with its interval. " +
    "What one direction takes can be told only where both ranks read one clock.",
  question: "p2p",
  table: "latency",
  column: "half_round_trip_ns",
});
