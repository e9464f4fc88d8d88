// Every figure drawn in headless Chromium, at all widths and in both themes, of data of all shapes. Needs chromium.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { launch } from "./browser.ts";

const kDriver = `
import { figures } from "./src/figures/index.ts";
import * as S from "./test/figures/sample.ts";
import { DARK, LIGHT, makeStyle, variables } from "./src/style.ts";
import { EVERYTHING } from "./src/select.ts";
const names = ["openmpi-5.0.11-with-a-rather-long-name+pinning-none+aslr-off", "mpich", "intel-mpi-2021.18"];
const nulls = () => {
  const page = S.samplePage();
  for (const row of page.campaigns[0].compare.cells) row.ratio_low = row.ratio_high = row.p_adjusted = row.verdict = null;
  for (const row of page.campaigns[0].times) row.low_ns = row.high_ns = null;
  for (const item of page.campaigns[0].order) item.median_ns = item.median_ns.map(() => null);
  for (const target of page.campaigns[0].factors.targets) for (const factor of target.factors) { factor.share = null; for (const effect of factor.effects) effect.ratio_low = effect.ratio_high = effect.influence = null; }
  const gone = ["worst_q1_ns", "exit_p99_ns", "exit_p95_ns", "q95_ns", "half_width_ns", "q1_ns"];
  for (const { tables } of page.answers) for (const { columns, rows } of tables) for (const row of rows) columns.forEach(({ name }, i) => { if (gone.includes(name)) row[i] = null; });
  return page;
};
const pages = {
  all: S.samplePage,
  looks: () => S.pageOf(S.sampleCampaign({ looks: true, launches: 6, repetitions: 20 })),
  three: () => S.pageOf(S.sampleCampaign({ arms: names, launches: 6, repetitions: 20, looks: true })),
  one: () => S.pageOf(S.sampleCampaign({ cells: [S.levels("allreduce", 8)], launches: 1, repetitions: 2 })),
  barrier: () => S.pageOf(S.sampleCampaign({ arms: ["mpich"], cells: [S.levels("barrier", null)], launches: 2, repetitions: 20 })),
  many: () => S.pageOf(S.sampleCampaign({ cells: S.manyCells(), launches: 3, repetitions: 10 })),
  nulls,
};
const made = new Map();
window.draw = (name, id, width, dark, selection) => {
  if (!made.has(name)) made.set(name, pages[name]());
  const page = made.get(name);
  for (const [key, colour] of Object.entries(variables(dark ? DARK : LIGHT))) document.documentElement.style.setProperty("--" + key, colour);
  document.body.style.cssText = "margin:0;width:" + width + "px;background:var(--background);color:var(--text)";
  const figure = figures.find((one) => one.id === id);
  const drawing = figure.draw({ page, campaign: page.campaigns[0], selection: { ...EVERYTHING, ...selection }, width, style: makeStyle(page, dark) });
  document.body.replaceChildren();
  if (!drawing) return null;
  document.body.append(drawing.element);
  const box = drawing.element.getBoundingClientRect();
  const texts = [...drawing.element.querySelectorAll("text")].filter((text) => text.textContent);
  return {
    columns: drawing.table.columns, rows: drawing.table.rows.length, note: drawing.note ?? "", summary: drawing.summary ?? "",
    ragged: drawing.table.rows.filter((row) => row.length !== drawing.table.columns.length).length,
    undefineds: drawing.table.rows.flat().filter((value) => value === undefined || Number.isNaN(value)).length,
    broken: (drawing.element.outerHTML.match(/NaN|undefined|Infinity/g) ?? []).length,
    marks: drawing.element.querySelectorAll("path,circle,rect,line,image").length,
    outside: texts.filter((text) => { const at = text.getBoundingClientRect(); return at.left < box.left - 2 || at.right > box.right + 2; }).map((text) => text.textContent),
    over: box.width > width + 1, small: texts.filter((text) => parseFloat(getComputedStyle(text).fontSize) < 10).length,
  };
};
window.figures = figures.map(({ id, section, title, read }) => ({ id, section, title, read }));
`;

