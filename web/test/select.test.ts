import { test } from "node:test";
import assert from "node:assert/strict";
import { EVERYTHING, cellLabel, cellName, filtersOf, fromFragment, hasLevels, panels, spread, toFragment, varyingFactors } from "../src/select.ts";
import { selectionText } from "../src/filters.ts";
import type { Levels } from "../src/data.ts";
import type { View } from "../src/figure.ts";
import { boundedCells, bySize } from "../src/figures/kit/arms.ts";
import { type Measured, ratioPanels } from "../src/figures/kit/ratios.ts";
import { rowName } from "../src/figures/kit/sync.ts";
import { makeStyle } from "../src/style.ts";
import { levels, pageOf, sampleCampaign } from "./figures/sample.ts";

const cells = [
  levels("allreduce", 8), levels("allreduce", 1024), levels("barrier", null), levels("bcast", 8, 2, { sync: "barrier", root: 0 }),
  levels("bcast", 8, 4, { sync: "round-time", root: 0 }),
];
const one = { ...sampleCampaign({ cells: [levels("bcast", 8)], arms: ["a", "b"], launches: 2, repetitions: 3 }), cells };
function viewOf(cells: Levels[]): View {
  const campaign = { ...one, cells };
  return { page: pageOf(campaign), campaign, selection: EVERYTHING, width: 900, style: makeStyle(pageOf(campaign), false) };
}
const campaigns = [one, { ...one, name: "second" }];

test("a selection survives its way through the fragment", () => {
  const selection = {
    campaign: 1, operations: ["bcast"], sizes: ["none", "8"], ranks: ["2"], arms: ["b"], levels: { sync: ["barrier"] },
  };
  const fragment = toFragment(selection, "figure-ratio");
  assert.equal(fragment, "figure-ratio?campaign=2&op=bcast&size=none,8&ranks=2&arm=b&f.sync=barrier");
  assert.deepEqual(fromFragment(`#${fragment}`, campaigns), { selection, target: "figure-ratio" });
});

test("everything has an empty fragment", () => {
  assert.equal(toFragment(EVERYTHING, ""), "");
  assert.deepEqual(fromFragment("", campaigns), { selection: EVERYTHING, target: "" });
});

