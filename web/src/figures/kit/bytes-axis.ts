// An axis of sizes of all kinds, none of which need have been measured: logarithmic, ticks at powers of two.

/** Between two sizes on a logarithmic axis. */
export function middle(low: number, high: number): number {
  return Math.sqrt(Math.max(1, low) * high);
}

/** An axis of bytes, logarithmic in powers of two: what is drawn has sizes of all kinds. */
export class BytesAxis {
  readonly domain: [number, number];

  constructor(sizes: Iterable<number>) {
    let low = Infinity;
    let high = 1;
    for (const size of sizes) {
      low = Math.min(low, Math.max(1, size));
      high = Math.max(high, size);
    }
    if (low > high) low = 1;
    const margin = Math.max(0.4, 0.02 * Math.log2(high / low));
    this.domain = [Math.log2(low) - margin, Math.log2(high) + margin];
  }

  /** Nothing has no place on a logarithmic axis: it stands at the first byte. */
  at(size: number): number {
    return Math.log2(Math.max(1, size));
  }

  ticks(width: number, label_width = 58): number[] {
    const [low, high] = this.domain;
    for (const every of [1, 2, 3, 4, 5, 10, 20]) {
      const ticks: number[] = [];
      for (let place = Math.ceil(low / every) * every; place <= high; place += every) ticks.push(place);
      if ((every / (high - low)) * width >= label_width && ticks.length > 1) return ticks;
    }
    return [Math.ceil(low)];
  }
}
