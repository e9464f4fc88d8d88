// The machine's regimes, as its canary shows them.
import * as Plot from "@observablehq/plot";
import type { Regime } from "../../data.ts";
import type { Figure } from "../../figure.ts";
import { count, duration, durationTick, plural, share } from "../../format.ts";
import { type Axis, chart } from "../kit/chart.ts";
import { joinNotes } from "../kit/facets.ts";
import { type LegendEntry, sheet } from "../kit/sheet.ts";
import { linearTicks, logTicks } from "../kit/ticks.ts";

interface Bin {
  low: number;
  high: number;
  count: number;
}

export function regimeLabel(regime: Regime): string {
  return `${share(regime.share)} of the visits\nmedian ${duration(regime.median_ns)}`;
}

/**
 * Bins that have a width: rounded edges of narrow bins may be equal, and what such a bin counts goes to the next one (the last
 * one's to the one before). Where all edges are equal, one bin around them.
 */
export function canaryBins(edges_ns: readonly number[], counts: readonly number[]): Bin[] {
  const bins: Bin[] = [];
  let waiting = 0;
  counts.forEach((number, i) => {
    const low = edges_ns[i] ?? 0;
    const high = edges_ns[i + 1] ?? 0;
    if (high > low) {
      bins.push({ low, high, count: waiting + number });
      waiting = 0;
    } else waiting += number;
  });
  if (waiting === 0) return bins;
  const last = bins.at(-1);
  if (last) last.count += waiting;
  else bins.push({ low: edges_ns[0]! * 0.995, high: edges_ns[0]! * 1.005, count: waiting });
  return bins;
}

/**
 * What is drawn: all regimes, and all bins that are high enough to be seen. `above`: the share of the canaries beyond, which
 * may reach a thousand times as far.
 */
export function canaryRange(bins: readonly Bin[], regimes: readonly Regime[]): { low: number; high: number; above: number } {
  // By density: the last bin holds all that is far away and may be very wide.
  const height = (bin: Bin): number => (bin.high <= bin.low ? 0 : bin.count / Math.log(bin.high / bin.low));
  const most = Math.max(...bins.map(height));
  const seen = bins.filter((bin) => bin.count > 0 && height(bin) >= most * 0.004);
  const low = Math.min(...seen.map((bin) => bin.low), ...regimes.map((regime) => regime.low_ns));
  const high = Math.max(...seen.map((bin) => bin.high), ...regimes.map((regime) => regime.high_ns));
  const all = bins.reduce((sum, bin) => sum + bin.count, 0);
  const above = bins.filter((bin) => bin.low >= high).reduce((sum, bin) => sum + bin.count, 0);
  const margin = (high - low) * 0.03;
  return { low: low - margin, high: high + margin, above: above / all };
}

/** What is drawn where it is not the usual canary. */
export function kindNote(kind: "across" | "chain" | undefined): string | undefined {
  if (kind === "chain") return "Here it is a chain of multiplications on one core, which follows the core's clock.";
  if (kind === "across") return "Here it is the round trip of a cache line between two sockets.";
  return undefined;
}

export const figure: Figure = {
  id: "canary",
  section: "regimes",
  title: "Canary: the speed of the machine itself",
  read:
    "Bars count how long the canary took, the round trip of a cache line between two ranks without MPI, measured at every visit; shaded ranges are the regimes, each a state that the machine stays in for a while. " +
    "One hill is a machine that always has the same speed; with several of them, comparing what was measured in different ones compares machines.",
  draw(view) {
    const { campaign, style } = view;
    const histogram = campaign.canary?.histogram;
    if (!histogram || histogram.counts.every((number) => number === 0)) return null;
    const bins = canaryBins(histogram.edges_ns, histogram.counts);
    const most = Math.max(...bins.map((bin) => bin.count));
    const { low, high, above } = canaryRange(bins, campaign.regimes);
    const shown = bins.filter((bin) => bin.high > low && bin.low < high);
    const log = low > 0 && high / low > 3;
    const legend: LegendEntry[] = [{ label: "canaries", colour: style.muted, area: 0.7 }];
    campaign.regimes.forEach((regime, i) => {
      const { colour, symbol } = style.series("regime", i);
      legend.push({ label: `${regime.name}, ${share(regime.share)} of the visits`, colour, symbol, area: 0.15 });
    });
    return {
      element: sheet(view, {
        label: `Histogram of the canary with ${plural(campaign.regimes.length, "regime")}`,
        legend,
        yTitle: "visits",
        xTitle: `time of the canary${log ? " (logarithmic)" : ""}`,
        panels: [
          {
            draw: (width) => {
              const x: Axis = {
                type: log ? "log" : "linear",
                domain: [low, high],
                ticks: logTicks(low, high, Math.max(3, Math.floor(width / 80))),
                format: durationTick,
              };
              const y: Axis = {
                type: "linear",
                domain: [0, most * 1.12],
                ticks: linearTicks(0, most, 4).filter(Number.isInteger),
                format: (number) => count(number),
              };
              const marks: Plot.Markish[] = [];
              campaign.regimes.forEach((regime, i) => {
                const look = style.series("regime", i);
                marks.push(
                  Plot.rect([regime], { x1: "low_ns", x2: "high_ns", y1: 0, y2: most * 1.12, fill: look.colour, fillOpacity: 0.15 }),
                  Plot.ruleX([regime], {
                    x: "median_ns",
                    y1: 0,
                    y2: most * 1.12,
                    stroke: look.colour,
                    strokeWidth: 1.5,
                    strokeDasharray: "4 3",
                  }),
                );
              });
              marks.push(
                Plot.rect(shown, { x1: "low", x2: "high", y1: 0, y2: "count", fill: style.muted, fillOpacity: 0.75, insetRight: 0.5 }),
              );
              campaign.regimes.forEach((regime, i) => {
                const look = style.series("regime", i);
                marks.push(
                  Plot.dot([regime], { x: "median_ns", y: most * 1.06, symbol: look.symbol, r: 5, fill: look.colour }),
                  Plot.tip([regime], {
                    ...Plot.pointer({ x: "median_ns", y: most * 1.06 }),
                    title: () => `${regime.name}\n${regimeLabel(regime)}`,
                    fill: style.surface,
                    stroke: style.muted,
                    fontSize: 12,
                  }),
                );
              });
              marks.push(
                Plot.ruleY([0], { stroke: style.muted }),
                Plot.tip(shown, {
                  ...Plot.pointerX({ x: (d: Bin) => (d.low + d.high) / 2, y: "count" }),
                  title: (d: Bin) => `${duration(d.low)} to ${duration(d.high)}\n${plural(d.count, "visit")}`,
                  fill: style.surface,
                  stroke: style.muted,
                  fontSize: 12,
                }),
              );
              return chart(view, { width, height: 230, left: 46, right: 22, x, y, marks });
            },
          },
        ],
        columns: 1,
      }),
      table: { columns: ["from (ns)", "to (ns)", "visits"], rows: bins.map((bin) => [bin.low, bin.high, bin.count]) },
      summary:
        campaign.regimes.length > 0
          ? `${plural(campaign.regimes.length, "regime")}: ${campaign.regimes.map((regime) => `${regime.name} (${share(regime.share)})`).join(", ")}.`
          : "No regimes.",
      note: joinNotes(
        kindNote(campaign.canary?.kind),
        above > 0 ? `${share(above)} of the canaries took longer than what is drawn; the table has them.` : undefined,
        campaign.compare?.regimes_missing ? `No regimes: ${campaign.compare.regimes_missing}` : undefined,
      ),
    };
  },
};
