// What a tuned file gains, and how it is used: from the page's data to what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/answers.ts";
import type { View } from "../../src/figure.ts";
import { pointsOf } from "../../src/figures/kit/answer.ts";
import { figure as gains, useOf } from "../../src/figures/tuning/tuned-gains.ts";
import { levels, sampleCampaign } from "./sample.ts";
import { sampleTuning } from "./sample-tuning.ts";
import { viewOf } from "./view-of.ts";

const kUse = "To use it: unset OMPI_MCA_coll_tuned_bcast_algorithm; set OMPI_MCA_coll_tuned_dynamic_rules_filename=/data/t/rules.conf.";

function viewWith(...answers: Answer[]): View {
  return viewOf({ ...sampleCampaign({ cells: [levels("bcast", 8)], launches: 2, repetitions: 3 }), answers });
}

/** The answer without some of its tables. */
function without(...ids: string[]): Answer {
  const answer = sampleTuning();
  return { ...answer, tables: answer.tables.filter(({ id }) => !ids.includes(id)) };
}

test("tuning: the variables that use the file are told, those to unset first", () => {
  assert.equal(useOf(viewWith(sampleTuning())), kUse);
  assert.equal(useOf(viewWith(without("variables"))), "");
});

test("tuning: a confirmation on a page of its own says the same", () => {
  assert.equal(useOf(viewWith({ ...without("winners"), question: "tune-confirm" })), kUse);
});

test("tuning: before anything is confirmed nothing is gained, and nothing is to be used", () => {
  const view = viewWith(without("confirmed", "variables"));
  assert.equal(gains.draw(view), null);
  assert.equal(useOf(view), "");
  assert.equal(gains.draw(viewWith()), null);
});

test("tuning: a cell in which nothing beats the arm as given has no point among the winners", () => {
  const winners = sampleTuning().tables.find(({ id }) => id === "winners")!;
  const ratio = winners.columns.findIndex(({ name }) => name === "ratio");
  const rows = winners.rows.map((row, i) => row.map((value, at) => (i === 0 && at >= ratio ? null : value)));
  const { points } = pointsOf(viewWith(), { ...winners, rows }, winners.columns[ratio]!);
  assert.deepEqual(
    points.map(({ name }) => name),
    ["bcast, 1\u00a0KiB, algorithm binomial", "bcast, 64\u00a0KiB, algorithm binomial"],
  );
});
