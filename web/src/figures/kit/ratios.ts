// Ratios of two arms' times over sizes: shared by the figures of one campaign, of two campaigns, and of regimes.
import * as Plot from "@observablehq/plot";
import type { ComparedCell } from "../../data.ts";
import type { Drawing, View } from "../../figure.ts";
import { bytes, interval, probability, ratio as ratioWords } from "../../format.ts";
import { cellLabel, hasArm, hasLevels } from "../../select.ts";
import type { SeriesStyle } from "../../style.ts";
import { type Axis, chart, intervals, points, tips } from "./chart.ts";
import { bounded, groupBy } from "./facets.ts";
import { type LegendEntry, type Panel, sheet } from "./sheet.ts";
import { sharedAxis, type SizeAxis } from "./sizes.ts";
import { levelColumns } from "./table.ts";
import { fitted } from "./text.ts";
import { logDomain, percentTick, ratioTick, ratioTicks } from "./ticks.ts";

const kPanels = 12;

export type Measured = ComparedCell & { ratio: number };

export interface RatioSeries {
  label: string;
  of: (cell: ComparedCell) => boolean;
  style?: Pick<SeriesStyle, "colour" | "symbol">; // none: by verdict
}

export interface RatioPanel {
  key: string;
  title: string;
  pair: string;
  arm_a: string;
  arm_b: string;
  cells: Measured[];
}

/** Cells that have a ratio, and that the selection leaves. */
export function selectedRatios(view: View, cells: readonly ComparedCell[]): Measured[] {
  const { selection } = view;
  return cells.filter(
    (cell): cell is Measured =>
      cell.ratio !== null && cell.ratio > 0 && hasLevels(selection, cell) && hasArm(selection, cell.arm_a) && hasArm(selection, cell.arm_b),
  );
}

