// What the buttons save: valid files that show what the screen shows.
import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { inFolder, launch, open } from "./browser.ts";
import { built } from "./built.ts";

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

async function saved(page: Page, figure: Locator, kind: string): Promise<{ name: string; data: Uint8Array }> {
  const download = page.waitForEvent("download", { timeout: 20_000 });
  await figure.getByRole("button", { name: `Save as ${kind}` }).click();
  const file = await download;
  return { name: file.suggestedFilename(), data: readFileSync(await file.path()) };
}

interface Colours {
  width: number;
  height: number;
  coloured: number; // shares of pixels: clearly a colour; nearly black
  black: number;
}

/** Looks at a picture on a page of its own, where nothing of the report's style is. */
async function colours(blank: Page, data: Uint8Array, type: string): Promise<Colours> {
  return blank.evaluate(
    async ({ text, type: kind }) => {
      const picture = new Image();
      picture.src = `data:${kind};base64,${text}`;
      await picture.decode();
      const canvas = document.createElement("canvas");
      canvas.width = picture.naturalWidth;
      canvas.height = picture.naturalHeight;
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.drawImage(picture, 0, 0);
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      let coloured = 0;
      let black = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        const [r = 0, g = 0, b = 0] = pixels.slice(i, i + 3);
        if (Math.max(r, g, b) - Math.min(r, g, b) > 50) ++coloured;
        if (Math.max(r, g, b) < 12) ++black;
      }
      const all = pixels.length / 4;
      return { width: canvas.width, height: canvas.height, coloured: coloured / all, black: black / all };
    },
    { text: Buffer.from(data).toString("base64"), type },
  );
}

for (const dark of [false, true]) {
  test(`every figure is saved as it looks, in ${dark ? "dark" : "light"} colours`, () =>
    inFolder(async (folder) => {
      const { page, problems } = await open(browser, built(folder, "full"), { dark });
      const blank = await browser.newPage();
      const drawn = page.locator('.figure[data-state="drawn"]');
      const many = await drawn.count();
      assert.ok(many > 0);
      for (let i = 0; i < many; ++i) {
        const figure = drawn.nth(i);
        const id = (await figure.getAttribute("id")) ?? "";
        await figure.scrollIntoViewIfNeeded();
        const screen = await colours(blank, await figure.locator(".picture").screenshot(), "image/png");
        const svg = await saved(page, figure, "SVG");
        assert.match(svg.name, /^invar-[a-z0-9-]+\.svg$/);
        const text = new TextDecoder().decode(svg.data);
        // Outside the page there are no variables, no style sheet and nothing to load.
        assert.equal(/var\(|<style|currentColor| class=|href="(?!data:image\/png|#)[^"]*/i.exec(text)?.[0], undefined, id);
        const parsed = await blank.evaluate((xml) => new DOMParser().parseFromString(xml, "image/svg+xml").querySelector("parsererror")?.textContent ?? "", text);
        assert.equal(parsed, "", id);
        const alone = await colours(blank, svg.data, "image/svg+xml");
        const png = await saved(page, figure, "PNG");
        assert.deepEqual([...png.data.slice(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10], id);
        const picture = await colours(blank, png.data, "image/png");
        assert.equal(picture.width, 2 * alone.width, id);
        assert.equal(picture.height, 2 * alone.height, id);
        for (const file of [alone, picture]) {
          assert.ok(Math.abs(file.coloured - screen.coloured) < 0.004 + 0.25 * screen.coloured, `${id}: colour on ${screen.coloured} of the screen, ${file.coloured} of the file`);
          assert.ok(file.black <= screen.black + 0.002, `${id}: ${file.black} of the file is black`);
        }
        const csv = await saved(page, figure, "CSV");
        const lines = new TextDecoder().decode(csv.data).split("\r\n");
        const rows = Number(/\((\d+) rows?\)/.exec((await figure.locator("details.data > summary").textContent()) ?? "")?.[1]);
        assert.equal(lines.length, rows + 2, `${id}: head, rows, and nothing after the last line's end`);
        assert.ok(rows > 0, id);
      }
      assert.deepEqual(problems, []);
      await blank.close();
      await page.context().close();
    }));
}
