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

  private widest(view: View): number {
    return Math.max(0, ...this.names.map((name) => textWidth(name, kLabelSize, view.style.font)));
  }

  /** Whether names stand above their rows, because in front of them they would take more than `most` px. */
  stacked(view: View, most: number): boolean {
    return this.widest(view) + 10 > most * 1.15;
  }

  /** px in front of the frame: as much as the longest name needs, up to `most`. */
  margin(view: View, most: number): number {
    return this.stacked(view, most) ? 10 : Math.min(Math.ceil(this.widest(view)) + 10, most);
  }

  /** px of a row that needs `height` without its name. */
  pitch(view: View, most: number, height: number): number {
    return this.stacked(view, most) ? height + 15 : height;
  }

  /** The names: right-aligned in the margin, or above their rows and `lift` px higher. */
  labels(view: View, most: number, width: number, lift = 14): Plot.Markish {
    const places = this.names.map((name) => this.at(name));
    const name = (place: number): string => this.names[Math.round(-place)] ?? "";
    const common = { title: name, fill: view.style.text, fontSize: kLabelSize };
    if (this.stacked(view, most)) {
      return Plot.text(places, {
        ...common,
        y: (place: number) => place,
        frameAnchor: "left",
        textAnchor: "start",
        dy: -lift,
        dx: -8,
        text: (place: number) => fitted(name(place), width - 12, kLabelSize, view.style.font),
      });
    }
    const margin = this.margin(view, most);
    return Plot.axisY(places, {
      ...common,
      text: (place: number) => fitted(name(place), margin - 8, kLabelSize, view.style.font),
      tickSize: 0,
      label: null,
      tickPadding: 5,
    });
  }

  /** Thin lines between rows that lead the eye from the name to the mark. */
  lines(view: View): Plot.Markish {
    return Plot.ruleY(
      this.names.map((name) => this.at(name)),
      { stroke: view.style.faint },
    );
  }
}
