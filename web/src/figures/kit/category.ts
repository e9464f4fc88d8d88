// Rows or columns with names instead of numbers: methods, levels, algorithms.
import * as Plot from "@observablehq/plot";
import type { View } from "../../figure.ts";
import { kLabelSize } from "./chart.ts";
import { fitted, textWidth } from "./text.ts";

/** Names in front of rows; row i stands at y = -i, so that the first one is on top. */
export class Rows {
  readonly names: string[];
  constructor(names: Iterable<string>) {
    this.names = [...new Set(names)];
  }

  at(name: string): number {
    return -this.names.indexOf(name);
  }

  get domain(): [number, number] {
    return [-(this.names.length - 1) - 0.5, 0.5];
  }

  /** px in front of the frame: as much as the longest name needs, up to `most`. */
  margin(view: View, most: number): number {
    const widest = Math.max(0, ...this.names.map((name) => textWidth(name, kLabelSize, view.style.font)));
    return Math.min(Math.ceil(widest) + 10, most);
  }

  /** The names, right-aligned in the margin, cut in the middle where they are too long. */
  labels(view: View, margin: number): Plot.Markish {
    return Plot.axisY(this.names.map((name) => this.at(name)), {
      text: (place: number) => fitted(this.names[Math.round(-place)] ?? "", margin - 8, kLabelSize, view.style.font),
      title: (place: number) => this.names[Math.round(-place)] ?? "",
      fill: view.style.text,
      fontSize: kLabelSize,
      tickSize: 0,
      label: null,
      tickPadding: 5,
    });
  }

  /** Thin lines between rows that lead the eye from the name to the mark. */
  lines(view: View): Plot.Markish {
    return Plot.ruleY(this.names.map((name) => this.at(name)), { stroke: view.style.faint });
  }
}
