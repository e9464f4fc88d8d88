// From the page's data to what is drawn: nothing is computed that C++ has not computed, and nothing disappears.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ComparedCell, LaunchMedians } from "../../src/data.ts";
import { canaryBins, canaryRange, kindNote } from "../../src/figures/machine/canary.ts";
import { effectsOf } from "../../src/figures/factors/factor-effects.ts";
import { segmentsOf } from "../../src/figures/factors/factor-shares.ts";
import { binsOf } from "../../src/figures/times/histogram.ts";
import { boundedCells, boundedPanels, spreadOver } from "../../src/figures/kit/arms.ts";
import { factorWord, type Target, targetName } from "../../src/figures/kit/factors.ts";
import { binRange, timeAxis } from "../../src/figures/kit/observations.ts";
import { darkness, pixelsOf } from "../../src/figures/kit/raster.ts";
import { seriesPanels } from "../../src/figures/kit/levels.ts";
import { decided, printedP, ratioDomain, ratioPanels, selectedRatios, verdictMark } from "../../src/figures/kit/ratios.ts";
import { dotsOf, kTimes, methodName } from "../../src/figures/kit/reproduce.ts";
import { runtimeTitle } from "../../src/figures/kit/runtime.ts";
import { rowName, syncPanels } from "../../src/figures/kit/sync.ts";
import { boxDomain, outliers, ownBox } from "../../src/figures/times/launch-medians.ts";
import { launchPlaces } from "../../src/figures/times/medians-over-launches.ts";
import { figure as normality } from "../../src/figures/times/normality.ts";
import { evenRows, figure as order, kTimeTitle, labelled, timeSpan } from "../../src/figures/times/order.ts";
import { figure as ratio } from "../../src/figures/answer/ratio.ts";
import { wrongShare } from "../../src/figures/self-test/self-test-errors.ts";
import { tablesName } from "../../src/figures/self-test/self-test-power.ts";
import { cellName, EVERYTHING } from "../../src/select.ts";
import { pairName, selectedRows, sideName } from "../../src/sides.ts";
import { blocksOf } from "../../src/verdicts.ts";
import { withoutDocument } from "./no-document.ts";
import { againstCampaign, compared, levels, pageOf, sampleCampaign, samplePage } from "./sample.ts";
import { viewOf } from "./view-of.ts";

const page = samplePage();
const view = viewOf(page.campaigns[0]!, page);

test("ratios: those of unselected cells and arms, and those that do not exist, are not drawn", () => {
  const cells: ComparedCell[] = [
    compared(levels("bcast", 8), "a", "b", 1.2, 0.01, 500, 30),
    { ...compared(levels("bcast", 16), "a", "b", 1, 0.01, 500, 30), ratio: null },
    compared(levels("scan", 8), "a", "c", 1.2, 0.01, 500, 30),
  ];
  assert.equal(selectedRatios(view, cells).length, 2);
  const some = { ...view, selection: { ...EVERYTHING, operations: ["bcast"] } };
  assert.deepEqual(
    selectedRatios(some, cells).map((cell) => cell.size_bytes),
    [8],
  );
  const arm = { ...view, selection: { ...EVERYTHING, arms: ["a", "c"] } };
  assert.deepEqual(
    selectedRatios(arm, cells).map((cell) => cell.operation),
    ["scan"],
  );
});

test("ratios: a panel for each operation and pair", () => {
  const cells = [
    compared(levels("bcast", 8), "a", "b", 1.2, 0.01, 500, 30),
    compared(levels("bcast", 16), "a", "b", 1.2, 0.01, 500, 30),
    compared(levels("bcast", 8), "a", "c", 1.2, 0.01, 500, 30),
  ];
  const panels = ratioPanels(selectedRatios(view, cells), cells);
  assert.deepEqual(
    panels.map((panel) => [panel.title, panel.pair, panel.cells.length]),
    [
      ["bcast", "b / a", 2],
      ["bcast", "c / a", 1],
    ],
  );
});

test("ratios: the axis has 1 and every ratio, and one endless interval does not flatten the others", () => {
  const cells = selectedRatios(view, [
    compared(levels("bcast", 8), "a", "b", 1.2, 0.01, 500, 30),
    { ...compared(levels("bcast", 16), "a", "b", 1.1, 0.01, 500, 30), ratio_high: 900 },
  ]);
  const [low, high] = ratioDomain(cells, 0.02);
  assert.ok(low < 1 && high > 1.2 && high < 3, `${low} to ${high}`);
  const same = selectedRatios(view, [{ ...compared(levels("bcast", 8), "a", "b", 1, 0.01, 500, 30), ratio_low: null, ratio_high: null }]);
  const [from, to] = ratioDomain(same, 0);
  assert.ok(from < 0.995 && to > 1.005);
});

