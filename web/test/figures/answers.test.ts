// Tidy tables of answers: read by name, drawn without knowing their question.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, rowsOf, tableOf } from "../../src/answers.ts";
import type { LocalGlobalCell } from "../../src/data.ts";
import type { View } from "../../src/figure.ts";
import { looksOf, pointsOf } from "../../src/figures/kit/answer.ts";
import { EVERYTHING } from "../../src/select.ts";
import { makeStyle } from "../../src/style.ts";
import { samplePage } from "./sample.ts";

const page = samplePage();
const campaign = page.campaigns[0]!;
const table = tableOf(answerOf(campaign, "local-global"), "cells")!;
const column = table.columns.find(({ name }) => name === "skew_ns")!;
const view: View = { page, campaign, selection: EVERYTHING, width: 900, style: makeStyle(page, false) };

test("answers: what nobody asked is null, and has no rows", () => {
  assert.equal(answerOf(campaign, "how many angels"), null);
  assert.equal(tableOf(answerOf(campaign, "local-global"), "none"), null);
  assert.deepEqual(rowsOf(null), []);
});

test("answers: a row has its cell's levels and every column by name", () => {
  const row = rowsOf<LocalGlobalCell>(table)[0]!;
  assert.equal(row.operation, "allreduce");
  assert.equal(row.arm, "openmpi");
  assert.equal(row.skew_ns, 12);
  assert.ok(row.median_a_ns! > 0);
});

test("answers: a figure has a point with its interval for every selected row that has a value", () => {
  const { points, rows } = pointsOf(view, table, column);
  assert.equal(points.length, table.rows.length);
  assert.equal(points[0]!.value, 12);
  assert.ok(points[0]!.low! < 12 && points[0]!.high! > 12);
  assert.equal(new Set(points.map(({ name }) => name)).size, points.length, "names tell rows apart");
  const some = pointsOf({ ...view, selection: { ...EVERYTHING, sizes: ["8"] } }, table, column);
  assert.ok(some.points.length > 0 && some.points.length < rows.length);
  const at = table.columns.indexOf(column);
  const absent = { ...table, rows: table.rows.map((row) => row.map((value, i) => (i === at ? null : value))) };
  assert.deepEqual(pointsOf(view, absent, column).points, []);
});

test("answers: an arm looks in a figure as it does in every other one", () => {
  const at = table.columns.findIndex(({ name }) => name === "arm");
  const arms = campaign.arms.map(({ label }) => label);
  assert.ok(arms.length > 1);
  const both = { ...table, rows: arms.flatMap((arm) => table.rows.map((row) => row.map((value, i) => (i === at ? arm : value)))) };
  const looks = looksOf(view, pointsOf(view, both, column).points);
  assert.deepEqual(looks.map(({ series }) => series), arms.map((arm) => view.style.arm(arm)));
  assert.ok(looks.every(({ points }) => points.length === table.rows.length));
  // Whatever is selected.
  const second = pointsOf({ ...view, selection: { ...EVERYTHING, arms: [arms[1]!] } }, both, column).points;
  assert.deepEqual(looksOf(view, second).map(({ series }) => series), [view.style.arm(arms[1]!)]);
  const without = { ...table, columns: table.columns.filter((_, i) => i !== at), rows: table.rows.map((row) => row.filter((_, i) => i !== at)) };
  assert.deepEqual(looksOf(view, pointsOf(view, without, column).points).map(({ series }) => series), [view.style.series("role", 0)]);
});
