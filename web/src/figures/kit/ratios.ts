// Ratios of two arms' times over sizes: shared by the figures of one campaign, of two campaigns, and of regimes.
import * as Plot from "@observablehq/plot";
import type { ComparedCell, Comparison } from "../../data.ts";
import type { Drawing, View } from "../../figure.ts";
import { bytes, interval, probability, ratio as ratioWords } from "../../format.ts";
import { cellLabel } from "../../select.ts";
import { pairName, selectedRows, sideName, sideStyle, SIGNS, winner } from "../../sides.ts";
import type { SeriesStyle } from "../../style.ts";
import { type Axis, chart, estimates, intervals, type Mark, tips } from "./chart.ts";
import { bounded, groupBy } from "./facets.ts";
import { type LegendEntry, type Panel, sheet } from "./sheet.ts";
import { sharedAxis, type SizeAxis } from "./sizes.ts";
import { levelColumns } from "./table.ts";
import { fitted, textWidth } from "./text.ts";
import { logDomain, percentTick, ratioTick, ratioTicks } from "./ticks.ts";

const kPanels = 12;
const kPanelsOfPairs = 24; // smaller ones

export type Measured = ComparedCell & { ratio: number };

export interface RatioSeries {
  label: string;
  of: (cell: ComparedCell) => boolean;
  style?: Pick<SeriesStyle, "colour" | "symbol">; // hollow: not decided; none: by verdict
}

export interface RatioPanel {
  key: string;
  title: string;
  pair: string; // "": all panels are of one
  cells: Measured[];
}

/** Cells that have a ratio, and that the selection leaves. */
export function selectedRatios(view: View, cells: readonly ComparedCell[]): Measured[] {
  return selectedRows(view.selection, view.campaign.compare, cells).filter(
    (cell): cell is Measured => cell.ratio !== null && cell.ratio > 0,
  );
}

/** One panel for each pair of arms and everything but the size; those of one operation follow one another. */
export function ratioPanels(cells: readonly Measured[], among: readonly ComparedCell[]): RatioPanel[] {
  const pairs = new Set(among.map(pairName));
  return [...groupBy(cells, (cell) => cellLabel(cell, among))].flatMap(([title, alike]) =>
    [...groupBy(alike, pairName)].map(([pair, of]) => ({ key: `${title}\n${pair}`, title, pair: pairs.size > 1 ? pair : "", cells: of })),
  );
}

/** Ends of the axis: all ratios and 1; an interval that is far longer than all others is cut off (and gets an arrow). */
export function ratioDomain(cells: readonly Measured[], min_effect: number): [number, number] {
  const ratios = cells.map((cell) => cell.ratio);
  const low = Math.min(...ratios, 1);
  const high = Math.max(...ratios, 1);
  const room = Math.max(1.1, (high / low) ** 0.6);
  const ends = cells.flatMap((cell) => [cell.ratio_low, cell.ratio_high]).filter((end): end is number => end !== null && end > 0);
  const kept = ends.map((end) => Math.min(high * room, Math.max(low / room, end)));
  const band = 1 + Math.max(min_effect, 0.01);
  return logDomain([low, high, ...kept, 1 / band, band], 0.13);
}

export function decided(cell: ComparedCell): boolean {
  return cell.verdict !== null && cell.verdict !== "undecided";
}

/** The look of rows without a verdict. */
const kNoVerdict = "–";

/** What is known: the mark of the faster side, or a sign that no series has. */
export function verdictMark(view: View, cell: ComparedCell): Mark {
  const side = winner(cell);
  if (side) {
    const { colour, symbol } = sideStyle(view.style, cell, side);
    return { colour, symbol };
  }
  const colour = cell.verdict === "fail" ? view.style.warn : decided(cell) ? view.style.text : view.style.muted;
  return { colour, sign: (cell.verdict && SIGNS[cell.verdict]) ?? kNoVerdict };
}

/** p of a test against a ratio of 1, which an equivalent cell did not need to pass; tests of launches correct nothing. */
export function printedP(cell: Pick<ComparedCell, "verdict" | "p_adjusted"> & Partial<Pick<ComparedCell, "p" | "asterisks">>): number | null {
  if (cell.verdict === "equivalent") return null;
  return cell.asterisks === undefined ? cell.p_adjusted : (cell.p ?? null);
}

/** The smallest difference that matters, as a share; 0 where the method knows none, because it tests against equal times. */
export function smallestThatMatters(view: View, compare: Comparison): number {
  if ((compare.method ?? "invar") !== "invar") return 0;
  return compare.min_effect ?? view.campaign.min_effect ?? 0;
}

/** Keys of marks by verdict: who is faster in some of `cells`, and the signs that stand for nobody. */
export function verdictLegend(view: View, cells: readonly ComparedCell[]): LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const cell of cells) {
    const side = winner(cell);
    const label = side ? `${sideName(cell, side)} is faster` : (cell.verdict ?? "no verdict");
    entries.set(label, { label, ...verdictMark(view, cell), bar: true });
  }
  const order = (entry: LegendEntry): number => (entry.sign ? 1 : 0);
  return [...entries.values()].sort((one, other) => order(one) - order(other));
}