test("verdicts that name no winner have signs, and none of the symbols of arms", () => {
  const cell = compared(levels("bcast", 8), "openmpi", "mpich", 1.2, 0.01, 500, 30);
  assert.deepEqual(verdictMark(view, { ...cell, verdict: "slower" }), { colour: view.style.arm("mpich").colour, symbol: view.style.arm("mpich").symbol });
  const signs = (["equivalent", "undecided", "pass", "fail", null] as const).map((verdict) => verdictMark(view, { ...cell, verdict }));
  assert.ok(signs.every(({ symbol }) => symbol === undefined));
  assert.equal(new Set(signs.map(({ sign }) => sign)).size, 5);
});

test("p stands nowhere where cells are equivalent", () => {
  const cell = compared(levels("bcast", 8), "a", "b", 1.001, 0.005, 500, 30);
  assert.equal(cell.verdict, "equivalent");
  assert.equal(printedP(cell), null);
  assert.equal(printedP({ ...cell, verdict: "faster" }), cell.p_adjusted);
  const campaign = sampleCampaign({ cells: [levels("bcast", 8)], launches: 2, repetitions: 3 });
  campaign.compare!.cells = [cell];
  const table = withoutDocument(() => ratio.draw(viewOf(campaign))!.table);
  assert.deepEqual(table.rows.map((row) => row[table.columns.indexOf("p adjusted")]), [null]);
});

test("levels of a factor: an arm is chosen by the arm that they are in, and levels look like no arm", () => {
  const campaign = againstCampaign();
  const data = pageOf(campaign);
  const whole = viewOf(campaign, data);
  const { cells } = campaign.compare!;
  assert.equal(selectedRatios(whole, cells).length, 6);
  const some = { ...whole, selection: { ...EVERYTHING, arms: ["mpich"] } };
  assert.deepEqual(
    selectedRatios(some, cells).map((cell) => [pairName(cell), sideName(cell, "b")]),
    [8, 1024, 65536].map(() => ["cold-flush / warm in mpich", "cold-flush"]),
  );
  // A level that is chosen leaves the rows that compare it, although they name the cells of the first one.
  const cold = { ...whole, selection: { ...EVERYTHING, sizes: ["8"], levels: { cache: ["cold-flush"] } } };
  assert.equal(selectedRatios(cold, cells).length, 2);
  const operations = { against: "operation", levels: ["bcast", "mine", "yours"].map((level) => ({ ...levels(level, 8), level })) };
  const pairs = ["mine", "yours"].map((other) => ({ ...compared(levels("bcast", 8), "bcast", other, 1.2, 0.01, 500, 30), in_arm: "openmpi" }));
  assert.deepEqual(
    selectedRows({ ...EVERYTHING, operations: ["mine"] }, operations, pairs).map(({ arm_b }) => arm_b),
    ["mine"],
  );
  const looks = [whole.style.arm("openmpi"), whole.style.arm("mpich"), whole.style.level("warm"), whole.style.level("cold-flush"), whole.style.series("regime", 0)];
  assert.equal(new Set(looks.map(({ colour }) => colour)).size, 5);
  assert.deepEqual(
    seriesPanels(whole, campaign.times).map((panel) => [panel.title, panel.subtitle, panel.series.map((one) => [one.name, one.items.length])]),
    ["openmpi", "mpich"].map((arm) => ["allreduce", arm, [["warm", 3], ["cold-flush", 3]]]),
  );
});

test("levels inside launches that nobody compares stand side by side, too", () => {
  const campaign = { ...againstCampaign(), compare: null };
  const view = viewOf(campaign, pageOf(campaign));
  const panels = seriesPanels(view, campaign.times);
  assert.deepEqual(
    panels.map((panel) => [panel.title, panel.series.map((one) => [one.name, one.items.length])]),
    [["allreduce", ["openmpi, cache warm", "openmpi, cache cold-flush", "mpich, cache warm", "mpich, cache cold-flush"].map((name) => [name, 3])]],
  );
  assert.equal(new Set(panels[0]!.series.map(({ style }) => style.colour + style.dash)).size, 4);
  // A box is over the smallest of both levels.
  assert.equal(ownBox(box, 50).median, 2 * ownBox(box).median);
});

