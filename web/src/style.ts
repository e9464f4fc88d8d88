// How series look: each has a colour, a symbol and a dash, so that nothing is told by colour alone. Colours are Okabe and
// Ito's (safe for colour-blind readers), made darker on white and lighter on black until each has a contrast of 3 to 1.
//
// Figures use CSS variables ("var(--series-1)"), so that the theme and the print style need no redrawing; exported pictures
// get them resolved. What is drawn on a canvas asks for `resolve(colour)`.
import type { PageData } from "./data.ts";

import { levelNames } from "./sides.ts";

export * from "./format.ts";

export const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross", "hexagon"] as const;
export type SymbolName = (typeof SYMBOLS)[number];

export interface SeriesStyle {
  colour: string; // CSS: "var(--series-1)"
  symbol: SymbolName;
  dash: string; // stroke-dasharray; "": solid
}

export interface Theme {
  background: string;
  surface: string; // cards, panels
  text: string;
  muted: string; // axis labels, captions
  faint: string; // grid lines
  accent: string; // links, focus
  band: string; // min-effect, shaded stretches: behind marks
  warn: string; // failures, violated sizes; always with words or a pattern
  series: readonly string[];
}

export const LIGHT: Theme = {
  background: "#ffffff",
  surface: "#f5f6f7",
  text: "#1b1f24",
  muted: "#5b6570",
  faint: "#e3e6ea",
  accent: "#0b5cad",
  band: "#eaedf1",
  warn: "#b3261e",
  series: ["#0072b2", "#d55e00", "#007a5a", "#b3478a", "#8a6d00", "#2f95d1", "#5b5bd6", "#4f5963", "#7a2e12", "#4d7c0f", "#7b2d8b", "#0e6b74"],
};

export const DARK: Theme = {
  background: "#14171b",
  surface: "#1d2126",
  text: "#e9ecef",
  muted: "#a3adb8",
  faint: "#30363d",
  accent: "#7ab8f5",
  band: "#262b32",
  warn: "#ff8a80",
  series: ["#56b4e9", "#ff8c42", "#2fc79a", "#e58ec2", "#f0c24b", "#9ad0f5", "#a5a5ff", "#c3cad1", "#d9a184", "#b5d96b", "#d9a3ec", "#7fd6dd"],
};

const DASHES = ["", "7 3", "2 3", "9 3 2 3", "5 2 5 6", "1 4", "12 4", "3 3 9 3", "8 2 2 2 2 2", "4 4", "14 3 1 3", "6 2 1 2 1 2"];

