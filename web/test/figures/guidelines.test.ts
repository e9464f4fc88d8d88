// Rules by sizes: from the answer's table to the signs that are drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { panelRows } from "../../src/figures/guidelines/guideline-dots.ts";
import type { GuidelineRow } from "../../src/results.ts";
import { rowsOf, tableOf } from "../../src/answers.ts";
import { sampleGuidelines } from "./sample-guidelines.ts";

const [first] = rowsOf<GuidelineRow>(tableOf(sampleGuidelines(), "guidelines"));

function row(rule: string, size_bytes: number | null, verdict: GuidelineRow["verdict"]): GuidelineRow {
  return { ...first!, rule, size_bytes, verdict };
}

function absent(rule: string, size_bytes: number | null): GuidelineRow {
  return { ...row(rule, size_bytes, "not-measured"), arm: null, ranks: null, why: "not yet" };
}

const signs = (rows: GuidelineRow[]): string[] => rows.map(({ rule, size_bytes, verdict }) => `${rule} ${size_bytes} ${verdict}`);

test("guidelines: a rule that is measured nowhere has a sign at every size, and stands last", () => {
  const measured = [row("a", 8, "holds"), row("a", 16, "undecided"), row("b", 8, "holds"), row("b", 16, "violated")];
  assert.deepEqual(signs(panelRows(measured, [absent("s", null)], [8, 16])), [
    "b 8 holds", "b 16 violated", "a 8 holds", "a 16 undecided", "s 8 not-measured", "s 16 not-measured",
  ]);
});

test("guidelines: what is not measured at a size has its sign there, and in no other arm", () => {
  const measured = [row("a", 8, "holds")];
  assert.deepEqual(signs(panelRows(measured, [absent("a", 16), absent("a", 1024)], [8, 16])), ["a 8 holds", "a 16 not-measured"]);
  assert.deepEqual(signs(panelRows(measured, [{ ...absent("a", 16), arm: "mpich" }], [8, 16])), ["a 8 holds"]);
  // A reason without a size is that of other numbers of ranks, where the rule is measured here.
  assert.deepEqual(signs(panelRows(measured, [absent("a", null)], [8, 16])), ["a 8 holds"]);
});

test("guidelines: of several rows of a rule at a size the worst stands there", () => {
  const measured = [row("s", 8, "undecided"), row("s", 8, "violated"), row("s", 8, "holds")];
  assert.deepEqual(signs(panelRows(measured, [absent("s", 8)], [8])), ["s 8 violated"]);
});
