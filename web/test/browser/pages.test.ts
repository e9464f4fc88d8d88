// Every shape of data, in every look: all figures are drawn and painted, nothing is loaded, nothing is wider than the page.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { HOSTILE, PAGES } from "../fixture.ts";
import { faults, figures, inFolder, launch, open, settled, type FigureState } from "./browser.ts";
import { built, templateText } from "./built.ts";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const name of Object.keys(PAGES)) {
  test(`${name}: everything is drawn, and nothing goes wrong`, (context) =>
    inFolder(async (folder) => {
      const file = built(folder, name);
      const opened = await open(browser, file);
      context.diagnostic(`first figure after ${Math.round(opened.first_ms)} ms, all after ${Math.round(opened.drawn_ms)} ms`);
      assert.deepEqual(await faults(opened), []);
      await opened.page.context().close();
      const narrow = await open(browser, file, { width: 360, height: 740, dark: true });
      assert.deepEqual(await faults(narrow), []);
      await narrow.page.context().close();
    }));
}

test("a page with everything leaves no figure and no section out", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "full"));
    assert.deepEqual((await figures(page)).filter(({ state }) => state !== "drawn"), []);
    assert.deepEqual(await page.locator("main > section[hidden]").evaluateAll((all) => all.map((one) => one.id)), []);
    await page.context().close();
  }));

test("the answer to what a campaign was made for comes first, and nothing is said of what nobody asked", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "guidelines"));
    const shown = await page.locator("main > section:visible").evaluateAll((all) => all.map((one) => one.id));
    assert.equal(shown[0], "answer");
    assert.ok(!shown.includes("guidelines"));
    const inside = await page.locator("section#answer > .figure, section#answer > .texts").evaluateAll((all) => all.map((one) => one.id || "texts"));
    assert.deepEqual(inside, ["figure-guideline-dots", "figure-guideline-factors", "texts"]);
    const text = (await page.locator("section#answer").textContent()) ?? "";
    assert.ok(!text.includes("No verdicts"), text);
    assert.match(text, /violated: above 1 \+ tolerance/);
    await page.context().close();
  }));

test("a page without data says so and has no figures", () =>
  inFolder(async (folder) => {
    for (const name of ["empty", "nothing"]) {
      const { page } = await open(browser, built(folder, name));
      assert.equal(await page.locator(".figure:visible").count(), 0);
      assert.match((await page.locator("h1").textContent()) ?? "", /no data/);
      await page.context().close();
    }
  }));

function counts(states: FigureState[]): Record<string, number> {
  return Object.fromEntries(states.map(({ id, marks }) => [id, marks]));
}

test("dark colours and paper lose no marks, and paper is always light", () =>
  inFolder(async (folder) => {
    const file = built(folder, "full");
    const light = await open(browser, file);
    const expected = counts(await figures(light.page));
    await light.page.context().close();
    const { page, problems } = await open(browser, file, { dark: true });
    assert.deepEqual(counts(await figures(page)), expected);
    const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), "rgb(20, 23, 27)");
    await page.emulateMedia({ media: "print" });
    await settled(page);
    assert.equal(await ground(), "rgb(255, 255, 255)");
    const paper = await figures(page);
    for (const { id, state, marks } of paper) {
      assert.equal(state, "drawn", id);
      // Narrower, so that ticks and grid lines may be fewer; marks of data are not.
      assert.ok(marks >= 0.7 * (expected[id] ?? 0), `${id}: ${marks} of ${expected[id]} marks on paper`);
    }
    assert.equal(await page.locator(".tools:visible, .rail:visible, details.data:visible").count(), 0);
    await page.emulateMedia({ media: "screen" });
    await settled(page);
    assert.deepEqual(counts(await figures(page)), expected);
    await page.getByRole("button", { name: "Light colours" }).click();
    await settled(page);
    assert.equal(await ground(), "rgb(255, 255, 255)");
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("strings from data are texts, wherever they stand", () =>
  inFolder(async (folder) => {
    const { page, problems } = await open(browser, built(folder, "hostile"));
    assert.equal(await page.locator("#page img, #page b b, #page script").count(), 0);
    assert.ok((await page.locator("h1").textContent())?.startsWith(HOSTILE));
    for (const button of await page.locator(".choices:visible > .choice:first-child").all()) {
      await button.click();
      await button.click();
    }
    for (const summary of await page.locator("details.data > summary:visible").all()) await summary.click();
    await settled(page);
    assert.equal(await page.locator("#page img, #page script").count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("the policy forbids everything but the page itself", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "one-cell"));
    assert.equal(
      await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content"),
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:",
    );
    const loaded = await page.evaluate(async () => fetch("data:,x").then(() => true, () => false));
    assert.equal(loaded, false);
    await page.context().close();
  }));

test("the empty template, damaged data and data of another schema are explained", () =>
  inFolder(async (folder) => {
    const cases: [string, RegExp][] = [["@INVAR_DATA@", /template/], ['{"schema": 1, "camp', /damaged/], ['{"schema": 2}', /schema 1/]];
    for (const [data, expected] of cases) {
      const file = join(folder, "page.html");
      writeFileSync(file, templateText().replace("@INVAR_DATA@", () => data));
      const { page, problems } = await open(browser, file);
      assert.match((await page.locator(".notice").first().textContent()) ?? "", expected);
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  }));
