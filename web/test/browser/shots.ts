// Pictures of pages to look at, a PNG a section: of fixtures and of real reports, at the widths of a screen and of a telephone.
// node test/browser/shots.ts FOLDER [FIXTURE|FILE.html]... [--sections ID,ID]; INVAR_PAGE names the template.
// Without names: two arms, five, fourteen sizes, one size, one cell, levels of a factor.
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { SECTIONS } from "../../src/figure.ts";
import { faults, launch, open } from "./browser.ts";
import { built } from "./built.ts";

const PAGES = ["full", "five", "14-sizes", "one-size", "one-cell", "against"];
const WIDTHS = { 1280: 900, 390: 844 };

const parameters = process.argv.slice(2);
const option = parameters.indexOf("--sections");
const sections = option < 0 ? SECTIONS.map(({ id }) => id as string) : (parameters.splice(option, 2)[1] ?? "").split(",");
const [folder, ...names] = parameters;
if (!folder) throw new Error("usage: node shots.ts FOLDER [FIXTURE|FILE.html]... [--sections ID,ID]");
mkdirSync(folder, { recursive: true });

const browser = await launch();
try {
  for (const name of names.length > 0 ? names : PAGES) {
    const file = name.endsWith(".html") ? name : built(folder, name);
    for (const [width, height] of Object.entries(WIDTHS)) {
      for (const dark of [false, true]) {
        const opened = await open(browser, file, { width: Number(width), height, dark });
        const { page } = opened;
        for (const fault of await faults(opened)) console.log(`${name} at ${width}: ${fault}`);
        // Dark colours are those of the same figures: the answer is enough.
        for (const id of dark ? sections.filter((one) => one === "answer") : sections) {
          const section = page.locator(`section#${id}`);
          if (!(await section.isVisible())) continue;
          await section.screenshot({ path: join(folder, `${basename(name, ".html")}-${width}${dark ? "-dark" : ""}-${id}.png`) });
        }
        await page.context().close();
      }
    }
  }
} finally {
  await browser.close();
}
