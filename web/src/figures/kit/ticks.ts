// Ticks of axes: which numbers stand at them. Only layout; nothing here is a result.

const kDigitSets = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]];

function powerTicks(low: number, high: number, digits: readonly number[], every: number): number[] {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.ceil(Math.log10(high) - 1e-9);
  const ticks: number[] = [];
  for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
    for (const digit of digits) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return ticks;
}

/** Ticks of a logarithmic axis, at most `most` and at least two: 1, 2, 5 times powers of ten, or some of the powers alone. */
export function logTicks(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low)) return [low];
  for (const digits of kDigitSets) {
    const ticks = powerTicks(low, high, digits, 1);
    // A short axis: round numbers between its ends tell more than one power of ten.
    if (ticks.length < 2) return linearTicks(low, high, most);
    if (ticks.length <= most) return ticks;
  }
  for (let every = 2; every < 40; every += 1) {
    const ticks = powerTicks(low, high, [1], every);
    if (ticks.length <= most) return ticks;
  }
  return [low, high];
}

/** Multiples of 1, 2 or 5 times a power of ten, at most about `most`. */
export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5].map((digit) => digit * power).find((one) => one >= raw * (1 - 1e-9)) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  // One tick alone says nothing about distances.
  return ticks.length < 2 && most < 12 ? linearTicks(low, high, most + 1) : ticks;
}

/** Ticks of a logarithmic axis of ratios: 1 is among them, and the others are alike on both sides of it. */
export function ratioTicks(low: number, high: number, most: number): number[] {
  if (high / low < 2) return linearTicks(low, high, most);
  for (const digits of [[1, 1.25, 1.5, 2, 3, 4, 5, 7], [1, 1.5, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks: number[] = [];
    for (let power = 0; power <= 9; power += 1) {
      for (const digit of digits) {
        const above = digit * 10 ** power;
        for (const tick of above === 1 ? [1] : [above, 1 / above]) {
          if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push(tick);
        }
      }
    }
    if (ticks.length <= most) return ticks.sort((a, b) => a - b);
  }
  return logTicks(low, high, most);
}

/** "0.67", "1.25", "20". */
export function ratioTick(ratio: number): string {
  const exact = Number(ratio.toPrecision(4));
  // 0.995 and 1.25 as they are, 1/1.5 as 0.67.
  return String(Math.abs(exact / ratio - 1) < 1e-9 ? exact : Number(ratio.toPrecision(2)));
}

/** Ends of a logarithmic axis: what is drawn, and a margin as a share of its length. */
export function logDomain(values: Iterable<number | null | undefined>, margin = 0.06): [number, number] {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (value === null || value === undefined || !(value > 0) || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (high === 0) return [1, 10];
  const length = Math.max(Math.log(high / low), 0.02);
  return [low * Math.exp(-length * margin), high * Math.exp(length * margin)];
}

export function linearDomain(values: Iterable<number | null | undefined>, margin = 0.06): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const length = high > low ? high - low : Math.abs(high) || 1;
  return [low - length * margin, high + length * margin];
}

/** "0.1 %", "50 %". */
export function percentTick(share: number): string {
  return `${Number((100 * share).toPrecision(4))}\u00a0%`.replace("-", "−");
}
