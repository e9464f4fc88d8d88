// Axes, ticks, sizes and panels: layout that needs no document.
import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, place, valueAt } from "../../src/figures/kit/chart.ts";
import { bounded, columnsFor, groupBy, joinNotes } from "../../src/figures/kit/facets.ts";
import { arrowWords } from "../../src/figures/kit/ratios.ts";
import { regimesNote } from "../../src/figures/kit/regimes.ts";
import { distinguished } from "../../src/figures/kit/sheet.ts";
import { sharedAxis, SizeAxis } from "../../src/figures/kit/sizes.ts";
import { fitted, textWidth, wrapped, wrappedWhole } from "../../src/figures/kit/text.ts";
import { linearDomain, linearTicks, logDomain, logTicks, percentTick, ratioTick, ratioTicks } from "../../src/figures/kit/ticks.ts";
import { EVERYTHING } from "../../src/select.ts";
import { makeStyle } from "../../src/style.ts";
import { samplePage } from "./sample.ts";

test("ticks of logarithmic axes are round and few", () => {
  assert.deepEqual(logTicks(90, 5500, 9), [100, 200, 500, 1000, 2000, 5000]);
  assert.deepEqual(logTicks(1, 1e8, 5), [1, 100, 10000, 1e6, 1e8]);
  // Less than a decade: numbers between its ends, not one power of ten.
  assert.deepEqual(logTicks(110, 135, 5), [110, 115, 120, 125, 130, 135]);
  assert.deepEqual(logTicks(5, 5, 5), [5]);
  for (const [low, high] of [
    [1, 1.0001],
    [3, 7],
    [0.02, 900],
    [1e-9, 1e9],
  ] as const) {
    const ticks = logTicks(low, high, 8);
    assert.ok(ticks.length >= 2 && ticks.length <= 12, `${low} to ${high}: ${ticks}`);
    assert.ok(ticks.every((tick) => tick >= low * 0.999 && tick <= high * 1.001));
  }
});

test("ticks of ratios have 1 among them and are alike on both sides", () => {
  assert.deepEqual(ratioTicks(0.4, 2.5, 8).map(ratioTick), ["0.5", "0.67", "0.8", "1", "1.25", "1.5", "2"]);
  assert.ok(ratioTicks(0.97, 1.04, 8).includes(1));
  assert.deepEqual(ratioTicks(0.97, 1.04, 4).map(ratioTick), ["0.98", "1", "1.02", "1.04"]);
  assert.equal(ratioTick(0.995), "0.995");
  assert.ok(ratioTicks(0.01, 300, 8).length <= 8);
});

