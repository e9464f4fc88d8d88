// Filters, deep links, keyboard: what a reader does.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { figures, inFolder, launch, open, settled } from "./browser.ts";
import { built } from "./built.ts";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function drawnMarks(page: Page, id: string): Promise<number> {
  return (await figures(page)).find((figure) => figure.id === id)?.marks ?? 0;
}

async function rows(page: Page, id: string): Promise<number> {
  return Number(/\((\d+) rows?\)/.exec((await page.locator(`#${id} details.data > summary`).textContent()) ?? "")?.[1]);
}

const hash = (page: Page): Promise<string> => page.evaluate(() => location.hash);

test("a filter works on all figures and stands in the address; the button for everything undoes it", () =>
  inFolder(async (folder) => {
    const { page, problems } = await open(browser, built(folder, "full"));
    const before = { ratio: await rows(page, "figure-ratio"), times: await rows(page, "figure-times") };
    await page.locator('[data-filter="operation"] [data-choice="bcast"]').click();
    await settled(page);
    assert.equal(await hash(page), "#?op=bcast");
    assert.ok((await rows(page, "figure-ratio")) < before.ratio);
    assert.ok((await rows(page, "figure-times")) < before.times);
    await page.locator('[data-filter="size"] [data-choice="8"]').click();
    await page.locator('[data-filter="arm"] [data-choice="mpich"]').click();
    await settled(page);
    assert.equal(await hash(page), "#?op=bcast&size=8&arm=mpich");
    assert.equal(await rows(page, "figure-times"), 1);
    await page.getByRole("button", { name: "Show everything" }).click();
    await settled(page);
    assert.equal(await hash(page), ""); // "#" alone
    assert.equal(await rows(page, "figure-times"), before.times);
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("the answer's table has intervals, and marks in words where regimes disagree", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "doubts"));
    const table = page.locator(".campaign .verdicts").first();
    assert.equal(await table.locator("td .doubt").count(), 2);
    assert.match((await table.locator("td:has(.doubt)").first().textContent()) ?? "", /\[[\d.]+, [\d.]+\].*regimes/);
    assert.match((await page.locator(".key").first().textContent()) ?? "", /regimes: another regime of the machine has another winner/);
    assert.match((await page.locator("h1 + .more").textContent()) ?? "", /^The machine's regimes disagree/);
    assert.doesNotMatch((await page.locator("h1").textContent()) ?? "", /regimes/);
    await page.context().close();
  }));

test("the answer's tables show every cell at once, on a screen and on a telephone", () =>
  inFolder(async (folder) => {
    for (const name of ["full", "five", "14-sizes", "one-size", "against"]) {
      const file = built(folder, name);
      for (const width of [1280, 390]) {
        const { page } = await open(browser, file, { width });
        const boxes = await page.locator(".verdicts .table-box").evaluateAll((all) =>
          all.map((box) => ({ across: box.scrollWidth - box.clientWidth, down: box.scrollHeight - box.clientHeight })),
        );
        assert.ok(boxes.length > 0);
        for (const { across, down } of boxes) assert.ok(across <= 1 && down <= 1, `${name} at ${width}: ${across} px and ${down} px are out of sight`);
        // A network's model has wider tables in a section of its own, which say so.
        assert.equal(await page.locator("#answer .more-columns:visible").count(), 0);
        await page.context().close();
      }
    }
  }));

test("a table that is wider than the page says how many columns are out of sight, and loses no row's head", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "ten-arms"), { width: 390 });
    const frame = page.locator(".verdicts .edges").first();
    assert.match((await frame.getAttribute("class")) ?? "", /more-right/);
    assert.match((await frame.locator(".more-columns").textContent()) ?? "", /^\d+ more columns? to the right/);
    const before = await frame.locator("tbody th").first().boundingBox();
    await frame.locator(".table-box").evaluate((box) => box.scrollTo({ left: 1e6 }));
    await page.locator(".verdicts .edges.more-left").first().waitFor();
    assert.equal(await frame.locator(".more-columns:visible").count(), 0);
    assert.equal((await frame.locator("tbody th").first().boundingBox())?.x, before?.x);
    await page.context().close();
  }));

test("a barrier is a row of its own kind, not a size", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "14-sizes"));
    const blocks = page.locator(".verdicts .block");
    assert.equal(await blocks.count(), 4);
    assert.deepEqual(await blocks.last().locator("tbody th").allTextContents(), ["barrier"]);
    assert.doesNotMatch((await page.locator(".verdicts").first().textContent()) ?? "", /no size/);
    await page.context().close();
  }));

test("levels of a factor: choosing an arm leaves its rows and ratios", () =>
  inFolder(async (folder) => {
    const { page, problems } = await open(browser, built(folder, "against"));
    const cells = page.locator(".verdicts tbody td.number:not(.none)");
    assert.equal(await cells.count(), 6);
    await page.locator('[data-filter="arm"] [data-choice="mpich"]').click();
    await settled(page);
    assert.equal(await cells.count(), 3);
    assert.equal(await rows(page, "figure-ratio"), 3);
    assert.equal(await rows(page, "figure-times"), 6);
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("the ten words fold out where the page links to them", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "one-cell"));
    assert.equal(await page.locator("#words dl").isVisible(), false);
    await page.locator('.made a[href="#words"]').click();
    await page.locator("#words dl").waitFor({ state: "visible" });
    assert.equal(await page.locator("#words dt").count(), 10);
    await page.context().close();
  }));

