// Which share of the calls was done after how long.
import type { Figure } from "../../figure.ts";
import { duration, share } from "../../format.ts";
import { drawCurves } from "../kit/curves.ts";
import { binRange } from "../kit/observations.ts";
import { percentTick } from "../kit/ticks.ts";

export const figure: Figure = {
  id: "ecdf",
  section: "distribution",
  title: "Cumulative distributions",
  read:
    "The curve says which share of the calls took at most that long: it crosses 50 % at the median, and the steeper it is, the more alike the calls were. " +
    "A curve that lies to the left of another at every height is faster in every respect; curves that cross are faster for some calls and slower for others.",
  draw: (view) =>
    drawCurves(view, {
      of: (d) => d.ecdf.ns.map((ns, i) => ({ ns, value: d.ecdf.share[i] ?? 0 })),
      range: binRange,
      y: () => ({ type: "linear", domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: percentTick }),
      left: 42,
      curve: "step-after",
      fill: false,
      yTitle: "share of observations up to that time",
      column: "share of observations",
      words: (arm, vertex) => `${arm}\n${share(vertex.value)} took up to ${duration(vertex.ns)}`,
      label: "Cumulative distributions",
    }),
};
