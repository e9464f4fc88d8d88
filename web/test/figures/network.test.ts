// The network model's figures: from the answer's tables to what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/answers.ts";
import { rowsOf } from "../../src/answers.ts";
import type { Figure, View } from "../../src/figure.ts";
import { BytesAxis } from "../../src/figures/kit/bytes-axis.ts";
import { figure as check } from "../../src/figures/network/network-check.ts";
import { changesOf, type Detector, figure as detectors } from "../../src/figures/network/network-detectors.ts";
import { figure as errors } from "../../src/figures/network/network-errors.ts";
import { modelTables } from "../../src/figures/network/network-model.ts";
import { figure as pieces, lineOf, thresholdText } from "../../src/figures/network/network-pieces.ts";
import { figure as residuals, reachOf } from "../../src/figures/network/network-residuals.ts";
import { breaksOf, type Piece } from "../../src/figures/network/network-rows.ts";
import { bytes } from "../../src/format.ts";
import { EVERYTHING } from "../../src/select.ts";
import { withoutDocument } from "./no-document.ts";
import { levels, pageOf, sampleCampaign } from "./sample.ts";
import { sampleNetwork } from "./sample-network.ts";
import { viewOf } from "./view-of.ts";

const kFigures: Figure[] = [pieces, residuals, detectors, errors, check];

function viewWith(...answers: Answer[]): View {
  return viewOf({ ...sampleCampaign({ cells: [levels("pingpong", 8)], launches: 2, repetitions: 3 }), answers });
}

function without(...ids: string[]): Answer {
  const answer = sampleNetwork();
  return { ...answer, tables: answer.tables.filter(({ id }) => !ids.includes(id)) };
}

function rowsIn<Row>(id: string): Row[] {
  return rowsOf<Row>(sampleNetwork().tables.find((table) => table.id === id) ?? null);
}

const draw = (figure: Figure, view: View) => withoutDocument(() => figure.draw(view));

test("network: what was not measured, or not checked, is not drawn", () => {
  for (const [figure, table] of [
    [pieces, "points"],
    [residuals, "points"],
    [detectors, "detectors"],
    [errors, "check_errors"],
    [check, "check"],
  ] as const) {
    assert.equal(draw(figure, viewWith(without(table))), null, figure.id);
    assert.equal(draw(figure, viewWith()), null, figure.id);
    assert.notEqual(draw(figure, viewWith(sampleNetwork())), null, figure.id);
  }
});

test("network: an arm that is not selected is in no figure", () => {
  const view = viewWith(sampleNetwork());
  for (const figure of kFigures) {
    const { table } = draw(figure, { ...view, selection: { ...EVERYTHING, arms: ["mpich"] } })!;
    const arm = table.columns.indexOf("arm");
    assert.ok(table.rows.length > 0, figure.id);
    assert.ok(table.rows.every((row) => row[arm] === "mpich"), figure.id);
  }
});

test("network: somebody else's calibration has no campaign, and is drawn all the same", () => {
  const campaign = { ...sampleCampaign({ cells: [], launches: 2, repetitions: 3 }), answers: [] };
  const page = { ...pageOf(), answers: [{ source: "graphene_eth", ...sampleNetwork() }] };
  for (const figure of kFigures) assert.notEqual(draw(figure, viewOf(campaign, page)), null, figure.id);
});

test("network: models of the machine's other regimes are in no figure", () => {
  const answer = sampleNetwork();
  const [arm, place, ...rest] = answer.tables.find(({ id }) => id === "points")!.columns;
  const points = answer.tables.find(({ id }) => id === "points")!;
  const regime = { name: "regime", kind: "text" as const, unit: null, low: null, high: null };
  const other = points.rows.map(([a, p, ...values]) => [a!, p!, "canary 0.5 us", ...values]);
  const own = points.rows.map(([a, p, ...values]) => [a!, p!, null, ...values]);
  const both = { ...points, columns: [arm!, place!, regime, ...rest], rows: [...own, ...other] };
  const view = viewWith({ ...answer, tables: [both, ...answer.tables.filter(({ id }) => id !== "points")] });
  const alone = draw(pieces, viewWith(answer))!.table.rows;
  assert.deepEqual(draw(pieces, view)!.table.rows, alone);
});

test("network: held-out sizes are told, and trains are left out with a word", () => {
  const { table, note } = draw(pieces, viewWith(sampleNetwork()))!;
  const series = table.columns.indexOf("series");
  const held = table.columns.indexOf("held out");
  assert.ok(table.rows.some((row) => row[held] === "yes") && table.rows.some((row) => row[held] === "no"));
  assert.ok(!table.rows.some((row) => row[series] === "train"));
  assert.match(note ?? "", /Trains/);
});

test("network: a piece is drawn from its first to its last size, by its own two numbers", () => {
  const piece: Piece = {
    arm: "a", place: null, series: "send", from_bytes: 16, to_bytes: 4096, intercept_ns: 100, slope_ns_per_byte: 0.5,
    next_bytes: null, break_low_bytes: null, break_high_bytes: null, written: null,
  };
  const line = lineOf(piece, new BytesAxis([1, 65536]));
  assert.deepEqual(line[0], { x: 4, y: 108 });
  assert.deepEqual(line.at(-1), { x: 12, y: 2148 });
  // What lies below 0 has no place on a logarithmic axis.
  assert.ok(lineOf({ ...piece, intercept_ns: -100 }, new BytesAxis([1, 65536])).every(({ y }) => y > 0));
});

