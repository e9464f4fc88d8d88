// How many observations a mean needs to be normally distributed (paper 000, figure 2).
import type { Factors } from "../../data.ts";
import type { Figure, View } from "../../figure.ts";
import { duration, timeUnit } from "../../format.ts";
import { groupBy } from "../kit/facets.ts";
import { boundedTargets, targetsOf } from "../kit/factors.ts";
import { lines, named } from "../kit/lines.ts";
import { sheet } from "../kit/sheet.ts";
import { linearDomain, linearTicks } from "../kit/ticks.ts";

const kPanels = 9;

type Pair = Factors["figures"]["quantiles"][number];

function seriesOf(view: View, pairs: readonly Pair[]) {
  return [...groupBy(pairs, (pair) => pair.sample_size)].map(([size, own], i) => ({
    name: `of ${size}`,
    style: { ...view.style.series("sample", i), dash: "" },
    r: 1.5,
    vertices: own.map((pair) => ({ x: pair.normal, y: pair.mean_ns, text: `means of ${size}\n${duration(pair.mean_ns, 4)}` })),
  }));
}

export const figure: Figure = {
  id: "factor-quantiles",
  section: "factors",
  title: "Means of more and more observations",
  read:
    "Each line has the means of samples of that many observations against the quantiles of a normal distribution; a straight line is a normal distribution, and the flatter it is, the less such means vary. " +
    "A line that still bends at its right end belongs to a sample that is too small for intervals that rest on a normal distribution of its mean.",
  draw(view) {
    const data = view.campaign.factors;
    if (!data) return null;
    const all = targetsOf(view, data)
      .map((target) => ({ target, pairs: data.figures.quantiles.filter((pair) => pair.target === target.index) }))
      .filter((one) => one.pairs.length > 0);
    if (all.length === 0) return null;
    const { shown, note } = boundedTargets(all, kPanels);
    return {
      element: sheet(view, {
        label: "Quantiles of means of samples against normal ones",
        legend: seriesOf(view, shown[0]!.pairs).map((one) => ({
          label: `means ${one.name}`,
          colour: one.style.colour,
          symbol: one.style.symbol,
          dash: one.style.dash,
        })),
        yTitle: "mean of a sample",
        xTitle: "quantile of the normal distribution, in standard deviations",
        panels: shown.map((one) => {
          const domain = linearDomain(
            one.pairs.map((pair) => pair.mean_ns),
            0.05,
          );
          const x = linearDomain(
            one.pairs.map((pair) => pair.normal),
            0.05,
          );
          const unit = timeUnit(domain[1]);
          return {
            title: one.target.name,
            draw: (width) =>
              lines(view, {
                width,
                height: 240,
                left: 62,
                most: named(width) ? 0.25 : 0,
                x: { type: "linear", domain: x, ticks: linearTicks(...x, 6), format: (value) => String(value).replace("-", "−") },
                y: {
                  type: "linear",
                  domain,
                  ticks: linearTicks(domain[0] / unit.factor, domain[1] / unit.factor, 6).map((tick) => tick * unit.factor),
                  format: (ns) => `${Number((ns / unit.factor).toPrecision(6))}\u00a0${unit.name}`,
                },
                series: seriesOf(view, one.pairs),
              }),
          };
        }),
        least: 290,
        columns: 3,
      }),
      table: {
        columns: ["operation", "size (B)", "sample size", "normal quantile", "mean (ns)"],
        rows: shown.flatMap((one) =>
          one.pairs.map((d) => [one.target.operation, one.target.size_bytes, d.sample_size, d.normal, d.mean_ns]),
        ),
      },
      summary: `Sample sizes ${[...new Set(shown.flatMap((one) => one.pairs.map((pair) => pair.sample_size)))].join(", ")}.`,
      note,
    };
  },
};
