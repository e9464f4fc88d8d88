// What a figure is. A new one is one file in figures/ and one line in figures/index.ts (docs/page.md).
import type { Campaign, PageData } from "./data.ts";
import type { Style } from "./style.ts";

export type Value = string | number | null;

/** The data behind a figure, in plain units: numbers as numbers, the unit in the column's name. */
export interface Table {
  columns: string[];
  rows: Value[][];
}

export interface Drawing {
  element: SVGElement | HTMLElement;
  table: Table;
  summary?: string; // one line for screen readers: what the figure shows
  note?: string; // stands under the figure: what was left out, and how to see it
}

/** What of a campaign is looked at. null: everything. The page keeps it in the URL's fragment. */
export interface Selection {
  campaign: number; // index into PageData.campaigns
  operations: string[] | null;
  sizes: string[] | null; // bytes as text; "none" for operations without a size
  ranks: string[] | null;
  arms: string[] | null; // labels
  levels: Record<string, string[]>; // factor -> levels as text; a factor that is not here: all
}

export interface View {
  page: PageData;
  campaign: Campaign;
  selection: Selection;
  width: number; // px that the figure has; 320 on a narrow screen
  style: Style;
}

/** A section that a figure brings with it. Others may stand there too: they name its id. */
export interface OwnSection {
  id: string; // in the fragment, and no figure's
  title: string;
  short: string;
  before: SectionId;
}

export interface Figure {
  id: string; // in the fragment: letters, digits and "-"
  section: SectionId | OwnSection | { id: string };
  title: string;
  read: string; // how to read it, in two sentences
  question?: string; // whose answer it draws: the answer's sentence stands at the head of the section
  also?: string[]; // further questions whose answer it draws, where there is one
  /** null: there is no data for it, and it is left out. */
  draw(view: View): Drawing | null;
}

/** Sections that every page has, in its order. */
export const SECTIONS = [
  { id: "answer", title: "The answer", short: "Answer" },
  { id: "ratio", title: "How large is the difference?", short: "Ratio" },
  { id: "launches", title: "How much do launches differ?", short: "Launches" },
  { id: "times", title: "How long does a call take?", short: "Times" },
  { id: "distribution", title: "How do single observations spread?", short: "Distribution" },
  { id: "order", title: "What happened while it was measured?", short: "Order" },
  { id: "regimes", title: "Did the machine itself change?", short: "Regimes" },
  { id: "reproducibility", title: "Would it come out the same again?", short: "Reproducibility" },
  { id: "clocks", title: "How good are the clocks?", short: "Clocks" },
  { id: "factors", title: "Which factors matter?", short: "Factors" },
  { id: "normality", title: "Are means normally distributed?", short: "Normality" },
  { id: "self-test", title: "Which differences would be found?", short: "Self-test" },
  { id: "machine", title: "Machine and metadata", short: "Machine" },
  { id: "method", title: "How it was measured", short: "Method" },
] as const;

export type SectionId = (typeof SECTIONS)[number]["id"];

export interface Section {
  id: string;
  title: string;
  short: string;
}

export const sectionOf = ({ section }: Figure): string => (typeof section === "string" ? section : section.id);

/** Where it stands on the page of these campaigns: what draws the answer that one of them was made for is the answer. */
export function placeOf(figure: Figure, campaigns: readonly Pick<Campaign, "question">[]): string {
  const questions = [...(figure.question === undefined ? [] : [figure.question]), ...(figure.also ?? [])];
  return campaigns.some(({ question }) => questions.includes(question)) ? SECTIONS[0].id : sectionOf(figure);
}

/** All sections in the order of the page: those of figures stand before the ones that they name, in the figures' order. */
export function sectionsOf(figures: Figure[]): Section[] {
  const own = figures.flatMap(({ section }) => (typeof section === "object" && "before" in section ? [section] : []));
  return SECTIONS.flatMap((section) => [...own.filter(({ before }) => before === section.id), section]);
}
