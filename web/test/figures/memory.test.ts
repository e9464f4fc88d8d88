// The memory model's figures: from the answer's tables to what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer } from "../../src/answers.ts";
import { rowsOf } from "../../src/answers.ts";
import type { View } from "../../src/figure.ts";
import { figure as effects } from "../../src/figures/memory/memory-effects.ts";
import { memoryTables } from "../../src/figures/memory/memory-model.ts";
import type { WalkPoint } from "../../src/figures/memory/memory-rows.ts";
import { figure as walks, fittedOf, valueOf } from "../../src/figures/memory/memory-walks.ts";
import { bytes } from "../../src/format.ts";
import { EVERYTHING } from "../../src/select.ts";
import { withoutDocument } from "./no-document.ts";
import { levels, sampleCampaign } from "./sample.ts";
import { sampleMemory } from "./sample-memory.ts";
import { viewOf } from "./view-of.ts";

function viewWith(...answers: Answer[]): View {
  return viewOf({ ...sampleCampaign({ cells: [levels("read", 4096)], launches: 2, repetitions: 3 }), answers });
}

function without(...ids: string[]): Answer {
  const answer = sampleMemory();
  return { ...answer, tables: answer.tables.filter(({ id }) => !ids.includes(id)) };
}

test("memory: what was not measured is not drawn", () => {
  const draw = (figure: typeof walks, ...answers: Answer[]) => withoutDocument(() => figure.draw(viewWith(...answers)));
  assert.equal(draw(walks), null);
  assert.equal(draw(walks, without("bandwidth", "latency")), null);
  assert.equal(draw(effects, without("effects")), null);
  // Without chains, knees or told caches the others are drawn all the same.
  assert.notEqual(draw(walks, without("latency", "knees", "hierarchy")), null);
  assert.notEqual(draw(walks, sampleMemory()), null);
  assert.notEqual(draw(effects, sampleMemory()), null);
});

test("memory: an arm that is not selected is in no figure", () => {
  const view = { ...viewWith(sampleMemory()), selection: { ...EVERYTHING, arms: ["openmpi"] } };
  for (const figure of [walks, effects]) {
    const { table } = withoutDocument(() => figure.draw(view))!;
    const arm = table.columns.indexOf("arm");
    assert.ok(table.rows.length > 0, figure.id);
    assert.ok(table.rows.every((row) => row[arm] === "openmpi"), figure.id);
  }
});

test("memory: the model of passes is drawn as what points are: a latency as the pass, a bandwidth as one over it", () => {
  for (const [id, sign] of [["latency", 1], ["bandwidth", -1]] as const) {
    for (const point of rowsOf<WalkPoint>(sampleMemory().tables.find((table) => table.id === id) ?? null)) {
      const passes = point.fitted_ns! / point.pass_ns;
      assert.ok(Math.abs(fittedOf(point)! / valueOf(point) - passes ** sign) < 1e-12);
      assert.equal(fittedOf({ ...point, fitted_ns: null }), null, "too few sizes for a model");
    }
  }
});

test("memory: caches, limits and pitfalls stand as tables, with their arm where there are several", () => {
  const [caches, limits, pitfalls] = memoryTables(sampleMemory());
  assert.deepEqual(caches!.table.columns, ["arm", "cache", "says", "behaves as", "by", "shape", "contradicts", "why"]);
  assert.deepEqual(caches!.table.rows[2], [
    "none", "L3", bytes(32 << 20), `${bytes(6 << 20)} [${bytes(0.97 * (6 << 20))} to ${bytes(1.02 * (6 << 20))}]`, "read", "jump", "yes", "ends before",
  ]);
  assert.equal(limits!.table.rows[0]![3], "164 GB/s");
  assert.deepEqual(pitfalls!.table.rows[1], ["none", "competitor", "", "no", "800 visits have one mode", ""]);
  assert.deepEqual(memoryTables(null), []);
  assert.deepEqual(memoryTables(without("hierarchy", "limits", "pitfalls")), []);
});
