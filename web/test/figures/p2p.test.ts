// Curves of messages: from the answer's tables to what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/answers.ts";
import type { View } from "../../src/figure.ts";
import { SizeAxis } from "../../src/figures/kit/sizes.ts";
import { figure as bandwidth, halvesOf, markOf } from "../../src/figures/p2p/bandwidth.ts";
import { figure as latency } from "../../src/figures/p2p/latency.ts";
import { behindText, figure as overlap } from "../../src/figures/p2p/overlap.ts";
import { figure as queues } from "../../src/figures/p2p/queues.ts";
import { type CurveRow, curvesOf } from "../../src/figures/p2p/message-curves.ts";
import { EVERYTHING } from "../../src/select.ts";
import { withoutDocument } from "./no-document.ts";
import { levels, sampleCampaign } from "./sample.ts";
import { sampleOverlap } from "./sample-overlap.ts";
import { sampleP2p } from "./sample-p2p.ts";
import { viewOf } from "./view-of.ts";

function viewWith(...answers: Answer[]): View {
  return viewOf({ ...sampleCampaign({ cells: [levels("pingpong", 8)], launches: 2, repetitions: 3 }), answers });
}

/** The answer without some of its tables. */
function without(...ids: string[]): Answer {
  const answer = sampleP2p();
  return { ...answer, tables: answer.tables.filter(({ id }) => !ids.includes(id)) };
}

const draw = (figure: typeof latency, view: View) => withoutDocument(() => figure.draw(view));

test("messages: what was not measured is not drawn", () => {
  for (const [figure, table] of [
    [latency, "latency"],
    [bandwidth, "bandwidth"],
    [queues, "queues"],
  ] as const) {
    assert.equal(draw(figure, viewWith(without(table))), null);
    assert.equal(draw(figure, viewWith()), null);
    assert.notEqual(draw(figure, viewWith(sampleP2p())), null);
  }
});

test("messages: a row of the figure is one of the answer, with one way and why no direction is slower", () => {
  const { table } = draw(latency, viewWith(sampleP2p()))!;
  const told = sampleP2p().tables.find(({ id }) => id === "latency")!;
  assert.equal(table.rows.length, told.rows.length);
  const why = table.columns.indexOf("why not");
  const there = table.columns.indexOf("there (ns)");
  const both = table.rows.filter((row) => row[there] !== null);
  assert.equal(both.length, 2, "8 B of both arms");
  assert.ok(both.every((row) => String(row[why]).startsWith("cannot be told")));
});

test("messages: empty ones have no bytes in a second, and no point among the rates", () => {
  const { table } = draw(bandwidth, viewWith(sampleP2p()))!;
  const size = table.columns.indexOf("size (B)");
  assert.ok(table.rows.length > 0);
  assert.ok(table.rows.every((row) => Number(row[size]) > 0));
});

test("overlap: calls are told by their factors, and computation by what it really was", () => {
  const { table } = draw(overlap, viewWith(sampleOverlap()))!;
  assert.equal(table.rows.length, 8);
  assert.ok(!table.columns.includes("family"), "which says what was measured together");
  assert.equal(behindText({ multiple: 1.18, computation: "1x" }), "behind 1.2x");
  assert.equal(behindText({ multiple: null, computation: "10us" }), "behind 10us");
});

test("messages: a selection of arms and sizes holds in every figure", () => {
  const view = viewWith(sampleP2p());
  const some = { ...view, selection: { ...EVERYTHING, arms: ["mpich"], sizes: ["8"] } };
  for (const figure of [latency, bandwidth, queues]) {
    const { table } = draw(figure, some)!;
    const arm = table.columns.indexOf("arm");
    assert.ok(table.rows.length > 0, figure.id);
    assert.ok(table.rows.every((row) => row[arm] === "mpich"), figure.id);
  }
});

test("messages: a size that was not measured lies between those that were", () => {
  const axis = new SizeAxis([0, 8, 64, 512]);
  assert.ok(axis.between(100) > axis.at(64) && axis.between(100) < axis.at(512));
  assert.equal(axis.between(64), axis.at(64));
});

const someHalf = {
  arm: "openmpi",
  place: null,
  window: 64,
  half_bandwidth_bytes: 7000,
  half_bandwidth_low_bytes: 6500,
  half_bandwidth_high_bytes: 7400,
  half_bandwidth: "6.84 KiB [6.35, 7.23]",
};

test("messages: a half that lies between two sizes is a band, and says in words what is known of it", () => {
  const words = "between 1 KiB and 8 KiB, lost again between 16 KiB and 32 KiB";
  const bracket = { ...someHalf, half_bandwidth_bytes: null, half_bandwidth_low_bytes: 1024, half_bandwidth_high_bytes: 8192, half_bandwidth: words };
  const row = { ...levels("stream", 8, 2, { window: 64 }), arm: "openmpi" };
  assert.deepEqual(halvesOf([row], [bracket]), [bracket]);
  assert.deepEqual(markOf(bracket), { arm: "openmpi", low_bytes: 1024, high_bytes: 8192, title: `openmpi: half ${words}` });
  const known = markOf(someHalf)!;
  assert.deepEqual([known.low_bytes, known.high_bytes], [7000, 7000], "which is a line");
  assert.equal(known.title, "openmpi: half at 6.84 KiB [6.35, 7.23]");
  const nothing = { ...bracket, half_bandwidth_low_bytes: null, half_bandwidth_high_bytes: null };
  assert.equal(markOf(nothing), null);
  assert.deepEqual(halvesOf([row], [nothing]), []);
});

test("messages: the half of the best window stands in no other window's panel", () => {
  const half = (arm: string) => ({ ...someHalf, arm });
  const row = (window: number, arm = "openmpi") => ({ ...levels("stream", 8, 2, { window }), arm });
  const arms = (rows: ReturnType<typeof row>[]) => halvesOf(rows, [half("openmpi"), half("mpich")]).map(({ arm }) => arm);
  assert.deepEqual(arms([row(64), row(64, "mpich")]), ["openmpi", "mpich"]);
  assert.deepEqual(arms([row(16), row(16, "mpich")]), []);
  assert.deepEqual(arms([row(64)]), ["openmpi"], "arms that are not selected have none");
  assert.deepEqual(halvesOf([{ ...levels("pingpong", 8), arm: "openmpi" }], [half("openmpi")]), []);
});

test("messages: families of one size each are one curve, those that share a size are not", () => {
  const row = (size: number, family: string): CurveRow => ({ ...levels("oneway", size, 2, { family }), arm: "mpich", value: 1, low: null, high: null });
  const apart = curvesOf([row(8, "of-8"), row(1024, "of-1024")]);
  assert.deepEqual([...apart].map(([label, own]) => [label, own.length]), [["oneway", 2]]);
  const shared = curvesOf([row(8, "a"), row(1024, "a"), row(8, "b")]);
  assert.deepEqual([...shared.keys()], ["oneway, family a", "oneway, family b"]);
});