/** One panel for each pair of arms and everything but the size. */
export function ratioPanels(cells: readonly Measured[], among: readonly ComparedCell[]): RatioPanel[] {
  const groups = groupBy(cells, (cell) => `${cellLabel(cell, among)}\n${cell.arm_b}\n${cell.arm_a}`);
  const pairs = new Set(among.map((cell) => `${cell.arm_b}\n${cell.arm_a}`));
  return [...groups].map(([key, of]) => {
    const { arm_a, arm_b } = of[0]!;
    return { key, title: cellLabel(of[0]!, among), pair: pairs.size > 1 ? `${arm_b} / ${arm_a}` : "", arm_a, arm_b, cells: of };
  });
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

/** Symbol and colour of what is known: the faster arm's, or neutral ones. */
export function verdictStyle(view: View, cell: ComparedCell): Pick<SeriesStyle, "colour" | "symbol"> {
  if (cell.verdict === "faster") return view.style.arm(cell.arm_a);
  if (cell.verdict === "slower") return view.style.arm(cell.arm_b);
  return {
    colour: cell.verdict === "equivalent" ? view.style.text : view.style.muted,
    symbol: cell.verdict === "equivalent" ? "diamond" : "circle",
  };
}

function words(cell: Measured): string {
  const verdict =
    cell.verdict === "faster"
      ? `${cell.arm_a} is faster`
      : cell.verdict === "slower"
        ? `${cell.arm_b} is faster`
        : (cell.verdict ?? "no verdict");
  return [
    `${bytes(cell.size_bytes)}${cell.regime ? `, ${cell.regime}` : ""}`,
    `ratio ${ratioWords(cell.ratio)} [${interval(cell.ratio_low, cell.ratio_high, ratioWords)}]`,
    verdict,
    `p ${probability(cell.p_adjusted)}, ${cell.launches} launches`,
  ].join("\n");
}

function legendOf(view: View, cells: readonly Measured[], series: readonly RatioSeries[], min_effect: number): LegendEntry[] {
  const { style } = view;
  const entries: LegendEntry[] = [];
  const named = series.filter((one) => one.style);
  for (const one of named) entries.push({ label: one.label, colour: one.style!.colour, symbol: one.style!.symbol, bar: true });
  if (named.length === 0) {
    for (const arm of new Set(
      cells.flatMap((cell) => (cell.verdict === "faster" ? [cell.arm_a] : cell.verdict === "slower" ? [cell.arm_b] : [])),
    )) {
      const { colour, symbol } = style.arm(arm);
      entries.push({ label: `${arm} is faster`, colour, symbol, bar: true });
    }
    if (cells.some((cell) => cell.verdict === "equivalent")) {
      entries.push({ label: "equivalent", colour: style.text, symbol: "diamond", bar: true });
    }
  }
  if (cells.some((cell) => !decided(cell))) {
    const words = cells.some((cell) => cell.verdict === "undecided") ? "undecided" : "no verdict";
    entries.push({ label: named.length > 0 ? `hollow: ${words}` : words, colour: style.muted, symbol: "circle", hollow: true, bar: true });
  }
  entries.push({ label: `does not matter (within ${percentTick(min_effect)})`, colour: style.muted, area: 0.18 });
  return entries;
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
  const inner = width - left - 8;
  const y: Axis = { type: "log", domain: drawn.y, ticks: ratioTicks(...drawn.y, 8), format: ratioTick };
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(inner), format: (place) => axis.label(place) };
  const clamp = (value: number | null): number | null => (value === null ? null : Math.min(drawn.y[1], Math.max(drawn.y[0], value)));
  const at = { x: (d: Measured) => axis.at(d.size_bytes), y: (d: Measured) => d.ratio };
  const marks: Plot.Markish[] = [
    Plot.rect([0], {
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
    const looks = groupBy(cells, (cell) => {
      const look = one.style ?? verdictStyle(view, cell);
      return `${look.colour} ${look.symbol} ${decided(cell)}`;
    });
    const r = axis.sizes.length > 40 ? 2.5 : 4.5;
    for (const alike of looks.values()) {
      const look = one.style ?? verdictStyle(view, alike[0]!);
      marks.push(
        intervals(
          alike,
          { x: at.x, low: (d) => clamp(d.ratio_low), high: (d) => clamp(d.ratio_high) },
          { colour: look.colour, dx, width: r > 3 ? 1.75 : 1 },
        ),
        points(view, alike, at, { series: look, hollow: !decided(alike[0]!), r, dx }),
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
  const named = (arrow: string, arm: string): string => fitted(`${arrow} ${arm} faster`, inner, 11, style.font, 600);
  const halo = { stroke: style.background, strokeWidth: 4, fontSize: 11, fontWeight: 600 } as const;
  marks.push(
    Plot.text([panel.arm_a], {
      frameAnchor: "top-right",
      text: (d: string) => named("↑", d),
      fill: style.arm(panel.arm_a).colour,
      dy: 2,
      ...halo,
    }),
    Plot.text([panel.arm_b], {
      frameAnchor: "bottom-right",
      text: (d: string) => named("↓", d),
      fill: style.arm(panel.arm_b).colour,
      dy: -3,
      ...halo,
    }),
    tips(view, panel.cells, { ...at, text: words }),
  );
  return chart(view, { width, height, left, right: 8, x, y, marks });
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
  const { shown, note } = bounded(all, kPanels, "panels", "operation, ranks, libraries or levels of factors");
  const visible = shown.flatMap((panel) => panel.cells);
  const y = ratioDomain(visible, min_effect);
  const sizesOf = (panel: RatioPanel) => panel.cells.map((cell) => cell.size_bytes);
  const axisOf = sharedAxis(shown.map(sizesOf));
  const pairs = new Set(shown.map((panel) => `${panel.arm_b}\n${panel.arm_a}`));
  const [first] = shown;
  const title = pairs.size === 1 ? `time of ${first!.arm_b} / time of ${first!.arm_a}` : "time of the other arm / time of the reference";
  const panels: Panel[] = shown.map((panel) => {
    const drawn: Drawn = { axis: axisOf(sizesOf(panel)), y, min_effect, series, height: shown.length === 1 ? 320 : 230 };
    return { title: panel.title, subtitle: panel.pair, draw: (width) => drawPanel(view, panel, drawn, width) };
  });
  const columns = levelColumns(among);
  const count = visible.filter(decided).length;
  return {
    element: sheet(view, {
      label: `Ratios of times over message sizes, ${shown.length} panels`,
      legend: legendOf(view, visible, series, min_effect),
      yTitle: `${title}, with interval (logarithmic)`,
      xTitle: "message size (logarithmic)",
      panels,
      least: 290,
      columns: 3,
    }),
    table: {
      columns: [
        ...columns.columns,
        "regime",
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
        cell.arm_a,
        cell.arm_b,
        cell.ratio,
        cell.ratio_low,
        cell.ratio_high,
        cell.verdict,
        cell.p_adjusted,
        cell.launches,
        cell.look,
      ]),
    },
    summary: `${visible.length} ratios, ${count} of them decided.`,
    note,
  };
}
