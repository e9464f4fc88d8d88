// Kernel densities of the observations, arms over each other.
import type { Figure } from "../../figure.ts";
import { duration } from "../../format.ts";
import { drawCurves } from "../kit/curves.ts";
import { binRange } from "../kit/observations.ts";

export const figure: Figure = {
  id: "density",
  section: "distribution",
  title: "Densities of the observations",
  read:
    "The curve is high where many calls took that long; the area below each curve is the same for all arms, whatever their number of observations. " +
    "A second hump that only one arm has is a second way in which its calls can go, and a long slope to the right is the tail, which the picture below shows enlarged.",
  draw: (view) =>
    drawCurves(view, {
      of: (d) => d.density.ns.map((ns, i) => ({ ns, value: d.density.per_ns[i] ?? 0 })),
      range: binRange,
      y: (curves) => ({
        type: "linear",
        domain: [0, 1.06 * Math.max(...curves.flat().map((vertex) => vertex.value), 1e-12)],
        ticks: [0],
        format: () => "",
      }),
      left: 16,
      // A density over log times, so that areas are what they should be.
      onLog: (vertex) => vertex.value * vertex.ns,
      curve: "linear",
      fill: true,
      yTitle: "density (each panel to its own highest curve)",
      column: "density (1/ns)",
      words: (arm, vertex) => `${arm}\nat ${duration(vertex.ns)}`,
      label: "Densities",
    }),
};