function words(cell: Measured): string {
  const side = winner(cell);
  const p = printedP(cell);
  return [
    `${bytes(cell.size_bytes)}${cell.regime ? `, ${cell.regime}` : ""}`,
    `ratio ${ratioWords(cell.ratio)} [${interval(cell.ratio_low, cell.ratio_high, ratioWords)}]`,
    side ? `${sideName(cell, side)} is faster` : (cell.verdict ?? "no verdict"),
    `${p === null ? "" : `p ${probability(p)}${cell.asterisks ? ` ${cell.asterisks}` : ""}, `}${cell.launches} launches`,
  ].join("\n");
}

function legendOf(view: View, cells: readonly Measured[], series: readonly RatioSeries[], min_effect: number): LegendEntry[] {
  const { style } = view;
  const named = series.filter((one) => one.style);
  const [first] = named;
  const entries: LegendEntry[] = named.map((one) => ({
    label: one.label,
    colour: one.style!.colour,
    symbol: one.style!.symbol,
    bar: true,
  }));
  if (!first) entries.push(...verdictLegend(view, cells));
  else if (cells.some((cell) => !decided(cell))) {
    entries.push({ label: "hollow: not decided", colour: first.style!.colour, symbol: first.style!.symbol, hollow: true, bar: true });
  }
  if (min_effect > 0) {
    entries.push({ label: `does not matter (within ${percentTick(min_effect)})`, colour: style.muted, area: 0.18 });
  }
  return entries;
}

/** The corner that words cover fewer points in. */
export function freeCorner(
  cells: readonly Measured[],
  axis: SizeAxis,
  [low, high]: [number, number],
  end: "top" | "bottom",
): "top-left" | "top-right" | "bottom-left" | "bottom-right" {
  const middle = (axis.domain[0] + axis.domain[1]) / 2;
  const edge = end === "top" ? high * (low / high) ** 0.2 : low * (high / low) ** 0.2;
  const near = cells.filter((cell) =>
    end === "top" ? Math.max(cell.ratio, cell.ratio_high ?? 0) > edge : Math.min(cell.ratio, cell.ratio_low ?? Infinity) < edge,
  );
  const right = near.filter((cell) => axis.at(cell.size_bytes) > middle).length;
  return right > near.length - right ? `${end}-left` : `${end}-right`;
}

/** "↑ openmpi faster"; where that has no room the name alone, which says more than the word: the legend has it. */
export function arrowWords(arrow: string, name: string, width: number, font: string): string {
  const all = `${arrow} ${name} faster`;
  return textWidth(all, 11, font, 600) <= width ? all : fitted(`${arrow} ${name}`, width, 11, font, 600);
}

interface Drawn {
  axis: SizeAxis;
  y: [number, number];
  min_effect: number;
  series: readonly RatioSeries[];
  height: number;
}

function drawPanel(view: View, panel: RatioPanel, drawn: Drawn, width: number): SVGSVGElement {
  const { style } = view;
  const { axis, min_effect, series, height } = drawn;
  const left = 46;
  // Half of the last size's label stands beyond a narrow frame.
  const right = width < 220 ? 18 : 8;
  const inner = width - left - right;
  const y: Axis = { type: "log", domain: drawn.y, ticks: ratioTicks(...drawn.y, 8), format: ratioTick };
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(inner), format: (place) => axis.label(place) };
  const clamp = (value: number | null): number | null => (value === null ? null : Math.min(drawn.y[1], Math.max(drawn.y[0], value)));
  const at = { x: (d: Measured) => axis.at(d.size_bytes), y: (d: Measured) => d.ratio };
  const marks: Plot.Markish[] = [
    Plot.rect(min_effect > 0 ? [0] : [], {
      x1: axis.domain[0],
      x2: axis.domain[1],
      y1: 1 / (1 + min_effect),
      y2: 1 + min_effect,
      fill: style.muted,
      fillOpacity: 0.18,
    }),
    Plot.ruleY([1], { stroke: style.muted, strokeWidth: 1 }),
  ];
  const dodge = Math.min(9, (axis.step(inner) * 0.7) / series.length);
  series.forEach((one, i) => {
    const dx = (i - (series.length - 1) / 2) * dodge;
    const cells = panel.cells.filter(one.of);
    // One mark for each look: symbols and fills are constants of a mark.
    const lookOf = (cell: Measured): Mark => one.style ?? verdictMark(view, cell);
    const looks = groupBy(cells, (cell) => {
      const look = lookOf(cell);
      return `${look.colour} ${look.symbol} ${look.sign} ${decided(cell)}`;
    });
    const r = axis.sizes.length > 40 ? 2.5 : 4.5;
    for (const alike of looks.values()) {
      const look = lookOf(alike[0]!);
      marks.push(
        intervals(
          alike,
          { x: at.x, low: (d) => clamp(d.ratio_low), high: (d) => clamp(d.ratio_high) },
          { colour: look.colour, dx, width: r > 3 ? 1.75 : 1 },
        ),
        estimates(view, alike, at, { mark: look, hollow: !decided(alike[0]!), r, dx }),
        Plot.text(
          alike.filter((d) => d.asterisks),
          { x: at.x, y: (d: Measured) => clamp(d.ratio_high ?? d.ratio), text: "asterisks", dx, dy: -9, fill: look.colour, fontSize: 12 },
        ),
      );
      for (const [end, arrow, dy] of [
        [drawn.y[1], "↑", -5],
        [drawn.y[0], "↓", 6],
      ] as const) {
        const beyond = alike.filter((d) => (dy < 0 ? (d.ratio_high ?? 0) > end : (d.ratio_low ?? Infinity) < end));
        marks.push(Plot.text(beyond, { x: at.x, y: end, text: () => arrow, dy, dx, fill: look.colour, fontSize: 12 }));
      }
    }
  });
  const [some] = panel.cells;
  const named = (arrow: string, side: "a" | "b"): string => arrowWords(arrow, sideName(some!, side), inner, style.font);
  const halo = { stroke: style.background, strokeWidth: 4, fontSize: 11, fontWeight: 600 } as const;
  marks.push(
    Plot.text(["a"] as const, {
      frameAnchor: freeCorner(panel.cells, axis, drawn.y, "top"),
      text: (side: "a") => named("↑", side),
      fill: sideStyle(style, some!, "a").colour,
      dy: 2,
      ...halo,
    }),
    Plot.text(["b"] as const, {
      frameAnchor: freeCorner(panel.cells, axis, drawn.y, "bottom"),
      text: (side: "b") => named("↓", side),
      fill: sideStyle(style, some!, "b").colour,
      dy: -3,
      ...halo,
    }),
    tips(view, panel.cells, { ...at, text: words }),
  );
  return chart(view, { width, height, left, right, x, y, marks });
}

