// Experiments with clocks, from the page's data to what is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { View } from "../../src/figure.ts";
import { accuracySeries, figure as accuracy } from "../../src/figures/clocks/clock-accuracy.ts";
import { behindBy, figure as barriers, methodsOf } from "../../src/figures/clocks/clock-barriers.ts";
import { driftSeries } from "../../src/figures/clocks/clock-drift.ts";
import { afterText, figure as pareto, settingsOf } from "../../src/figures/clocks/clock-pareto.ts";
import { clockWords, figure as resolution } from "../../src/figures/clocks/clock-resolution.ts";
import { figure as scaling } from "../../src/figures/clocks/clock-scaling.ts";
import { figure as tracking } from "../../src/figures/clocks/clock-tracking.ts";
import { algorithmStyles, clockTable, type ClocksKind, contextOf, filesOf, num, offLogAxis, offLogNote, shortNames } from "../../src/figures/kit/clocks.ts";
import { endOn } from "../../src/figures/kit/lines.ts";
import { binSeries, flatOnes } from "../../src/figures/clocks/runtime-over-time.ts";
import { seriesStyle } from "../../src/style.ts";
import { withoutDocument } from "./no-document.ts";
import { clockAnswer } from "./sample-clocks.ts";
import { samplePage } from "./sample.ts";
import { viewOf } from "./view-of.ts";

const page = samplePage();
const view = viewOf(page.campaigns[0]!, page);

test("ranks behind a barrier are means where all have them, as in the answer, else medians", () => {
  const row = (rank: number, mean: number | null) => ({ method: "MPI_Barrier", exit_median_ns: 100, rank, behind_median_ns: 90, behind_mean_ns: mean });
  const by = (rows: ReturnType<typeof row>[]): string => behindBy(methodsOf({ kind: "barriers", source: "d", rows }));
  assert.equal(by([row(0, 0), row(1, 110)]), "mean");
  assert.equal(by([row(0, 0), row(1, null)]), "median", "one kind in one figure");
});

test("run-time over time: what stays far below is enlarged", () => {
  const all = binSeries(
    view,
    filesOf(view, "runtime-over-time")[0]!,
  );
  assert.deepEqual(
    flatOnes(all).map((one) => one.name),
    ["MPI_Barrier (local)", "hca3 (global)", "mesh (global)"],
  );
  assert.deepEqual(flatOnes(flatOnes(all)), []);
});

test("clocks: names are short where they can be", () => {
  assert.deepEqual([...shortNames(["jk:nfitpts=100", "mesh", "hca:a=1", "hca:a=2"]).values()], ["jk", "mesh", "hca:a=1", "hca:a=2"]);
  assert.equal(num({ a: "12.5" }, "a"), 12.5);
  for (const row of [{ a: "" }, { a: null }, { a: "x" }, { b: 1 }] as Record<string, string | number | null>[])
    assert.equal(num(row, "a"), null);
  assert.equal(contextOf({ link: "simulated", network: "lan", ranks: 16 }), "lan network, simulated, 16 ranks");
});

test("clocks: the table has every row of every file, also where columns differ", () => {
  const table = clockTable([
    { kind: "drift", source: "a", rows: [{ x: 1 }] },
    { kind: "drift", source: "b", rows: [{ x: 2, y: true }] },
  ]);
  assert.deepEqual(table, {
    columns: ["experiment", "x", "y"],
    rows: [
      ["a", 1, null],
      ["b", 2, "yes"],
    ],
  });
});

test("clocks: drift begins at zero, however far apart the clocks are", () => {
  const file = filesOf(view, "drift")[0]!;
  const series = driftSeries(view, file);
  assert.deepEqual(
    series.map((one) => one.name),
    ["rank 1", "rank 2", "rank 3", "rank 4"],
  );
  assert.ok(series.every((one) => one.vertices[0]!.y === 0 && Math.abs(one.vertices.at(-1)!.y) < 1e6));
});

test("clocks: a bin without repetitions interrupts its line", () => {
  const series = binSeries(
    view,
    filesOf(view, "runtime-over-time")[0]!,
  );
  assert.match(series.find((one) => one.name.startsWith("mesh"))!.vertices[2]!.text!, /4\.?0* s after the last synchronisation/);
  assert.doesNotMatch(series.find((one) => one.name.startsWith("MPI_Barrier"))!.vertices[2]!.text!, /synchronisation/);
  assert.equal(series.find((one) => one.name.startsWith("hca3"))!.vertices.filter((vertex) => Number.isNaN(vertex.y)).length, 1);
  assert.ok(series.filter((one) => !one.name.startsWith("hca3")).every((one) => one.vertices.every((vertex) => Number.isFinite(vertex.y))));
});