test("names with the fragment's own signs come back as they were", () => {
  const odd = "a,b=c&d+e f%?#</script>ä";
  const arms = [{ ...one.arms[0]!, label: odd }, one.arms[1]!];
  const selection = { ...EVERYTHING, arms: [odd] };
  const fragment = toFragment(selection, "");
  assert.doesNotMatch(fragment, /[<> #]/);
  assert.deepEqual(fromFragment(fragment, [{ ...one, arms }]).selection, selection);
});

test("what the data does not have is not a selection, and neither is all of it", () => {
  for (const fragment of ["?op=scan", "?op=allreduce,barrier,bcast", "?campaign=9", "?campaign=0", "?f.nothing=1", "?arm=%ff", "?x", "??&=&,"]) {
    assert.deepEqual(fromFragment(fragment, campaigns).selection, EVERYTHING, fragment);
  }
  assert.deepEqual(fromFragment("?op=scan,bcast", campaigns).selection.operations, ["bcast"]);
  assert.equal(fromFragment("%ff", campaigns).target, "");
  assert.deepEqual(fromFragment("times?op=bcast", []).selection, EVERYTHING);
});

test("a factor that a cell does not have excludes nothing", () => {
  const selection = { ...EVERYTHING, levels: { root: ["1"] } };
  assert.ok(hasLevels(selection, levels("barrier", null)));
  assert.ok(!hasLevels(selection, levels("bcast", 8, 2, { root: 0 })));
});

test("a factor that only tells operations apart is not a filter", () => {
  const cells = [levels("bcast", 8, 2, { datatype: "byte" }), levels("reduce", 8, 2, { datatype: "int32" })];
  assert.deepEqual([...filtersOf([], { ...one, cells }).levels], []);
});

test("filters offer what differs, sizes in order", () => {
  const filters = filtersOf(campaigns, one);
  assert.deepEqual(filters.sizes, ["none", "8", "1024"]);
  assert.deepEqual([...filters.levels], [["sync", ["round-time", "barrier"]]]);
});

test("labels name what tells cells apart and nothing else", () => {
  assert.equal(cellLabel(cells[0]!, cells.slice(0, 3)), "allreduce");
  assert.equal(cellLabel(cells[3]!, cells), "bcast, 2 ranks, sync barrier");
  assert.equal(cellName(cells[0]!, cells.slice(0, 3)), "allreduce, 8\u00a0B");
  assert.deepEqual([...varyingFactors(cells.slice(3)).keys()], ["sync"]);
  const split = panels(cells, (cell) => cell);
  assert.equal(split.length, 4);
  assert.deepEqual(split[0]?.items.map((cell) => cell.size_bytes), [8, 1024]);
});

// Cells that count how often anyone looks at them.
function watched(count: number): { cells: Levels[]; looks: () => number } {
  let looks = 0;
  const cells = Array.from({ length: count }, (_, i): Levels => {
    const plain = levels(`operation ${i % 10}`, 2 ** (i % 20), 2 + (i % 3), { datatype: `type ${i % 7}`, root: i % 4 });
    return {
      ...plain,
      get factors() {
        ++looks;
        return plain.factors;
      },
      get ranks() {
        ++looks;
        return plain.ranks;
      },
    };
  });
  return { cells, looks: () => looks };
}

test("labels of many cells take work in proportion to their number", () => {
  const most = 12; // looks at a cell; with one pass for each of the cells they would be thousands
  const uses: [string, (cells: Levels[]) => unknown][] = [
    ["panels", (cells) => panels(cells, (cell) => cell)],
    ["labels", (cells) => cells.map((cell) => cellName(cell, cells))],
    ["names of rows", (cells) => cells.map((cell) => rowName(cell, cells))],
    ["filters", (cells) => filtersOf([], { ...one, cells })],
    ["sizes", (cells) => bySize(viewOf(cells), cells.map((_, cell) => ({ cell, arm: "a" })))],
    ["chosen cells", (cells) => boundedCells(viewOf(cells), cells.map((_, cell) => ({ cell, arm: "a" })), 9)],
  ];
  for (const [name, use] of uses) {
    const { cells, looks } = watched(600);
    use(cells);
    assert.ok(looks() <= most * cells.length, `${name}: ${looks()} looks at ${cells.length} cells`);
  }
  const { cells, looks } = watched(600);
  // Rows of a comparison inherit the watched levels.
  const rows = cells.map((cell) => Object.create(cell, { arm_a: { value: "a" }, arm_b: { value: "b" } }) as Measured);
  assert.ok(ratioPanels(rows, rows).length > 1);
  assert.ok(looks() <= most * cells.length, `ratios: ${looks()} looks at ${cells.length} rows`);
});

test("a cell that is not in the list is named by what the list tells apart", () => {
  assert.equal(cellLabel(levels("bcast", 8, 4), [levels("bcast", 8, 2)]), "bcast, 4 ranks");
  assert.equal(cellLabel(levels("scan", 8, 2), []), "scan");
});

test("spreading keeps the first and the last", () => {
  assert.deepEqual(spread([1, 2, 3, 4, 5, 6, 7], 3), [1, 4, 7]);
  assert.deepEqual(spread([1, 2], 3), [1, 2]);
  assert.deepEqual(spread([1, 2, 3], 1), [1]);
});

test("a selection in words", () => {
  assert.equal(selectionText(EVERYTHING), "");
  assert.equal(selectionText({ ...EVERYTHING, operations: ["bcast"], sizes: ["8"], ranks: ["2"] }), "bcast; 8\u00a0B; 2 ranks");
});
