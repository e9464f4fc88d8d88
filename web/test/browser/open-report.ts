// Opens any report and checks what must be true of all of them: every figure drawn, no error, no request, nothing wider
// than the page. node test/browser/open-report.ts FILE.html [--screenshots DIR]; exit status 1: not so.
import { faults, figures, launch, open, screenshots } from "./browser.ts";

const [, , file, option, folder] = process.argv;
if (!file || (option && (option !== "--screenshots" || !folder))) {
  throw new Error("usage: node open-report.ts FILE.html [--screenshots DIR]");
}
const browser = await launch();
try {
  const opened = await open(browser, file);
  const states = await figures(opened.page);
  const drawn = states.filter(({ state }) => state === "drawn");
  const found = await faults(opened);
  console.log(`${drawn.length} of ${states.length} figures have data; first after ${Math.round(opened.first_ms)} ms, all after ${Math.round(opened.drawn_ms)} ms`);
  for (const { id, marks } of drawn) console.log(`  ${id}: ${marks} marks`);
  if (folder) found.push(...(await screenshots(browser, file, folder)));
  for (const fault of found) console.log(`fault: ${fault}`);
  process.exitCode = found.length > 0 ? 1 : 0;
} finally {
  await browser.close();
}
