// The ten words of docs/guide.md ("Ten words that answers use"), for a page that is read offline. tests/docs_test.py holds both
// equal.
import { h } from "./dom.ts";

export const WORDS: readonly (readonly [string, string])[] = [
  ["arm", "one of those that are compared: a library, or a library with settings; the first one is the reference"],
  ["cell", "what is measured for every arm: an operation with a size, a number of ranks, and every other factor"],
  ["launch", "one call of `mpirun`. Launches differ even when nothing else does, so they are what is counted"],
  ["group", "launches of all arms, alive at the same time on the same cores, that take turns"],
  ["visit", "a series of repetitions of one cell by one arm, without a break"],
  ["block", "one visit of a cell by each arm, one right after the other: what a ratio is made of"],
  ["look", "a moment when a campaign compares what it has so far, and measures no more what is decided"],
  ["canary", "how long a cache line takes between two cores and back, or a fixed chain of multiplications on one (`chain`), without MPI, measured at every visit"],
  ["regime", "a state of the machine (a frequency, a neighbour, a placement) that the canaries tell from others"],
  ["family", "cells that are measured together because they are compared with each other"],
];

/** A fold-out; its id is in links. */
export function glossary(): HTMLElement {
  const entries = WORDS.flatMap(([word, text]) => [h("dt", {}, word), h("dd", {}, text.replaceAll("`", ""))]);
  return h("details", { id: "words", class: "words" }, h("summary", {}, "Ten words that answers use"), h("dl", {}, ...entries));
}
