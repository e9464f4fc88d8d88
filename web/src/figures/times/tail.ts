// The slowest calls: what the other views of the distribution cannot show.
import type { Figure } from "../../figure.ts";
import { duration, share } from "../../format.ts";
import { drawCurves } from "../kit/curves.ts";
import { logDomain, logTicks, percentTick } from "../kit/ticks.ts";

export const figure: Figure = {
  id: "tail",
  section: "distribution",
  title: "Tails of the distributions",
  read:
    "The curve says which share of the calls took longer than that, down to a single one of them; both axes are logarithmic, so that one call in a thousand is as easy to see as one in ten. " +
    "A curve that falls steeply has no tail, a straight slope has rare calls of every length, and a step far to the right is what happens now and then, such as an interrupt.",
  draw: (view) =>
    drawCurves(view, {
      of: (d) => d.tail.ns.map((ns, i) => ({ ns, value: d.tail.beyond[i] ?? 0 })),
      range: (items) =>
        logDomain(
          items.flatMap((item) => item.tail.ns),
          0.03,
        ),
      logTime: true,
      y: (curves) => {
        const least = Math.min(
          1,
          ...curves
            .flat()
            .map((vertex) => vertex.value)
            .filter((value) => value > 0),
        );
        const domain: [number, number] = [Math.min(least, 0.5), 1];
        return { type: "log", domain, ticks: logTicks(...domain, 6), format: percentTick };
      },
      left: 54,
      curve: "step-after",
      fill: false,
      yTitle: "share of observations beyond that time (logarithmic)",
      column: "share beyond",
      words: (arm, vertex) => `${arm}\n${share(vertex.value)} took longer than ${duration(vertex.ns)}`,
      label: "Tails",
    }),
};