test("network: a break lies at least between the sizes around it, and in all of its interval", () => {
  const found = breaksOf(rowsIn<Piece>("pieces"));
  assert.ok(found.length > 0);
  for (const one of found) {
    assert.ok(one.low_bytes <= one.last_bytes && one.last_bytes < one.first_bytes && one.first_bytes <= one.high_bytes);
  }
  const written = found.filter((one) => one.written);
  assert.ok(written.length > 0);
  assert.ok(written.every((one) => one.low_bytes === one.last_bytes && one.high_bytes === one.first_bytes));
});

test("network: a threshold is told as far as it is known", () => {
  const one = { arm: "a", place: null, threshold: "detached", why: null };
  assert.equal(thresholdText({ ...one, last_bytes: 4096, first_bytes: 4200 }), "detached above 4\u00a0KiB");
  assert.equal(thresholdText({ ...one, last_bytes: null, first_bytes: 8192 }), "detached from 8\u00a0KiB on");
  assert.equal(thresholdText({ ...one, last_bytes: null, first_bytes: null }), "");
});

test("network: few residuals that lie far off do not flatten the others", () => {
  const near = Array.from({ length: 99 }, (_, i) => 0.04 * Math.sin(i));
  assert.ok(reachOf([...near, 12], 0.02) < 0.06);
  assert.ok(reachOf(near, 0.02) > 0.04);
  const { note } = draw(residuals, viewWith(sampleNetwork()))!;
  assert.match(note ?? "", /^\d+ of \d+ sizes lie beyond their axis/);
});

test("network: a rule that saw nothing has a row, one that could not be asked a reason", () => {
  const openmpi = (row: { arm: string }): boolean => row.arm === "openmpi";
  const { rules, changes } = changesOf(rowsIn<Piece>("pieces").filter(openmpi), rowsIn<Detector>("detectors").filter(openmpi));
  assert.ok(rules.includes("LoOgGP, send") && !changes.some(({ rule }) => rule === "LoOgGP, send"));
  assert.ok(!rules.includes("LoOgGP, round-trip"));
  assert.ok(rules.indexOf("Invar, round-trip") < rules.indexOf("NetGauge, gap"), "ours first");
  assert.ok(changes.every(({ low, at, high }) => low <= at && at <= high));
  const { note } = draw(detectors, viewWith(sampleNetwork()))!;
  assert.equal(note, "Not asked: LoOgGP of round-trip: it needs three sizes.");
});

test("network: what the simulator could not do is told, and is not an error of 0", () => {
  for (const figure of [errors, check]) assert.match(draw(figure, viewWith(sampleNetwork()))!.note ?? "", /MPI_Isend: smpirun ended/);
  const { table } = draw(errors, viewWith(sampleNetwork()))!;
  const column = table.columns.indexOf("simulated: this platform, half of the sizes below");
  const why = table.columns.indexOf("why not");
  assert.ok(table.rows.every((row) => (row[column] === null) === (row[why] !== null)));
});

test("network: parameters, thresholds and platforms stand as tables; other regimes, and what there is not, do not", () => {
  const plain = (name: string) => ({ name, kind: "text" as const, unit: null, low: null, high: null });
  const table = (id: string, columns: string[], rows: (string | number | null)[][]) => ({ id, title: "", columns: columns.map(plain), rows });
  const answer: Answer = {
    question: "network", sentence: "", scope: "", notes: [], warnings: [],
    tables: [
      table("parameters", ["arm", "place", "regime", "model", "parameter", "sizes", "state", "value", "why"], [
        ["openmpi", null, null, "LogGP", "L", "up to 9 B", "identified", "0.095 us", null],
        ["openmpi", null, null, "LogGP", "o_s", "from 273 B on", "not identified", null, "it waits"],
        ["openmpi", null, "canary 0.5 us", "LogGP", "L", "up to 9 B", "identified", "0.2 us", null],
      ]),
      table("thresholds", ["arm", "place", "threshold", "last_bytes", "first_bytes", "what", "why"], [
        ["openmpi", null, "detached", 242, 273, "waits", null],
        ["mpich", null, "async", 4096, null, "contains", "bounded"],
      ]),
      table("platforms", ["arm", "place", "platform", "hosts", "run"], []),
    ],
  };
  const [parameters, thresholds, ...others] = modelTables(answer);
  assert.deepEqual(others, [], "there is no platform");
  assert.deepEqual(parameters!.table, {
    columns: ["model", "parameter", "sizes", "value", "state", "why"],
    rows: [
      ["LogGP", "L", "up to 9 B", "0.095 us", "identified", ""],
      ["LogGP", "o_s", "from 273 B on", "not identified", "not identified", "it waits"],
    ],
  });
  assert.deepEqual(thresholds!.table, {
    columns: ["arm", "threshold", "above", "up to", "what", "why"],
    rows: [
      ["openmpi", "detached", bytes(242), bytes(273), "waits", ""],
      ["mpich", "async", bytes(4096), null, "contains", "bounded"],
    ],
  });
  assert.deepEqual(modelTables(null), []);
});