test("two campaigns without a ratio over everything have a table of each regime", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "regimes"));
    const tables = page.locator(".verdicts table");
    assert.match((await tables.nth(0).textContent()) ?? "", /–.*regimes/);
    assert.match((await tables.nth(1).textContent()) ?? "", /canary 0\.13 us: [^]*\[[\d.]+, [\d.]+\]/);
    await page.context().close();
  }));

test("a selection without data leaves the figure, and says so", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "full"), { fragment: "?op=allreduce&size=none" });
    assert.equal(await page.locator("#figure-times").getAttribute("data-state"), "nothing selected");
    assert.match((await page.locator("#figure-times .picture").textContent()) ?? "", /Nothing of what is selected/);
    await page.context().close();
  }));

test("another campaign brings its own arms and texts", () =>
  inFolder(async (folder) => {
    const { page, problems } = await open(browser, built(folder, "two"));
    assert.equal(await page.locator('[data-filter="arm"] .choice').count(), 2);
    await page.locator("#filter-campaign").selectOption("1");
    await settled(page);
    assert.equal(await hash(page), "#?campaign=2");
    assert.equal(await page.locator('[data-filter="arm"] .choice').count(), 3);
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("a deep link opens at its figure with its selection, and a changed address is followed", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "full"), { fragment: "figure-times?op=bcast" });
    const top = (id: string): Promise<number> => page.evaluate((at) => document.getElementById(at)?.getBoundingClientRect().top ?? -1, id);
    const seen = await top("figure-times");
    assert.ok(seen >= 0 && seen < 200, `the figure begins at ${seen} px`);
    assert.equal(await page.locator('[data-choice="bcast"]').getAttribute("aria-pressed"), "true");
    await page.evaluate(() => (location.hash = "#method"));
    await page.waitForFunction(() => document.activeElement?.id === "method-title");
    await settled(page);
    assert.equal(await page.locator('[data-choice="bcast"]').getAttribute("aria-pressed"), "false");
    await page.goBack();
    await settled(page);
    assert.equal(await page.locator('[data-choice="bcast"]').getAttribute("aria-pressed"), "true");
    const link = page.locator("#figure-ratio .tools a");
    await link.focus();
    assert.match((await link.getAttribute("href")) ?? "", /^#figure-ratio\?op=bcast$/);
    await page.context().close();
  }));

test("links of the contents keep the selection", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "full"), { fragment: "?op=bcast" });
    await page.getByRole("navigation").getByRole("link", { name: "Times" }).click();
    await settled(page);
    assert.equal(await hash(page), "#times?op=bcast");
    assert.equal(await page.locator('[data-choice="bcast"]').getAttribute("aria-pressed"), "true");
    await page.context().close();
  }));

test("everything can be done from the keyboard, and the focus is seen", () =>
  inFolder(async (folder) => {
    const { page, problems } = await open(browser, built(folder, "full"));
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
    assert.ok(((await page.locator(".skip").boundingBox())?.y ?? -1) >= 0);
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "content");
    await page.keyboard.press("Tab");
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle);
    assert.equal(outline, "solid");
    const choice = page.locator('[data-choice="bcast"]');
    await choice.focus();
    await page.keyboard.press("Space");
    await settled(page);
    assert.equal(await choice.getAttribute("aria-pressed"), "true");
    assert.equal(await page.evaluate(() => (document.activeElement as HTMLElement).dataset["choice"]), "bcast");
    await page.locator("#figure-times details.data > summary").focus();
    await page.keyboard.press("Enter");
    await page.locator("#figure-times tbody tr").first().waitFor();
    assert.equal(await page.locator("#figure-times tbody tr").count(), await rows(page, "figure-times"));
    assert.deepEqual(problems, []);
    await page.context().close();
  }));

test("figures are pictures with a name, and their tables have captions and heads", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "full"));
    for (const picture of await page.locator(".figure:visible .picture").all()) {
      assert.equal(await picture.getAttribute("role"), "img");
      assert.ok(((await picture.getAttribute("aria-label")) ?? "").length > 10);
    }
    const details = page.locator("#figure-ratio details.data");
    await details.locator("summary").click();
    assert.equal(await details.locator("table caption").count(), 1);
    assert.ok((await details.locator("thead th[scope=col]").count()) > 3);
    assert.ok((await drawnMarks(page, "figure-ratio")) > 0);
    await page.context().close();
  }));

test("metadata is searched, and differences can be had alone", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "two"));
    const facts = page.locator(".metadata tbody tr:visible:not(.group)");
    const all = await facts.count();
    await page.getByLabel("Search").fill("parameter_with 17");
    assert.equal(await facts.count(), 1);
    await page.getByLabel("Search").fill("");
    await page.getByLabel("only what differs").check();
    const differing = await facts.count();
    assert.ok(differing > 0 && differing < all);
    assert.equal(await page.locator(".metadata tr.different:visible .differs").count(), differing);
    await page.context().close();
  }));

test("long lists are cut, and shown whole on demand", () =>
  inFolder(async (folder) => {
    const { page } = await open(browser, built(folder, "failed"));
    const items = page.locator(".list.failure").filter({ hasText: "Failures" }).locator("li:visible");
    assert.ok((await items.count()) < 20);
    await page.getByRole("button", { name: /Show the other/ }).click();
    assert.equal(await items.count(), 20);
    await page.context().close();
  }));
