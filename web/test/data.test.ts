// What leaves the page and what comes into it: CSV, tables, the embedded data, colours.
import { test } from "node:test";
import assert from "node:assert/strict";
import { cellText, csvField, numericColumns, toCsv } from "../src/csv.ts";
import { rowMatches } from "../src/metadata.ts";
import { slug } from "../src/dom.ts";
import { DARK, LIGHT, makeStyle, seriesStyle } from "../src/style.ts";
import { asksForFactors, citations } from "../src/texts.ts";
import { embeddable, fill, HOSTILE, PAGES } from "./fixture.ts";

test("CSV quotes what RFC 4180 asks to be quoted", () => {
  assert.equal(csvField('say "a, b"\n'), '"say ""a, b""\n"');
  assert.equal(csvField("plain"), "plain");
  assert.equal(csvField(null), "");
  assert.equal(csvField(0.1), "0.1");
  const table = { columns: ["arm", "median_ns"], rows: [["a,b", 1.5], [null, 1e-9]] as (string | number | null)[][] };
  assert.equal(toCsv(table), 'arm,median_ns\r\n"a,b",1.5\r\n,1e-9\r\n');
});

test("a column is numeric if it has numbers and nothing else", () => {
  const rows = [["a", 1, null, null], ["b", null, null, 2], ["c", 3, null, "x"]] as (string | number | null)[][];
  assert.deepEqual(numericColumns({ columns: ["a", "b", "c", "d"], rows }), [false, true, false, false]);
});

test("cells of tables grow no digits", () => {
  assert.equal(cellText(0.1 + 0.2), "0.3");
  assert.equal(cellText(1234567), "1234567");
  assert.equal(cellText(null), "–");
  assert.equal(cellText("text"), "text");
});

test("hostile data neither ends its element nor looks like the marker, and comes back whole", () => {
  const page = PAGES["hostile"]!();
  const text = embeddable(page);
  assert.doesNotMatch(text, /[<>&\u2028\u2029]/);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(page)));
  const html = fill('<script type="application/json" id="data">@INVAR_DATA@</script>', { ...page, title: `$& $1 ${HOSTILE}` });
  assert.equal(html.split("</script>").length, 2);
});

test("metadata is found by every word, in keys, groups and values", () => {
  const row = { group: "machine", key: "cpu model", values: ["Intel Xeon", null], differs: false, matters: true };
  assert.ok(rowMatches(row, "XEON cpu"));
  assert.ok(rowMatches(row, ""));
  assert.ok(!rowMatches(row, "xeon amd"));
});

test("a citation is linked to its own reference, also where one key begins like another", () => {
  const references = ["Hunold 2016", "Hunold 2016b", "Hoefler 2015"].map((key) => ({ key, text: "..." }));
  assert.deepEqual(citations("As in [Hunold 2016b] and [Hunold 2016], twice [Hunold 2016].", references), [
    "As in [", { reference: 1 }, "] and [", { reference: 0 }, "], twice [", { reference: 0 }, "].",
  ]);
  // What is not a citation stays a text.
  for (const text of ["Hunold 2016 says", "[Hunold 2016", "[Hunold 2016c] in [0, 1]", "[]", ""]) {
    const parts = citations(text, references);
    assert.equal(parts.join(""), text);
    assert.ok(parts.every((part) => typeof part === "string"));
  }
});

test("ids of headings are plain", () => {
  assert.equal(slug("Machine & host"), "machine-host");
  assert.equal(slug("<>"), "x");
});

// Contrast as in WCAG 2.2, 1.4.11.
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = parseInt(colour.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

for (const [name, theme] of Object.entries({ light: LIGHT, dark: DARK })) {
  test(`marks and texts stand out from the ${name} ground`, () => {
    for (const colour of theme.series) assert.ok(contrast(colour, theme.background) >= 3, `${colour}: ${contrast(colour, theme.background)}`);
    for (const colour of [theme.text, theme.muted, theme.accent, theme.warn]) {
      for (const ground of [theme.background, theme.surface]) {
        assert.ok(contrast(colour, ground) >= 4.5, `${colour} on ${ground}: ${contrast(colour, ground)}`);
      }
    }
  });
}

test("no two series of a theme share colour, symbol and dash, and an arm keeps its own", () => {
  const looks = LIGHT.series.map((_, i) => JSON.stringify(seriesStyle(i)));
  assert.equal(new Set(looks).size, looks.length);
  const symbols = LIGHT.series.slice(0, 7).map((_, i) => seriesStyle(i).symbol);
  assert.equal(new Set(symbols).size, 7);
  // Line figures tell series apart by colour and dash alone, figures of points by colour and symbol.
  for (const mark of ["dash", "symbol"] as const) {
    const seen = new Map<string, number>();
    for (let i = 0; i < 96; ++i) {
      const look = seriesStyle(i);
      const key = `${look.colour} ${look[mark]}`;
      assert.ok(!seen.has(key), `${mark}: series ${seen.get(key)} and ${i} look alike`);
      seen.set(key, i);
    }
  }
  const page = PAGES["two"]!();
  const style = makeStyle(page, false);
  assert.deepEqual(style.arm("mpich"), seriesStyle(1));
  assert.deepEqual(style.arm("intel"), seriesStyle(2));
  assert.equal(style.resolve("var(--series-2)"), LIGHT.series[1]);
  assert.equal(style.resolve("#123456"), "#123456");
});

test("a race, whose only factor is the library, is not a question about factors", () => {
  const of = (factor: string) => ({ factor, levels: ["a", "b"] });
  const asked = (...factors: object[]) => asksForFactors({ factors: { targets: [{ factors }] } } as never);
  assert.equal(asked(of("arm"), { factor: "launch", levels: [] }), false);
  assert.equal(asked(of("arm"), of("cache")), true);
  assert.equal(asksForFactors({ factors: null } as never), false);
});
