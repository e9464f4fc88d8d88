// Headless Chromium for the tests, and what must be true of any page.
import { chromium, type Browser, type Page } from "playwright-core";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

export async function launch(): Promise<Browser> {
  const executablePath = process.env["INVAR_CHROMIUM"] ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

export interface Opened {
  page: Page;
  problems: string[]; // console errors, exceptions, requests: none is the right number
  drawn_ms: number; // from the beginning of the navigation until every figure was drawn
  first_ms: number; // until the first one was
}

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  fragment?: string;
}

/** Opens a file and waits until nothing waits to be drawn. */
export async function open(browser: Browser, file: string, look: Look = {}): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: look.width ?? 1280, height: look.height ?? 900 },
    colorScheme: look.dark ? "dark" : "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const own = pathToFileURL(resolve(file)).href;
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(`console: ${message.text().split("\n")[0]}`);
  });
  page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(own) && !/^(data|blob):/.test(url)) problems.push(`request: ${url}`);
  });
  await page.addInitScript(() => {
    const found = window as unknown as { invarFirst?: number };
    const look = (): void => {
      if (document.querySelector('.figure[data-state="drawn"]')) found.invarFirst = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(own + (look.fragment ? `#${look.fragment}` : ""));
  await settled(page);
  const drawn_ms = await page.evaluate(() => performance.now());
  const first_ms = await page.evaluate(() => (window as unknown as { invarFirst?: number }).invarFirst ?? performance.now());
  return { page, problems, drawn_ms, first_ms };
}

/** Until the page has drawn all that it was asked for. */
export async function settled(page: Page): Promise<void> {
  // A change of the media or of the width reaches the page with its next picture only.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await page.waitForFunction(() => document.documentElement.dataset["drawing"] !== "yes", undefined, { timeout: 30_000 });
}

export interface FigureState {
  id: string;
  state: string;
  marks: number; // shapes, lines and pictures that leave something on the screen
}

/** Every figure with its state, and how many of its marks are really painted. */
export async function figures(page: Page): Promise<FigureState[]> {
  return page.evaluate(() => {
    const seen = (colour: string, opacity: string): boolean =>
      colour !== "none" && colour !== "transparent" && !/rgba\(.*, 0\)/.test(colour) && Number(opacity) > 0;
    const ground = getComputedStyle(document.body).backgroundColor;
    const painted = (element: Element): boolean => {
      const style = getComputedStyle(element);
      if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) === 0) return false;
      if (element.localName === "image" || element.localName === "canvas" || element.localName === "img") return true;
      const filled = element.localName !== "line" && seen(style.fill, style.fillOpacity) && style.fill !== ground;
      const lined = seen(style.stroke, style.strokeOpacity) && style.stroke !== ground;
      return filled || lined;
    };
    return [...document.querySelectorAll<HTMLElement>(".figure")].map((figure) => ({
      id: figure.id,
      state: figure.dataset["state"] ?? "",
      marks: [...figure.querySelectorAll(".picture :is(path, rect, circle, line, image, canvas, img)")].filter(
        (mark) => !mark.closest("defs, [aria-label=tip]") && painted(mark),
      ).length,
    }));
  });
}

/** What is wrong with an opened page, in words; nothing: []. */
export async function faults({ page, problems }: Opened): Promise<string[]> {
  const found = [...problems];
  for (const { id, state, marks } of await figures(page)) {
    if (state === "waiting" || state === "broken") found.push(`${id}: ${state}`);
    if (state === "drawn" && marks === 0) found.push(`${id}: nothing is painted`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wide > 0) found.push(`the page scrolls sideways by ${wide} px`);
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("#page :is(button, a, input, select, [role=img], [role=region])")]
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        const labels = (element as HTMLInputElement).labels;
        return !(element.getAttribute("aria-label") ?? element.textContent?.trim()) && !labels?.length;
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  );
  found.push(...unnamed.map((html) => `nothing says what this is: ${html}`));
  return found;
}

export const LOOKS: Record<string, Look & { print?: boolean }> = {
  light: {},
  dark: { dark: true },
  narrow: { width: 360, height: 740 },
  "narrow-dark": { width: 360, height: 740, dark: true },
  print: { dark: true, print: true },
};

/** The whole page as PNG files DIR/LOOK.png; paper as DIR/print.pdf, too. Faults of all looks. */
export async function screenshots(browser: Browser, file: string, folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const found: string[] = [];
  for (const [name, look] of Object.entries(LOOKS)) {
    const opened = await open(browser, file, look);
    const { page } = opened;
    if (look.print) {
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 720, height: 1020 });
      await settled(page);
      await page.pdf({ path: join(folder, `${name}.pdf`), format: "A4" });
    }
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
    found.push(...(await faults(opened)).map((fault) => `${name}: ${fault}`));
    await page.context().close();
  }
  return found;
}

/** A folder that is gone afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "invar-page-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