interface Drawn {
  columns: string[];
  rows: number;
  note: string;
  summary: string;
  ragged: number;
  undefineds: number;
  broken: number;
  marks: number;
  outside: string[];
  over: boolean;
  small: number;
}

let browser: Browser;
let page: Page;
let ids: string[];

before(async () => {
  const bundle = await build({
    stdin: { contents: kDriver, resolveDir: `${import.meta.dirname}/../..`, loader: "js" },
    bundle: true,
    write: false,
    format: "iife",
  });
  browser = await launch();
  page = await browser.newPage();
  await page.setContent("<!doctype html><body>");
  await page.addScriptTag({ content: bundle.outputFiles[0]!.text });
  ids = await page.evaluate(() => (window as unknown as { figures: { id: string }[] }).figures.map((figure) => figure.id));
});
after(() => browser.close());

function draw(name: string, id: string, width: number, dark = false, selection: object = {}): Promise<Drawn | null> {
  return page.evaluate((all) => (window as unknown as { draw: (...of: unknown[]) => Drawn | null }).draw(...all), [
    name,
    id,
    width,
    dark,
    selection,
  ] as unknown[]);
}

function sound(drawn: Drawn, where: string): void {
  assert.equal(drawn.ragged, 0, `${where}: rows as long as the columns`);
  assert.equal(drawn.undefineds, 0, `${where}: numbers or nothing in the table`);
  assert.equal(drawn.broken, 0, `${where}: no NaN or undefined in the picture`);
  assert.ok(drawn.rows > 0 && drawn.marks > 0, `${where}: something is drawn`);
  assert.deepEqual(drawn.outside, [], `${where}: words inside the picture`);
  assert.equal(drawn.over, false, `${where}: no wider than it may be`);
  assert.equal(drawn.small, 0, `${where}: no smaller than 10 px`);
  assert.ok(drawn.summary.length > 0, `${where}: a summary for screen readers`);
}

// What needs data that only some pages have.
const kOnlyLooks = new Set(["looks"]);

test("every figure is drawn of full data, at every width, in both themes", async () => {
  for (const id of ids) {
    for (const width of [320, 560, 760, 1100]) {
      for (const dark of [false, true]) {
        const drawn = await draw(kOnlyLooks.has(id) ? "looks" : "all", id, width, dark);
        assert.ok(drawn, `${id} is drawn`);
        sound(drawn, `${id} at ${width}${dark ? ", dark" : ""}`);
      }
    }
  }
});

test("three arms with long names, one cell, no sizes, missing values", async () => {
  for (const name of ["three", "one", "barrier", "nulls"]) {
    for (const id of ids) {
      for (const width of [320, 1100]) {
        const drawn = await draw(name, id, width);
        if (drawn) sound(drawn, `${id} of ${name} at ${width}`);
      }
    }
  }
  assert.ok(await draw("one", "ratio", 600));
  assert.equal(await draw("barrier", "ratio", 600), null, "one arm has no ratio");
});

test("300 cells: a bounded number of panels, and a word about the others", async () => {
  for (const id of [
    "ratio",
    "medians-over-launches",
    "histogram",
    "density",
    "ecdf",
    "tail",
    "order",
    "normality",
  ]) {
    const drawn = await draw("many", id, 1100);
    assert.ok(drawn, id);
    sound(drawn, `${id} of 300 cells`);
    assert.match(drawn.note, /\d+ of \d+ (panels|cells) are drawn\. Choose .* in the filters/, id);
  }
  // Sizes on an axis, levels of the same launches side by side: there is room for all.
  for (const id of ["launch-medians", "times"]) {
    const drawn = await draw("many", id, 1100);
    assert.ok(drawn, id);
    sound(drawn, `${id} of 300 cells`);
    assert.equal(drawn.rows, 600, `${id}: two arms in 300 cells`);
    assert.doesNotMatch(drawn.note, /are drawn/, id);
  }
});