test("clocks: what takes no time, or has no error, cannot stand on a logarithmic axis", () => {
  const rows = [
    { settings: "jk:a=1", sync_s: 0.1, worst_median_ns: 5, frontier: true },
    { settings: "x", sync_s: 0, worst_median_ns: 5, frontier: false },
  ];
  assert.deepEqual(settingsOf(rows), [{ algorithm: "jk", settings: "jk:a=1", sync_ns: 1e8, error_ns: 5, after_s: null, frontier: true }]);
});

test("clocks: the axis of pareto says when its points were looked at, not the barrier's row", () => {
  const row = (settings: string, after_s: number) => ({ settings, after_s, sync_s: 1, worst_median_ns: 5, frontier: false });
  assert.equal(afterText(settingsOf([row("barrier", 0), row("jk", 5), row("hca", 5)])), " after 5 s");
  assert.equal(afterText(settingsOf([row("barrier", 0), row("jk", 5), row("hca", 1)])), "");
});

test("clocks: what a logarithmic axis has no place for is counted, and said", () => {
  const rows = [5, 0, -1, null, "", 7].map((worst_median_ns, i) => ({ algorithm: "jk", after_s: i, sync_s: i, worst_median_ns }));
  assert.equal(offLogAxis(rows, "worst_median_ns"), 2);
  assert.equal(offLogAxis(rows, "worst_median_ns", "sync_s"), 3); // of a row, not of a value
  assert.equal(accuracySeries(view, rows)[0]!.vertices.length, 2);
  assert.equal(offLogNote(0), undefined);
  assert.match(offLogNote(2) ?? "", /2 points are not drawn.*table has them/);
  assert.match(offLogNote(1, "setting") ?? "", /1 setting is not drawn/);
});

test("clocks: the note of every figure with a logarithmic axis has what is not drawn", () => {
  const columns = {
    accuracy: [accuracy, "worst_median_ns"],
    pareto: [pareto, "worst_median_ns"],
    scaling: [scaling, "sync_s"],
    tracking: [tracking, "median_ns"],
    resolution: [resolution, "step_ns"],
    barriers: [barriers, "exit_median_ns"],
  } as const;
  for (const [kind, [figure, column]] of Object.entries(columns)) {
    const file = filesOf(view, kind as ClocksKind)[0]!;
    const drawn = (zeros: number): string => {
      const rows = file.rows.map((row, i) => (i < zeros ? { ...row, [column]: 0 } : row));
      const data = { ...page, answers: [clockAnswer(file.kind, rows)] };
      return withoutDocument(() => figure.draw({ ...view, page: data })?.note ?? "");
    };
    assert.doesNotMatch(drawn(0), /not drawn/, kind);
    assert.match(drawn(1), /^1 .* is not drawn/, kind);
    // Nothing but zeros: the figure stays, and with it its table.
    assert.match(drawn(file.rows.length), /^\d+ .* are not drawn/, kind);
  }
});

test("intervals that begin at zero reach to the end of a logarithmic axis", () => {
  assert.equal(endOn({ type: "log", domain: [2, 90] }, 0), 2);
  assert.equal(endOn({ type: "log", domain: [2, 90] }, 5), 5);
  assert.equal(endOn({ type: "linear", domain: [2, 90] }, 0), 0);
  assert.equal(endOn({ type: "log", domain: [2, 90] }, null), null);
});

test("clocks: words about trust", () => {
  assert.equal(clockWords({ trusted: true, backwards: 0, shared: true, shared_backwards: 0 }), "trusted, never went back, ranks agree");
  assert.match(
    clockWords({ trusted: false, reason: "no tsc", backwards: 2, backwards_most_ns: 30, shared: false }),
    /not trusted: no tsc, went back 2 times.*not shared/,
  );
});

test("clocks: no two algorithms look alike, and each looks the same in every figure", () => {
  const names = ["skampi", "netgauge", "jk", "hca", "hca2", "hca3", "h2hca", "mesh", "none", "barrier", "own", "other"];
  const page = { answers: [clockAnswer("accuracy", names.map((algorithm) => ({ algorithm: `${algorithm}:n=3` })))] };
  const view = { page, style: { series: (_kind: string, index: number) => seriesStyle(index) } } as unknown as View;
  const styles = [...algorithmStyles(view, names).values()];
  assert.equal(new Set(styles.map((one) => one.colour)).size, names.length);
  assert.equal(new Set(styles.map((one) => one.dash)).size, names.length);
  // With other settings, among fewer, in another order.
  assert.deepEqual(algorithmStyles(view, ["mesh:n=100", "jk"]).get("mesh:n=100"), algorithmStyles(view, names).get("mesh"));
  const variants = algorithmStyles(view, ["mesh:n=1", "mesh:n=2"]);
  assert.equal(JSON.stringify(variants.get("mesh:n=1")) === JSON.stringify(variants.get("mesh:n=2")), false);
});
