// The axis of message sizes: discrete powers of two mostly, so it is logarithmic, and its ticks are sizes that
// were measured. Sizes of 0 and operations without a size have places of their own.
import { bytes } from "../../format.ts";

export type Size = number | null;

export class SizeAxis {
  readonly sizes: Size[];
  private readonly places = new Map<Size, number>();
  private readonly even: boolean = false;
  private readonly gap: number; // least distance of two places, in powers of two

  /** `even`: at equal distances, in order: for boxes, which need the room. */
  constructor(all: Iterable<Size>, even = false) {
    const sizes = [...new Set(all)];
    const positive = sizes.filter((size): size is number => size !== null && size > 0).sort((a, b) => a - b);
    let gap = Infinity;
    for (let i = 1; i < positive.length; i += 1) gap = Math.min(gap, Math.log2(positive[i]! / positive[i - 1]!));
    this.gap = Number.isFinite(gap) ? gap : 1;
    let first = positive.length > 0 ? Math.log2(positive[0]!) : 0;
    for (const size of positive) this.places.set(size, Math.log2(size));
    // One typical step before the others.
    const step = positive.length > 1 ? Math.max(1, this.gap) : 1;
    for (const special of [0, null]) {
      if (!sizes.includes(special)) continue;
      if (positive.length > 0 || this.places.size > 0) first -= step;
      this.places.set(special, first);
    }
    if (even) {
      const ordered = [...this.places].sort((a, b) => a[1] - b[1]);
      ordered.forEach(([size], i) => this.places.set(size, i));
      this.gap = 1;
      this.even = true;
    }
    this.sizes = [...this.places].sort((a, b) => a[1] - b[1]).map(([size]) => size);
  }

  at(size: Size): number {
    return this.places.get(size) ?? NaN;
  }

  /** Where a size stands that was not measured, between those that were. */
  between(size: number): number {
    return Math.log2(size);
  }

  get domain(): [number, number] {
    const places = this.sizes.map((size) => this.at(size));
    if (places.length === 0) return [0, 1];
    const low = places[0]!;
    const high = places[places.length - 1]!;
    const margin = places.length === 1 ? 1 : Math.max(Math.min(this.gap, 2) * 0.6, (high - low) * 0.03);
    return [low - margin, high + margin];
  }

  // Pixels between neighbours where they are closest.
  step(inner_width: number): number {
    const [low, high] = this.domain;
    return this.sizes.length < 2 ? inner_width : (this.gap / (high - low)) * inner_width;
  }

  // Places of labelled sizes: as many as have room, preferring powers of two and those of four, sixteen...
  ticks(inner_width: number, label_width = 52): number[] {
    const [low, high] = this.domain;
    const pixels = (place: number): number => ((place - low) / (high - low)) * inner_width;
    const fits = (places: number[]): boolean => {
      for (let i = 1; i < places.length; i += 1) {
        if (pixels(places[i]!) - pixels(places[i - 1]!) < label_width) return false;
      }
      return true;
    };
    const places = this.sizes.map((size) => this.at(size));
    if (fits(places)) return places;
    for (let every = 2; this.even && every < places.length; every += 1) {
      const some = places.filter((_, i) => i % every === 0);
      if (fits(some)) return some;
    }
    const special = this.sizes.filter((size) => size === null || size === 0).map((size) => this.at(size));
    const powers = this.sizes.filter((size) => size !== null && size > 0 && Number.isInteger(this.at(size)));
    for (const every of [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20]) {
      let best: number[] = [];
      for (let start = 0; start < every; start += 1) {
        const some = powers.map((size) => this.at(size)).filter((place) => (((place - start) % every) + every) % every === 0);
        if (some.length > best.length) best = some;
      }
      const chosen = [...special, ...best];
      if (best.length >= 3 && fits(chosen)) return chosen;
    }
    // A few sizes far apart: every n-th one.
    for (let every = 2; places.length <= 16 && every < places.length; every += 1) {
      const some = places.filter((_, i) => i % every === 0);
      if (some.length > 1 && fits(some)) return some;
    }
    // Random sizes: whole powers of two, measured or not.
    for (const every of [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20]) {
      const some: number[] = [];
      for (let place = Math.ceil(low / every) * every; place <= high; place += every) some.push(place);
      if (fits(some)) return some;
    }
    return places.slice(0, 1);
  }

  label(place: number): string {
    for (const [size, at] of this.places) if (at === place) return bytes(size);
    return bytes(Math.round(2 ** place));
  }
}

/**
 * One axis for all panels, so that they can be compared; only what has no size at all (a barrier) gets one of its own, and
 * takes no room on the others'.
 */
export function sharedAxis(panels: readonly (readonly Size[])[], even = false): (sizes: readonly Size[]) => SizeAxis {
  const sized = (sizes: readonly Size[]): boolean => sizes.some((size) => size !== null);
  const shared = new SizeAxis(panels.filter(sized).flat(), even);
  return (sizes) => (sized(sizes) ? shared : new SizeAxis(sizes, even));
}
