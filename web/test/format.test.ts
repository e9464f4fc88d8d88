import { test } from "node:test";
import assert from "node:assert/strict";
import { bytes, count, digits, duration, durationTick, interval, plural, probability, ratio, share, timeUnit } from "../src/format.ts";

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, " ");

test("durations have three digits and the unit that keeps them short", () => {
  const expected: [number | null, string][] = [
    [0.4372, "0.437 ns"], [1, "1.00 ns"], [512.4, "512 ns"], [999.4, "999 ns"], [999.6, "1.00 µs"], [1090, "1.09 µs"],
    [12_345, "12.3 µs"], [999_700, "1.00 ms"], [2.5e9, "2.50 s"], [0, "0 ns"], [-1500, "−1.50 µs"], [null, "–"], [NaN, "–"],
  ];
  for (const [ns, text] of expected) assert.equal(plain(duration(ns)), text);
});

test("ticks have no more digits than they need", () => {
  assert.equal(plain(durationTick(200)), "200 ns");
  assert.equal(plain(durationTick(1000)), "1 µs");
  assert.equal(plain(durationTick(1500)), "1.5 µs");
  assert.equal(plain(durationTick(0.5)), "0.5 ns");
});

test("one unit for a column is that of its largest time", () => {
  assert.deepEqual(timeUnit(999), { factor: 1, name: "ns" });
  assert.deepEqual(timeUnit(1000), { factor: 1000, name: "µs" });
  assert.deepEqual(timeUnit(0), { factor: 1, name: "ns" });
});

test("sizes are exact where a power of two says them, and never wrong", () => {
  const expected: [number | null, string][] = [
    [0, "0 B"], [8, "8 B"], [1000, "1000 B"], [1024, "1 KiB"], [1536, "1.5 KiB"], [1537, "1537 B"], [65536, "64 KiB"],
    [100_000, "97.7 KiB"], [2 ** 20, "1 MiB"], [1_500_000, "1.43 MiB"], [3 * 2 ** 30, "3 GiB"], [null, "no size"],
  ];
  for (const [size, text] of expected) assert.equal(plain(bytes(size)), text);
});

test("ratios near one keep the digits that tell them from one", () => {
  assert.equal(ratio(1.0004), "1.000");
  assert.equal(ratio(1.023), "1.023");
  assert.equal(ratio(0.9512), "0.951");
  assert.equal(ratio(1.297), "1.30");
  assert.equal(ratio(12.34), "12.3");
  assert.equal(ratio(null), "–");
});

test("shares, counts, probabilities and intervals", () => {
  assert.equal(plain(share(0.1234)), "12 %");
  assert.equal(plain(share(0.012)), "1.2 %");
  assert.equal(plain(share(0.0004)), "0.040 %");
  assert.equal(plain(share(0)), "0 %");
  assert.equal(plain(share(-0.05)), "−5.0 %");
  assert.equal(plain(count(1_234_567)), "1 234 567");
  assert.equal(plain(count(999)), "999");
  assert.equal(probability(1e-12), "< 1e-9");
  assert.equal(probability(0.0004), "4e-4");
  assert.equal(probability(0.034), "0.034");
  assert.equal(probability(null), "–");
  assert.equal(interval(1, 2, String), "1 to 2");
  assert.equal(interval(1, null, String), "–");
  assert.equal(plural(1, "launch", "launches"), "1 launch");
  assert.equal(plural(3, "row"), "3 rows");
});

test("digits never show an exponent or a minus of ASCII", () => {
  assert.equal(digits(1234.5), "1230");
  assert.equal(digits(0.00012345), "0.000123");
  assert.equal(digits(-2), "−2.00");
  assert.equal(digits(Infinity), "∞");
});