export function drawRatios(
  view: View,
  cells: readonly Measured[],
  among: readonly ComparedCell[],
  min_effect: number,
  series: readonly RatioSeries[],
): Drawing | null {
  if (cells.length === 0) return null;
  const all = ratioPanels(cells, among);
  const several = all.some((panel) => panel.pair !== "");
  const { shown, note } = bounded(all, several ? kPanelsOfPairs : kPanels, "panels", "operation, ranks, libraries or levels of factors");
  const visible = shown.flatMap((panel) => panel.cells);
  // Panels of one operation stand in a row and share an axis: one pair far away does not flatten those of other operations.
  const axisKey = (panel: RatioPanel): string => (several ? panel.title : "");
  const domains = new Map(
    [...groupBy(shown, axisKey)].map(([key, of]) => [
      key,
      ratioDomain(
        of.flatMap((panel) => panel.cells),
        min_effect,
      ),
    ]),
  );
  const sizesOf = (panel: RatioPanel) => panel.cells.map((cell) => cell.size_bytes);
  const axisOf = sharedAxis(shown.map(sizesOf));
  const pairs = new Set(shown.map((panel) => pairName(panel.cells[0]!)));
  const [first] = visible;
  const title =
    pairs.size === 1 ? `time of ${sideName(first!, "b")} / time of ${sideName(first!, "a")}` : "time of the other one / time of the reference";
  const panels: Panel[] = shown.map((panel) => {
    const y = domains.get(axisKey(panel))!;
    const drawn: Drawn = { axis: axisOf(sizesOf(panel)), y, min_effect, series, height: shown.length === 1 ? 320 : several ? 200 : 230 };
    return {
      ...(several ? { row: panel.title } : {}),
      title: panel.title,
      subtitle: panel.pair,
      draw: (width) => drawPanel(view, panel, drawn, width),
    };
  });
  const columns = levelColumns(among);
  const levels = visible.some((cell) => cell.in_arm);
  const count = visible.filter(decided).length;
  return {
    element: sheet(view, {
      label: `Ratios of times over message sizes, ${shown.length} panels`,
      legend: legendOf(view, visible, series, min_effect),
      yTitle: `${title}, with interval (logarithmic)`,
      xTitle: "message size (logarithmic)",
      panels,
      least: several ? 165 : 290,
      columns: several ? 5 : 3,
    }),
    table: {
      columns: [
        ...columns.columns,
        "regime",
        ...(levels ? ["in arm"] : []),
        "arm A",
        "arm B",
        "ratio B/A",
        "low",
        "high",
        "verdict on A",
        "p adjusted",
        "launches",
        "look",
      ],
      rows: visible.map((cell) => [
        ...columns.of(cell),
        cell.regime,
        ...(levels ? [cell.in_arm ?? null] : []),
        sideName(cell, "a"),
        sideName(cell, "b"),
        cell.ratio,
        cell.ratio_low,
        cell.ratio_high,
        cell.verdict,
        printedP(cell),
        cell.launches,
        cell.look,
      ]),
    },
    summary: `${visible.length} ratios, ${count} of them decided.`,
    note,
  };
}
