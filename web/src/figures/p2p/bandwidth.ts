// Bytes in a second, by size and arm.
import { answerFigure } from "../kit/answer.ts";

export const figure = answerFigure({
  id: "bandwidth",
  section: { id: "messages" },
  title: "Bandwidth of messages in a row",
  read:
    "Each row is a message size in an arm: the bytes of all messages of a window over the time until the last one has come, with its interval. " +
    "A rate follows from that time, so that a narrow interval of the one is a narrow one of the other.",
  question: "p2p",
  table: "bandwidth",
  column: "bandwidth_gb_s",
});
