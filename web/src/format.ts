// Numbers as text, the same everywhere on the page.

const NBSP = "\u00a0";

/** Significant digits without an exponent: 1234.5 -> "1230" for three of them. */
export function digits(value: number, significant = 3): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(significant));
  const decimals = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(rounded)) + 1e-12));
  return rounded.toFixed(Math.min(decimals, 12)).replace("-", "−");
}

const TIME_UNITS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** "512 ns", "1.09 µs", "12.3 ms"; null: "–". */
export function duration(ns: number | null | undefined, significant = 3): string {
  if (ns === null || ns === undefined || !Number.isFinite(ns)) return "–";
  if (ns === 0) return `0${NBSP}ns`;
  // 999.6 rounds to the next unit.
  const size = Math.abs(Number(ns.toPrecision(significant)));
  const [factor, unit] = TIME_UNITS.find(([least]) => size >= least) ?? ([1, "ns"] as const);
  return `${digits(ns / factor, significant)}${NBSP}${unit}`;
}

/** One unit for a whole axis or column, chosen by its largest value: `ns / unit.factor` is in `unit.name`. */
export function timeUnit(largest_ns: number): { factor: number; name: string } {
  const [factor, name] = TIME_UNITS.find(([least]) => Math.abs(largest_ns) >= least) ?? ([1, "ns"] as const);
  return { factor, name };
}

/** Tick labels of a logarithmic axis in ns: "1 µs", "200 ns"; no more digits than needed. */
export function durationTick(ns: number): string {
  const size = Math.abs(ns);
  const [factor, unit] = TIME_UNITS.find(([least]) => size >= least * (1 - 1e-9)) ?? ([1, "ns"] as const);
  return `${Number((ns / factor).toPrecision(6))}${NBSP}${unit}`.replace("-", "−");
}

const SIZE_UNITS: [number, string][] = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

/** "8 B", "64 KiB", "1.5 MiB"; sizes that are no whole number of halves stay in bytes below 10 KiB. null: "no size". */
export function bytes(size: number | null | undefined): string {
  if (size === null || size === undefined) return "no size";
  for (const [factor, unit] of SIZE_UNITS) {
    if (size < factor) continue;
    const value = size / factor;
    if (Number.isInteger(value * 2)) return `${value}${NBSP}${unit}`;
    if (value >= 10) return `${digits(value, 3)}${NBSP}${unit}`;
    if (factor === 2 ** 10) break;
    return `${digits(value, 3)}${NBSP}${unit}`;
  }
  return `${size}${NBSP}B`;
}

/** "1.297": ratios near one get the digits that tell them apart. */
export function ratio(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return Math.abs(value - 1) < 0.095 ? value.toFixed(3) : digits(value, 3);
}

/** Share of one as "12 %", "0.3 %". */
export function share(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const percent = value * 100;
  const size = Math.abs(percent);
  const text = size >= 10 || size === 0 ? percent.toFixed(0) : size >= 1 ? percent.toFixed(1) : digits(percent, 2);
  return `${text.replace("-", "−")}${NBSP}%`;
}

/** "12 345": whole numbers with thin spaces between thousands. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return Math.round(value)
    .toString()
    .replace("-", "−")
    .replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** "0.003", "< 1e-9". */
export function probability(p: number | null | undefined): string {
  if (p === null || p === undefined) return "–";
  if (p < 1e-9) return "< 1e-9";
  return p < 1e-3 ? p.toExponential(0) : digits(p, 2);
}

/** "1.27 to 1.33", or "–" where one end is missing. */
export function interval(
  low: number | null | undefined,
  high: number | null | undefined,
  format: (value: number) => string,
): string {
  if (low === null || low === undefined || high === null || high === undefined) return "–";
  return `${format(low)} to ${format(high)}`;
}

/** "1 launch", "3 launches". */
export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}