test("the answer's blocks: an operation's sizes, and whatever has one size or none in a block of its own", () => {
  const rows = [
    ...[8, 1024].map((size) => compared(levels("bcast", size), "a", "b", 1.2, 0.01, 500, 30)),
    compared(levels("scan", 8), "a", "b", 1.2, 0.01, 500, 30),
    compared(levels("barrier", null), "a", "b", 1.2, 0.01, 500, 30),
    compared(levels("bcast", 8), "a", "c", 1.2, 0.01, 500, 30),
  ];
  assert.deepEqual(
    blocksOf(rows, () => "").map(({ title, rows: own }) => [title, own.map(({ label, items }) => [label, items.length])]),
    [
      ["bcast", [["8\u00a0B", 2], ["1\u00a0KiB", 1]]],
      [null, [["scan, 8\u00a0B", 1], ["barrier", 1]]],
    ],
  );
});

test("undecided and without verdict are not decided", () => {
  const cell = compared(levels("bcast", 8), "a", "b", 1.2, 0.01, 500, 30);
  assert.equal(decided({ ...cell, verdict: "equivalent" }), true);
  assert.equal(decided({ ...cell, verdict: "undecided" }), false);
  assert.equal(decided({ ...cell, verdict: null }), false);
});

const box: LaunchMedians = {
  cell: 0,
  arm: "a",
  base_ns: 100,
  low: 1,
  q1: 1.01,
  median: 1.02,
  q3: 1.03,
  high: 1.05,
  points: [1, 1.02, 1.05, 1.3].map((relative, i) => ({ launch: i + 1, group: i + 1, median_ns: 100 * relative, relative })),
};

test("launches: what lies beyond the whiskers is an outlier, their ends are not", () => {
  assert.deepEqual(
    outliers(ownBox(box)).map((point) => point.relative),
    [1.3],
  );
});

test("launches: a box is over the smallest median of its own arm, so that arms far apart share an axis", () => {
  const slow = { ...box, arm: "b", low: 3, q1: 3.03, median: 3.06, q3: 3.09, high: 3.15, points: box.points.map((point) => ({ ...point, relative: 3 * point.relative })) };
  const [own, other] = [ownBox(box), ownBox(slow)];
  assert.equal(other.base_ns, 300);
  for (const key of ["low", "q1", "median", "q3", "high"] as const) assert.ok(Math.abs(own[key] - other[key]) < 1e-12, key);
  // An outlier far away gets an arrow, and flattens no box.
  const [low, high] = boxDomain([own, other]);
  assert.ok(low < 1 && high > 1.05 && high < 1.15, `${low} to ${high}`);
});

test("launch after launch: the medians over all launches stand behind the last group", () => {
  const { domain, end, all, step } = launchPlaces([1, 2, 12], 5);
  assert.ok(domain[0] < 1 && end > 12);
  assert.ok(all - 2 * step > end && all + 2 * step < domain[1]);
});

test("cells with a panel each are spread over operations, and over sizes from one to the next", () => {
  const cells = ["bcast", "scan", "reduce"].flatMap((operation) => [4, 16, 64, 256, 1024].map((size) => levels(operation, size)));
  const many = viewOf({ ...view.campaign, cells });
  const items = cells.map((_, cell) => ({ cell, arm: "a" }));
  const { shown, note } = boundedCells(many, items, 3);
  assert.deepEqual(
    shown.map((one) => [cells[one.cell]!.operation, cells[one.cell]!.size_bytes]),
    [
      ["bcast", 4],
      ["scan", 64],
      ["reduce", 1024],
    ],
  );
  assert.match(note ?? "", /3 of 15 cells/);
  assert.equal(boundedCells(many, items, 1).shown.length, 1);
  assert.deepEqual(spreadOver([[1, 2, 3, 4], [5]], 4), [1, 4, 5]);
  assert.equal(boundedCells(many, items, 15).note, undefined);
});

test("panels of cells and arms: arms beyond what is drawn are counted, not dropped in silence", () => {
  const cells = [levels("bcast", 8), levels("bcast", 64)];
  const many = viewOf({ ...view.campaign, cells });
  const items = cells.flatMap((_, cell) => Array.from({ length: 15 }, (_unused, i) => ({ cell, arm: `arm ${i}` })));
  const { shown, note } = boundedPanels(many, items, 12);
  assert.deepEqual(
    shown.map(({ cell, arm }) => `${cell} ${arm}`),
    items.slice(0, 12).map(({ cell, arm }) => `${cell} ${arm}`),
  );
  assert.match(note ?? "", /1 of 2 cells .* 3 more arms are not drawn/);
  const few = items.filter(({ arm }) => ["arm 1", "arm 2"].includes(arm));
  assert.deepEqual(boundedPanels(many, few, 12), { shown: few, note: undefined });
  const arms = Array.from({ length: 15 }, (_, i) => `arm ${i}`);
  const wide = viewOf(sampleCampaign({ arms, cells: [levels("bcast", 8)], launches: 2, repetitions: 100 }));
  assert.match(withoutDocument(() => normality.draw(wide)?.note ?? ""), /^3 more arms are not drawn/);
});

