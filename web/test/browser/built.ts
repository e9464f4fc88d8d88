// The built page filled with a fixture, in a file of a folder.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fill, PAGES } from "../fixture.ts";

const template = readFileSync(process.env["INVAR_PAGE"] ?? "", "utf8");

export function templateText(): string {
  return template;
}

export function built(folder: string, name: string): string {
  const make = PAGES[name];
  if (!make) throw new Error(`there is no fixture ${name}`);
  const file = join(folder, `${name}.html`);
  writeFileSync(file, fill(template, make()));
  return file;
}
