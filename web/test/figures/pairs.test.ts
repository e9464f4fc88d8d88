// Pairs of ranks: from the answer's table to squares, shades and what is told of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/answers.ts";
import type { View } from "../../src/figure.ts";
import { drawnRows, figure as matrix, labelOf, shadeOf, squaresOf } from "../../src/figures/p2p/pair-matrix.ts";
import { EVERYTHING } from "../../src/select.ts";
import { withoutDocument } from "./no-document.ts";
import { levels, sampleCampaign } from "./sample.ts";
import { samplePairs } from "./sample-pairs.ts";
import { viewOf } from "./view-of.ts";

function viewWith(answer: Answer): View {
  return viewOf({ ...sampleCampaign({ cells: [levels("bcast", 8)], launches: 2, repetitions: 3 }), answers: [answer] });
}

/** The answer with other values in a column. */
function changed(name: string, of: (value: unknown) => unknown): Answer {
  const answer = samplePairs();
  const table = answer.tables[0]!;
  const at = table.columns.findIndex((column) => column.name === name);
  const rows = table.rows.map((row) => row.map((value, i) => (i === at ? of(value) : value))) as typeof table.rows;
  return { ...answer, tables: [{ ...table, rows }] };
}

test("pairs: an arm in a cell is one square, in which every direction is there once", () => {
  const squares = squaresOf(viewWith(samplePairs()));
  assert.deepEqual(
    squares.map((square) => [square[0]!.arm, square.length]),
    [
      ["openmpi", 12],
      ["mpich", 12],
    ],
  );
  const view = viewWith(samplePairs());
  assert.equal(squaresOf({ ...view, selection: { ...EVERYTHING, arms: ["mpich"] } }).length, 1);
  assert.equal(squaresOf({ ...view, selection: { ...EVERYTHING, sizes: ["8"] } }).length, 0);
  // What was measured are matchings: choosing one of them does not empty the square of all.
  assert.equal(squaresOf({ ...view, selection: { ...EVERYTHING, levels: { pattern: ["matching:0"] } } }).length, 2);
});

test("pairs: the slowest pair of a square has the strongest colour, and small differences stay faint", () => {
  const [slow, even] = squaresOf(viewWith(samplePairs()));
  const shade = (square: typeof slow, from: number, to: number): number =>
    shadeOf(square!.find((row) => row.from === from && row.to === to)!, square!);
  assert.equal(shade(slow, 1, 2), 1);
  assert.ok(shade(slow, 3, 0) < 0.2);
  assert.ok(even!.every((row) => shadeOf(row, even!) < 0.4), "a few percent are no contrast");
});

test("pairs: who stands out is told in words, and nobody where nobody does", () => {
  const drawn = withoutDocument(() => matrix.draw(viewWith(samplePairs())))!;
  assert.equal(drawn.summary, "openmpi, oneway, rank 1 to rank 2: 1.30 [1.29 to 1.31] times the median");
  assert.equal(drawn.table.rows.length, 24);
  assert.equal(drawn.table.rows.filter((row) => row.at(-1) === "yes").length, 1);
  const none = withoutDocument(() => matrix.draw(viewWith(changed("outlier", () => false))))!;
  assert.equal(none.summary, "No pair can be told to be slower than the others.");
});

test("pairs: two ranks have nobody to be compared with, and are drawn all the same", () => {
  const view = viewWith(changed("ratio", () => null));
  const [square] = squaresOf(view);
  const slowest = square!.find((row) => row.from === 1 && row.to === 2)!;
  assert.equal(shadeOf(slowest, square!), 1, "by their times");
  assert.equal(labelOf(slowest), "9.10\u00a0µs");
  assert.ok(withoutDocument(() => matrix.draw(view)));
});

test("pairs: the mean of both directions stands in both places, and is one row of the table", () => {
  const view = viewWith(changed("both_ways", () => true));
  const [square] = squaresOf(view);
  const forth = square!.filter((row) => row.from < row.to);
  assert.deepEqual(
    drawnRows(forth).map(({ from, to }) => from * 4 + to).sort((a, b) => a - b),
    square!.map(({ from, to }) => from * 4 + to).sort((a, b) => a - b),
  );
  const drawn = withoutDocument(() => matrix.draw(view))!;
  assert.match(String(drawn.summary), /^openmpi, oneway, ranks 1 and 2: 1\.30/);
  assert.equal(drawn.table.rows.length, 24);
});
