// Sections of the page: those that every page has, and those that figures bring with them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Figure, placeOf, SECTIONS, sectionOf, sectionsOf } from "../src/figure.ts";
import { figures } from "../src/figures/index.ts";

const own = { id: "weather", title: "What is the weather like?", short: "Weather", before: "clocks" } as const;
const figureOf = (id: string, section: Figure["section"]): Figure => ({ id, section, title: id, read: "", draw: () => null });

test("sections: a figure's own stands once, before the one that it names", () => {
  const ids = sectionsOf([figureOf("rain", own), figureOf("wind", { id: "weather" }), figureOf("canary", "regimes")]).map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => id === "weather"), ["weather"]);
  assert.equal(ids.indexOf("weather") + 1, ids.indexOf("clocks"));
  assert.deepEqual(ids.filter((id) => id !== "weather"), SECTIONS.map(({ id }) => id));
});

test("sections: every figure stands in one that the page has", () => {
  const ids = new Set(sectionsOf(figures).map(({ id }) => id));
  assert.equal(ids.size, sectionsOf(figures).length, "no two have the same id");
  for (const figure of figures) assert.ok(ids.has(sectionOf(figure)), figure.id);
});

test("sections: what draws the answer that a campaign was made for is the answer", () => {
  const rain: Figure = { ...figureOf("rain", own), question: "weather", also: ["climate"] };
  assert.equal(placeOf(rain, [{ question: "compare" }]), "weather");
  assert.equal(placeOf(rain, [{ question: "compare" }, { question: "weather" }]), "answer");
  assert.equal(placeOf(rain, [{ question: "climate" }]), "answer");
  assert.equal(placeOf(figureOf("canary", "regimes"), [{ question: "weather" }]), "regimes");
});