test("an axis has at least two ticks", () => {
  assert.ok(linearTicks(10.2, 10.9, 1).length >= 2);
  assert.deepEqual(linearTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test("domains leave out what does not exist", () => {
  assert.deepEqual(logDomain([null, undefined, 0, -1]), [1, 10]);
  const [low, high] = logDomain([10, null, 1000]);
  assert.ok(low < 10 && low > 5 && high > 1000 && high < 2000);
  assert.deepEqual(linearDomain([null, NaN]), [0, 1]);
  assert.deepEqual(linearDomain([0, 10], 0.1), [-1, 11]);
  // One value alone has room around it.
  const [from, to] = linearDomain([5]);
  assert.ok(from < 5 && to > 5);
});

test("percentages have no digits to spare", () => {
  assert.equal(percentTick(0.5), "50\u00a0%");
  assert.equal(percentTick(0.001), "0.1\u00a0%");
});

test("sizes stand at powers of two, with labels of sizes that were measured", () => {
  const axis = new SizeAxis([8, 1024, 64, 8]);
  assert.deepEqual(axis.sizes, [8, 64, 1024]);
  assert.equal(axis.at(1024), 10);
  assert.deepEqual(axis.ticks(600), [3, 6, 10]);
  assert.equal(axis.label(10), "1\u00a0KiB");
  assert.ok(Number.isNaN(axis.at(7)));
});

test("many sizes: every n-th label, all of them measured", () => {
  const sizes = Array.from({ length: 20 }, (_, i) => 2 ** i);
  const axis = new SizeAxis(sizes);
  const ticks = axis.ticks(300);
  assert.ok(ticks.length >= 3 && ticks.length <= 6, String(ticks));
  assert.ok(ticks.every((place) => sizes.includes(2 ** place)));
});

test("random sizes: labels at powers of two", () => {
  const axis = new SizeAxis(Array.from({ length: 100 }, (_, i) => 5 + 37 * i));
  const ticks = axis.ticks(500);
  assert.ok(ticks.length >= 2 && ticks.every((place) => Number.isInteger(place) || axis.sizes.some((size) => axis.at(size) === place)));
});

test("no size, and size zero, have places of their own before the others", () => {
  const axis = new SizeAxis([0, null, 4, 8]);
  assert.deepEqual(axis.sizes, [null, 0, 4, 8]);
  assert.equal(axis.label(axis.at(null)), "no size");
  assert.equal(axis.label(axis.at(0)), "0\u00a0B");
  assert.ok(axis.at(0) < axis.at(4));
  const alone = new SizeAxis([null]);
  const [low, high] = alone.domain;
  assert.ok(low < alone.at(null) && alone.at(null) < high);
});

test("even axes put sizes at equal distances", () => {
  const axis = new SizeAxis([4, 8, 4096], true);
  assert.deepEqual(
    [4, 8, 4096].map((size) => axis.at(size)),
    [0, 1, 2],
  );
  const many = new SizeAxis(
    Array.from({ length: 30 }, (_, i) => 100 + i),
    true,
  );
  assert.ok(many.ticks(400).length < 10);
});

test("operations without sizes take no room on the others' axis", () => {
  const of = sharedAxis([[4, 8], [null], [16]]);
  assert.deepEqual(of([4]).sizes, [4, 8, 16]);
  assert.deepEqual(of([null]).sizes, [null]);
});

test("nothing is cut off in silence", () => {
  assert.deepEqual(bounded([1, 2], 2, "panels"), { shown: [1, 2], note: undefined });
  const { shown, note } = bounded([1, 2, 3], 2, "panels");
  assert.deepEqual(shown, [1, 2]);
  assert.match(note ?? "", /2 of 3 panels are drawn.*filters/);
  assert.equal(joinNotes(undefined, "", undefined), undefined);
  assert.equal(joinNotes("a", undefined, "b"), "a b");
});

test("panels fill their rows", () => {
  assert.equal(columnsFor(4, 1000, 260, 3, 20), 2);
  assert.equal(columnsFor(3, 1000, 260, 3, 20), 3);
  assert.equal(columnsFor(9, 320, 260, 3, 20), 1);
  assert.equal(columnsFor(1, 1000, 260, 3, 20), 1);
});

test("groups keep the order of their first members", () => {
  assert.deepEqual(
    [...groupBy([3, 1, 4, 1, 5], (n) => n % 2)],
    [
      [1, [3, 1, 1, 5]],
      [0, [4]],
    ],
  );
});

test("names at the ends of lines are moved apart and stay inside", () => {
  const moved = apart(
    [
      { label: "a", colour: "", y: 100 },
      { label: "b", colour: "", y: 101 },
      { label: "c", colour: "", y: 102 },
    ],
    120,
  );
  assert.deepEqual(
    moved.map((one) => one.label),
    ["a", "b", "c"],
  );
  for (let i = 1; i < moved.length; i += 1) assert.ok(moved[i]!.y - moved[i - 1]!.y > 13);
  assert.ok(moved.every((one) => one.y >= 0 && one.y <= 121));
});

test("pixels and values are each other's inverse", () => {
  for (const axis of [
    { type: "log", domain: [1, 1000] },
    { type: "linear", domain: [-5, 5] },
  ] as const) {
    const [low, high] = axis.domain;
    const scale = { type: axis.type, domain: [low, high] as [number, number] };
    assert.ok(Math.abs(place(scale, valueAt(scale, 30, 10, 110), 10, 110) - 30) < 1e-9);
  }
});

test("long names are cut in the middle, words are not", () => {
  const name = "openmpi-5.0.11+pinning-none";
  const short = fitted(name, 80, 12, "sans-serif");
  assert.ok(short.length < name.length && short.startsWith("open") && short.endsWith("none") && short.includes("…"));
  assert.equal(fitted("mpich", 80, 12, "sans-serif"), "mpich");
  assert.deepEqual(wrapped("one two three", 60, 12, "sans-serif"), ["one two", "three"]);
});

test("panels are titled by what tells them apart; what they share is said once", () => {
  const titled = (...titles: string[]) => distinguished(titles.map((title) => ({ title, subtitle: "mpich" })));
  const factors = titled("allreduce, cache warm, sync barrier", "allreduce, cache warm, sync window");
  assert.equal(factors.shared, "allreduce, cache warm");
  assert.deepEqual(factors.panels.map((panel) => panel.title), ["sync barrier", "sync window"]);
  // Panels of one cell differ in their arm.
  const arms = distinguished([
    { title: "bcast, 8 B", subtitle: "openmpi" },
    { title: "bcast, 8 B", subtitle: "mpich" },
  ]);
  assert.equal(arms.shared, "bcast, 8 B");
  assert.deepEqual(arms.panels.map((panel) => panel.title), ["openmpi", "mpich"]);
  assert.equal(titled("bcast", "scan").shared, "");
  assert.equal(titled("bcast").shared, "");
  // Nothing would be left of the first title.
  const bare = distinguished([{ title: "bcast" }, { title: "bcast, 4 ranks" }]);
  assert.deepEqual(bare.panels.map((panel) => panel.title), ["bcast", "bcast, 4 ranks"]);
});

test("what is never cut is broken, at its joints where it has some", () => {
  const lines = wrappedWhole("default+pinning-none+aslr-off+env-4096 / default", 130, 13, "sans-serif", 600);
  assert.equal(lines.join("").replaceAll(" ", ""), "default+pinning-none+aslr-off+env-4096/default");
  assert.ok(lines.every((line) => textWidth(line, 13, "sans-serif", 600) <= 130));
  assert.match(lines[0] as string, /[+-]$/);
  assert.deepEqual(wrappedWhole("bcast, 4 ranks", 500, 13, "sans-serif"), ["bcast, 4 ranks"]);
});

test("who is faster: the name stays whole as long as it can", () => {
  const words = "↑ openmpi-5 faster";
  const width = textWidth(words, 11, "sans-serif", 600);
  assert.equal(arrowWords("↑", "openmpi-5", width, "sans-serif"), words);
  assert.equal(arrowWords("↑", "openmpi-5", width - 1, "sans-serif"), "↑ openmpi-5");
  assert.match(arrowWords("↑", "openmpi-5", textWidth("↑ openmpi", 11, "sans-serif", 600), "sans-serif"), /^↑ .*…/);
});

test("times of all regimes say so where the verdicts are of one", () => {
  const page = samplePage();
  const campaign = page.campaigns[0]!;
  const band = { regime: "100ns:300ns", low_ns: 100, high_ns: 300, median_ns: 130, share: 0.6 };
  const note = (split: boolean, regime = band.regime): string | undefined =>
    regimesNote({
      page,
      campaign: { ...campaign, compare: { ...campaign.compare!, reference: { ...band, regime, split } } },
      selection: EVERYTHING,
      width: 900,
      style: makeStyle(page, false),
    });
  assert.equal(note(false), undefined);
  assert.match(note(true)!, /all regimes.*reference regime alone \(canary from 100\u00a0ns to 300\u00a0ns\)/);
  assert.match(note(true, "chain:100ns:300ns")!, /alone \(chain from 100\u00a0ns/);
});