test("filters choose what is drawn", async () => {
  const ops = await draw("many", "times", 1100, false, { operations: ["scan"], sizes: ["1024", "4096"] });
  assert.equal(ops?.rows, 2 * 2 * 2); // two sizes, two synchronisations, two arms
  assert.equal(ops?.note, "");
  const arm = await draw("all", "histogram", 1100, false, { arms: ["mpich"], operations: ["barrier"] });
  assert.equal(arm?.rows, 48);
  assert.equal(await draw("all", "times", 1100, false, { sizes: ["12345"] }), null);
});

test("every figure says how to read it in two sentences, and has an address of its own", async () => {
  const all = await page.evaluate(
    () => (window as unknown as { figures: { id: string; section: string; title: string; read: string }[] }).figures,
  );
  assert.equal(new Set(all.map((figure) => figure.id)).size, all.length);
  for (const { id, title, read } of all) {
    assert.match(id, /^[a-z0-9-]+$/);
    assert.match(title, /^[A-Z].*[^.]$/);
    assert.equal(read.match(/[.](?= |$)/g)?.length, 2, `${id}: ${read}`);
  }
});

test("columns of tables name their units", async () => {
  for (const id of ids) {
    const drawn = await draw(kOnlyLooks.has(id) ? "looks" : "all", id, 800);
    for (const column of drawn?.columns ?? []) {
      if (/median|mean|min$|q1$|q3$|offset|^time /.test(column) && !/modes|verdict|^cov_| \/ /.test(column)) {
        // Relative numbers have no unit ("time / median"); columns of clock experiments end in it.
        assert.ok(/\(.+\)$|_(ns|s|ppm)$|_s$/.test(column) || ["median", "q1", "q3"].includes(column), `${id}: ${column}`);
      }
    }
  }
});

test("the raster is a picture of its own, and masks have names of their own", async () => {
  await draw("all", "order", 900);
  const found = await page.evaluate(() => ({
    ids: [...document.querySelectorAll("mask")].map((mask) => mask.id),
    images: [...document.querySelectorAll("mask image")].map((image) => image.getAttribute("href")?.slice(0, 22)),
    used: [...document.querySelectorAll("rect[mask]")].map((rect) => rect.getAttribute("mask")),
  }));
  assert.equal(found.ids.length, 6);
  assert.equal(new Set(found.ids).size, 6);
  assert.ok(found.images.every((start) => start === "data:image/png;base64,"));
  assert.deepEqual(
    found.used,
    found.ids.map((id) => `url(#${id})`),
  );
});

test("arms differ by symbol and dash as well, not by colour alone", async () => {
  await draw("all", "times", 900);
  const dashes = await page.evaluate(() =>
    [...document.querySelectorAll('g[aria-label="line"]')].map((line) => line.getAttribute("stroke-dasharray") ?? "none"),
  );
  assert.ok(new Set(dashes).size >= 2, dashes.join());
});

test("a tooltip tells what the pointer is at", async () => {
  await draw("all", "ratio", 900);
  const at = await page.evaluate(() => {
    const dot = document.querySelector('svg svg g[aria-label="dot"] circle, svg svg g[aria-label="dot"] path');
    // The legend's symbols come first; the panels are nested after them.
    const panels = [...document.querySelectorAll("svg > svg")];
    const found = panels.at(-1)?.querySelector('g[aria-label="dot"] circle, g[aria-label="dot"] path') ?? dot;
    const box = found!.getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  });
  await page.mouse.move(at.x + 1, at.y + 1);
  const words = await page.evaluate(() =>
    [...document.querySelectorAll('g[aria-label="tip"] text')].map((text) => text.textContent).join(" "),
  );
  assert.match(words, /ratio 1\./);
});