export interface Style {
  dark: boolean;
  text: string; // these are CSS variables: "var(--text)"
  muted: string;
  faint: string;
  background: string;
  surface: string;
  accent: string;
  band: string;
  warn: string;
  font: string; // font family of figures
  /** The look of what is not an arm: the i-th of its kind. Kinds have looks of their own, so that none means two things on a page. */
  series(kind: SeriesKind, index: number): SeriesStyle;
  /** The look of an arm: the same in every figure, whatever is selected. */
  arm(label: string): SeriesStyle;
  /** The look of a level that is compared with others of its factor, by its name without the arm. */
  level(name: string): SeriesStyle;
  /** A CSS variable as the colour of the current theme ("#0072b2"); other colours as they are. */
  resolve(colour: string): string;
  /** Colour of a density in (0, 1], as "rgb(r, g, b)": from nearly the background to strong. For canvases and cells. */
  ramp(share: number): string;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif';

/** No two of the first 96 share colour and dash, or colour and symbol. */
export function seriesStyle(index: number): SeriesStyle {
  const colours = LIGHT.series.length;
  // As many dashes as colours: with every round of colours the dashes move on by one. Colours and eight symbols meet again after
  // two rounds: then symbols move on as well.
  const round = Math.floor(index / colours);
  return {
    colour: `var(--series-${(index % colours) + 1})`,
    symbol: SYMBOLS[(index + Math.floor(round / 2)) % SYMBOLS.length] as SymbolName,
    dash: DASHES[(index + round) % DASHES.length] as string,
  };
}

/** All arms of the page, in the order in which they come; two campaigns' `a@one` is arm `a@one`, not `a`. */
export function armLabels(page: PageData): string[] {
  const labels = new Set<string>();
  for (const campaign of page.campaigns) for (const arm of campaign.arms) labels.add(arm.label);
  for (const arm of page.reproduce?.arms ?? []) labels.add(arm.label);
  for (const arm of page.comparison?.arms ?? []) labels.add(arm.label);
  return [...labels];
}

/** What series may be, beside arms: `role` is a number of two or three that a figure shows (mean and median, local and global). */
export type SeriesKind = "level" | "regime" | "role" | "factor" | "table" | "sample" | "algorithm";

/** How many looks each kind needs on this page; algorithms come last and take the rest. */
function needed(page: PageData): [SeriesKind, number][] {
  const most = (of: (campaign: PageData["campaigns"][number]) => number): number => Math.max(0, ...page.campaigns.map(of));
  const factorsOf = (campaign: PageData["campaigns"][number]) => campaign.factors?.targets.flatMap((target) => target.factors) ?? [];
  return [
    ["level", Math.max(levelNames(page).length, most((campaign) => Math.max(0, ...factorsOf(campaign).map(({ levels }) => levels.length))))],
    ["regime", most((campaign) => campaign.regimes.length)],
    ["role", page.campaigns.length > 0 ? 3 : 0],
    ["factor", most((campaign) => new Set(factorsOf(campaign).map(({ factor }) => factor)).size)],
    ["table", most((campaign) => (campaign.self_test?.tables.length ?? 0) + (campaign.self_test?.cells.length ?? 0))],
    ["sample", most((campaign) => new Set(campaign.factors?.figures.quantiles.map(({ sample_size }) => sample_size)).size)],
    ["algorithm", Infinity],
  ];
}

/** Theme's colour variables, by name without "--". */
export function variables(theme: Theme): Record<string, string> {
  const { series, ...others } = theme;
  const all: Record<string, string> = { ...others };
  series.forEach((colour, i) => (all[`series-${i + 1}`] = colour));
  return all;
}

export function makeStyle(page: PageData, dark: boolean): Style {
  const theme = dark ? DARK : LIGHT;
  const values = variables(theme);
  const order = new Map(armLabels(page).map((label, i) => [label, i]));
  const starts = new Map<SeriesKind, number>();
  let next = order.size;
  for (const [kind, number] of needed(page)) {
    starts.set(kind, next);
    next += number;
  }
  const levels = levelNames(page);
  const series = (kind: SeriesKind, index: number): SeriesStyle => seriesStyle((starts.get(kind) ?? 0) + index);
  const channels = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const from = channels(theme.background);
  const to = channels(dark ? "#8fd0ff" : "#00477a");
  return {
    dark,
    text: "var(--text)",
    muted: "var(--muted)",
    faint: "var(--faint)",
    background: "var(--background)",
    surface: "var(--surface)",
    accent: "var(--accent)",
    band: "var(--band)",
    warn: "var(--warn)",
    font: FONT,
    series,
    level: (name) => series("level", Math.max(0, levels.indexOf(name))),
    arm: (label) => {
      let index = order.get(label);
      if (index === undefined) order.set(label, (index = order.size));
      return seriesStyle(index);
    },
    resolve: (colour) => values[/^var\(--(.+)\)$/.exec(colour)?.[1] ?? ""] ?? colour,
    ramp: (share) => {
      const t = 0.12 + 0.88 * Math.sqrt(Math.min(1, Math.max(0, share)));
      return `rgb(${from.map((c, i) => Math.round(c + ((to[i] as number) - c) * t)).join(", ")})`;
    },
  };
}
