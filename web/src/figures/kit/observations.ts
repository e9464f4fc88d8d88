// What the figures of single observations share: a panel for each cell, and an axis of times that suits all its arms.
import type { Distribution } from "../../data.ts";
import type { View } from "../../figure.ts";
import { digits, durationTick, timeUnit } from "../../format.ts";
import { cellName } from "../../select.ts";
import { boundedCells, levelsOf, selectedItems } from "./arms.ts";
import type { Axis } from "./chart.ts";
import { linearTicks, logTicks } from "./ticks.ts";

export const kCells = 9;
// Arms this far apart do not fit on a linear axis.
const kFar = 6;

export interface TimeAxis {
  axis: Axis;
  title: string; // with the unit, for the axis; "" where the ticks have it
}

/** Linear in one unit, or logarithmic where the ends are far apart. */
export function timeAxis(low_ns: number, high_ns: number, width: number, log = high_ns / Math.max(low_ns, 1e-9) > kFar): TimeAxis {
  if (log && low_ns > 0) {
    return {
      axis: {
        type: "log",
        domain: [low_ns, high_ns],
        ticks: logTicks(low_ns, high_ns, Math.max(2, Math.floor(width / 62))),
        format: durationTick,
      },
      title: "",
    };
  }
  const unit = timeUnit(high_ns);
  const ticks = linearTicks(low_ns / unit.factor, high_ns / unit.factor, Math.max(2, Math.floor(width / 62))).map(
    (tick) => tick * unit.factor,
  );
  return {
    axis: {
      type: "linear",
      domain: [low_ns, high_ns],
      ticks,
      format: (ns) =>
        `${digits(ns / unit.factor, 6)
          .replace(/(\.\d*?)0+$/, "$1")
          .replace(/\.$/, "")}\u00a0${unit.name}`,
    },
    title: unit.name,
  };
}

export interface CellOf<T> {
  title: string;
  items: T[];
}

/** Cells with a distribution, as many as can be looked at together. */
export function chosenCells<T extends { cell: number; arm: string }>(
  view: View,
  items: readonly T[],
  most = kCells,
): { cells: CellOf<T>[]; note: string | undefined } {
  const { shown, note } = boundedCells(view, selectedItems(view, items), most);
  return { cells: shown.map(({ items: of }) => ({ title: cellName(levelsOf(view, of[0]!), view.campaign.cells), items: of })), note };
}

export function binEnds(distribution: Distribution): [number, number] {
  const { low_ns, width_ns, counts } = distribution.bins;
  return [low_ns, low_ns + width_ns * counts.length];
}

/** The range that the bins of all arms cover. */
export function binRange(items: readonly Distribution[]): [number, number] {
  const ends = items.map(binEnds);
  const low = Math.min(...ends.map(([end]) => end));
  const high = Math.max(...ends.map(([, end]) => end));
  // All observations equal: something has to be drawn around them.
  return high > low ? [low, high] : [low * 0.99 - 1, high * 1.01 + 1];
}
