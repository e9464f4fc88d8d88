// Bundles src/ into one HTML file: node build.ts OUT. The result still has the marker @INVAR_DATA@, where `invar report`
// puts the data (docs/page.md).
import { build } from "esbuild";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { DARK, LIGHT, variables, type Theme } from "./src/style.ts";

const MARKER = "@INVAR_DATA@";
const MOST_BYTES = 1_000_000;

function declarations(theme: Theme): string {
  return Object.entries(variables(theme))
    .map(([name, colour]) => `--${name}:${colour};`)
    .join("");
}

// The reader's choice stands in data-theme; without one the system's counts. Paper is always light.
function themes(): string {
  const light = `${declarations(LIGHT)}color-scheme:light;`;
  const dark = `${declarations(DARK)}color-scheme:dark;`;
  return (
    `:root{${light}}:root[data-theme=dark]{${dark}}` +
    `@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}` +
    `@media print{:root,:root[data-theme]{${light}}:root:not([data-theme=light]){${light}}}`
  );
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    entryPoints: [entry],
    absWorkingDir: import.meta.dirname,
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  return result.outputFiles[0]?.text ?? "";
}

const out = process.argv[2];
if (!out) throw new Error("usage: node build.ts OUT");
// Neither may end its element early.
const script = (await bundle("src/main.ts")).replace(/<(?=\/script|!--)/gi, "\\x3c").trim();
const style = (themes() + (await bundle("src/page.css"))).replace(/<\//g, "<\\/").trim();
const template = readFileSync(`${import.meta.dirname}/page.html`, "utf8");
const page = template.replace("@INVAR_STYLE@", () => style).replace("@INVAR_SCRIPT@", () => script);
if (page.split(MARKER).length !== 2) throw new Error(`page.html must have ${MARKER} once, and the script must not have it`);
if (Buffer.byteLength(page) >= MOST_BYTES) throw new Error(`the page has ${Buffer.byteLength(page)} bytes, ${MOST_BYTES} are too many`);
writeFileSync(`${out}.tmp`, page);
renameSync(`${out}.tmp`, out);