test("canary: rare ones a thousand times as long do not flatten the others, and are counted", () => {
  const bins = [
    { low: 100, high: 110, count: 900 },
    { low: 110, high: 120, count: 99 },
    { low: 5e4, high: 6e4, count: 1 },
  ];
  const { low, high, above } = canaryRange(bins, []);
  assert.ok(low < 100 && high > 120 && high < 130);
  assert.equal(above, 0.001);
});

test("canary: what is drawn is said where it is not a cache line between two cores", () => {
  assert.equal(kindNote(undefined), undefined);
  assert.match(kindNote("chain")!, /core's clock/);
  assert.match(kindNote("across")!, /two sockets/);
});

test("canary: a bin without a width is not endlessly high, and what it counts is not lost", () => {
  assert.deepEqual(canaryBins([100, 110, 110, 120, 120], [5, 7, 1, 2]), [
    { low: 100, high: 110, count: 5 },
    { low: 110, high: 120, count: 10 },
  ]);
  assert.deepEqual(canaryBins([100, 110], [5]), [{ low: 100, high: 110, count: 5 }]);
  const [only] = canaryBins([100, 100, 100], [3, 4]);
  assert.ok(only!.low < 100 && only!.high > 100 && only!.count === 7);
  // Were it endlessly high, no other bin would be high enough to be seen.
  const bins = [
    { low: 100, high: 110, count: 900 },
    { low: 110, high: 110, count: 1 },
    { low: 110, high: 120, count: 99 },
  ];
  const { low, high, above } = canaryRange(bins, []);
  assert.ok(low < 100 && high > 120, `${low} to ${high}`);
  assert.equal(above, 0);
});

test("order: the axis says that it has the seconds of measuring only", () => {
  for (const words of [order.read, kTimeTitle]) {
    assert.match(words, /seconds of measuring/i);
    assert.match(words, /between launch groups/);
  }
});

test("order: slowdowns are written where there is room, the largest first", () => {
  const slow = [0.1, 0.3, 0.2].map((slowdown, i) => ({ group: 1, blocks: [], slowdown, visits: 1, begin_s: i * 0.01, end_s: i * 0.01 }));
  assert.deepEqual(
    labelled(slow, [0, 10], 800).map((one) => one.slowdown),
    [0.3],
  );
  assert.equal(labelled(slow, [0, 0.02], 800).length, 3);
});

test("histograms: bins follow each other, and equal observations have a bin to stand in", () => {
  const distribution = view.campaign.distributions[0]!;
  const bins = binsOf(distribution);
  assert.equal(bins.length, distribution.bins.counts.length);
  for (let i = 1; i < bins.length; i += 1) assert.ok(Math.abs(bins[i]!.low - bins[i - 1]!.high) < 1e-6);
  const equal = { ...distribution, bins: { low_ns: 50, width_ns: 0, counts: [100] } };
  assert.ok(binsOf(equal)[0]!.high > 50);
  const [low, high] = binRange([equal]);
  assert.ok(low < 50 && high > 50);
});

test("time axes: one unit, or logarithmic where arms are far apart", () => {
  assert.deepEqual(timeAxis(900, 1300, 200).axis.ticks.map(timeAxis(900, 1300, 200).axis.format), ["1\u00a0µs", "1.2\u00a0µs"]);
  assert.equal(timeAxis(900, 1300, 200).axis.type, "linear");
  assert.equal(timeAxis(500, 9000, 200).axis.type, "log");
});

test("raster: every count has a pixel, more are darker, a single one can be seen", () => {
  const raster = {
    columns: [0, 1, 1.0001, 10],
    rows: [1, 10, 100],
    counts: [
      [0, 0, 1],
      [1, 1, 50],
      [2, 1, 100],
    ] as [number, number, number][],
  };
  const pixels = pixelsOf(raster, { type: "linear", domain: [0, 10] }, { type: "log", domain: [1, 100] }, 100, 20);
  assert.deepEqual(
    pixels.map((pixel) => [pixel.left, pixel.top, pixel.width, pixel.height]),
    [
      [0, 10, 10, 10],
      [10, 0, 1, 10],
      [10, 0, 90, 10],
    ],
  );
  assert.ok(pixels[0]!.darkness > 0.2 && pixels[1]!.darkness < pixels[2]!.darkness && pixels[2]!.darkness === 1);
  assert.equal(darkness(0, 10), 0);
  assert.equal(darkness(1, 1), 1);
});

test("order: rows are even, and what the last one holds beyond is told", () => {
  const { rows, above_ns } = evenRows([50, 100, 200, 400, 800, 90000]);
  assert.deepEqual(rows, [50, 100, 200, 400, 800, 1600]);
  assert.equal(above_ns, 90000);
  assert.deepEqual(evenRows([1, 2, 4, 8, 16, 32]), { rows: [1, 2, 4, 8, 16, 32], above_ns: null });
  assert.equal(evenRows([1, 64, 128, 256, 512]).rows[0], 32);
  assert.deepEqual(timeSpan([], []), [0, 1]);
  assert.deepEqual(timeSpan(view.campaign.order.slice(0, 1), [0.05, 12]), [0, 12]);
});

test("reproducibility: repeats without a value are left out, the others keep their numbers", () => {
  const method = page.reproduce!.methods.find((one) => one.method === "imb")!;
  const cell = method.cells[0]!;
  assert.equal(cell.times_ns[3], null);
  const dots = dotsOf([cell], kTimes);
  assert.equal(dots.length, cell.times_ns.length - 1);
  assert.ok(dots.every((dot) => dot.repeat !== 4 && dot.value === cell.times_ns[dot.repeat - 1]));
  assert.equal(methodName({ method: "invar", number: "answer", suite: null }), "Invar");
  assert.equal(methodName({ method: "osu", number: "one-run", suite: "OSU 7.5" }), "OSU 7.5, one run");
});

test("synchronisation: rows are named by what varies", () => {
  const among = [levels("scan", 8, 2, { sync: "barrier", dither_ns: 0 }), levels("scan", 8, 2, { sync: "window", dither_ns: 1000 })];
  assert.deepEqual(
    among.map((cell) => rowName(cell, among)),
    ["barrier, no dither", "window, dither 1\u00a0µs"],
  );
  assert.deepEqual(
    syncPanels(among, () => "x").map((panel) => [panel.title, panel.cells.length]),
    [["scan, 8\u00a0B", 2]],
  );
});

test("axes: of cells with local times among global ones it is said which they are", () => {
  const campaign = { ...sampleCampaign(), local_cells: [0] };
  const [first, second] = [{ cell: 0 }, { cell: 1 }];
  assert.equal(runtimeTitle(sampleCampaign(), [first, second]), "global run-time of a call");
  assert.equal(runtimeTitle(campaign, [second]), "global run-time of a call");
  assert.equal(runtimeTitle(campaign, [first, first]), "local run-time of a call");
  assert.equal(
    runtimeTitle(campaign, [first, second]),
    `global run-time of a call, local in ${cellName(campaign.cells[0]!, campaign.cells)}`,
  );
  assert.match(runtimeTitle({ ...campaign, local_cells: [0, 1, 2, 3] }, [0, 1, 2, 3, 4].map((cell) => ({ cell }))), /; 2 more$/);
  assert.equal(runtimeTitle({ ...campaign, runtime: null }, [first]), "run-time of a call");
});

test("factors: segments follow each other, negative shares take no room", () => {
  const [first] = page.campaigns[0]!.factors!.targets;
  const target: Target = { ...first!, index: 0, name: targetName(first!) };
  const segments = segmentsOf(target);
  assert.equal(segments.at(-1)!.factor, "interactions");
  for (let i = 1; i < segments.length; i += 1) assert.equal(segments[i]!.from, segments[i - 1]!.to);
  const negative = { ...target, factors: target.factors.map((factor, i) => (i === 0 ? { ...factor, share: -0.1 } : factor)) };
  assert.equal(segmentsOf(negative)[0]!.to, 0);
  assert.equal(
    segmentsOf({ ...target, interactions: null, factors: target.factors.map((factor) => ({ ...factor, share: null })) }).length,
    0,
  );
  assert.equal(effectsOf(target).length, 6);
  assert.equal(factorWord("dither_ns"), "dither ns");
});

test("self-test: shares of tables", () => {
  const tables = page.campaigns[0]!.self_test!.tables[0]!;
  assert.equal(wrongShare(tables), tables.tables_wrong / tables.tables);
  assert.equal(wrongShare({ ...tables, tables: 0 }), 0);
  assert.equal(tablesName({ pairing: "rounds", groups: 1 }), "1 round, within a launch");
});

test("the sample is the same every time", () => {
  assert.deepEqual(sampleCampaign({ launches: 2, repetitions: 5 }).times, sampleCampaign({ launches: 2, repetitions: 5 }).times);
});
