// The page: reads its data once, puts up header, sections and filters, and draws the figures as they are needed.
import type { Campaign, PageData } from "./data.ts";
import { append, h } from "./dom.ts";
import { placeOf, sectionsOf, type Selection, type View } from "./figure.ts";
import { figures } from "./figures/index.ts";
import { FilterBar, selectionText } from "./filters.ts";
import { Frame } from "./frame.ts";
import { Schedule } from "./schedule.ts";
import { fromFragment, toFragment } from "./select.ts";
import { makeStyle } from "./style.ts";
import { headline, sectionTexts } from "./texts.ts";
import { isDark, isPrinting, themeButton, watchTheme } from "./theme.ts";

/** A longer answer is set smaller, or it would fill the screen. */
const LONG_SENTENCE = 150;

/** Width of figures on paper, in px: A4 without its margins. */
const PAPER_WIDTH = 680;

const NO_CAMPAIGN: Campaign = {
  name: "", state: "empty", problems: [], question: "", sentence: "", scope: "", arms: [], cells: [], failures: [], compare: null,
  compare_missing: null, times: [], launch_medians: [], distributions: [], order: [], canary: null, regimes: [],
  perturbations: [], normality: [], runtime: null, alpha: null, min_effect: null, factors: null, self_test: null,
  answers: [],
};

interface Section {
  id: string;
  element: HTMLElement;
  texts: HTMLElement;
  link: HTMLAnchorElement;
  frames: Frame[];
}

class Page {
  private readonly data: PageData;
  private readonly sections: Section[] = [];
  private readonly schedule = new Schedule(() => this.showSections());
  private readonly filters: FilterBar;
  private readonly content = h("main", { id: "content", tabindex: -1 });
  private readonly railState = h("span", { class: "rail-state" });
  private selection: Selection;
  private target: string;

  constructor(data: PageData, root: HTMLElement) {
    this.data = data;
    ({ selection: this.selection, target: this.target } = fromFragment(location.hash, data.campaigns));
    document.title = data.title ? `${data.title} – Invar` : "Invar report";
    this.filters = new FilterBar(data, (selection) => this.select(selection));
    for (const { id, title, short } of sectionsOf(figures)) this.addSection(id, title, short);
    root.append(
      h("a", { class: "skip", href: "#content", onclick: (event) => this.skip(event) }, "Skip to the content"),
      this.header(),
      h("div", { class: "columns" }, this.rail(), this.content),
      this.footer(),
    );
    this.showCampaign();
    for (const { frames } of this.sections) {
      for (const frame of frames) {
        this.schedule.add({ element: frame.element, waits: true, run: () => frame.draw(this.view()) });
      }
    }
    this.goTo();
    this.watch();
  }

  private addSection(id: string, title: string, short: string): void {
    const frames = figures
      .filter((figure) => placeOf(figure, this.data.campaigns) === id)
      .map((figure) => new Frame(figure, (target) => `#${toFragment(this.selection, target)}`));
    const texts = h("div", { class: "texts" });
    const element = h(
      "section",
      { id, "aria-labelledby": `${id}-title` },
      h("h2", { id: `${id}-title`, tabindex: -1 }, title),
      // An answer that is drawn stands above all that is to be said of it.
      ...(id === "answer" ? [...frames.map((frame) => frame.element), texts] : [texts, ...frames.map((frame) => frame.element)]),
    );
    const link = h("a", { href: `#${id}` }, short);
    this.sections.push({ id, element, texts, link, frames });
    this.content.append(element);
  }

  private header(): HTMLElement {
    const { data } = this;
    const cards = data.cards.map(({ label, value, detail }) =>
      h("div", { class: "card" }, h("dt", {}, label), h("dd", { class: "value" }, value), h("dd", { class: "detail" }, detail)),
    );
    const { answer, more } = headline(data);
    const made = data.made_at.replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");
    return h(
      "header",
      { class: "top" },
      h(
        "div",
        { class: "kicker" },
        h("span", {}, h("b", {}, "Invar"), ` ${data.title}`),
        themeButton(() => this.schedule.again()),
      ),
      h("h1", { class: answer.length > LONG_SENTENCE ? "long" : null }, answer || "There is nothing to say yet: no data."),
      more ? h("p", { class: "more" }, more) : null,
      h(
        "p",
        { class: "muted made" },
        `Made ${made} by Invar ${data.invar}${data.anonymised ? ", anonymised" : ""}`,
        ...(data.campaigns.length > 0 ? [". ", h("a", { href: "#words" }, "What is a cell, a launch, a group?")] : []),
      ),
      // Rows of equal length: six cards are two rows of three.
      cards.length > 0
        ? h("dl", { class: "cards", style: `--columns:${cards.length > 5 ? Math.ceil(cards.length / 2) : cards.length}` }, ...cards)
        : null,
    );
  }

  private rail(): HTMLElement {
    const list = h("ol", {}, ...this.sections.map(({ link }) => h("li", {}, link)));
    const wide = window.matchMedia("(min-width: 1080px)");
    const details = h(
      "details",
      { class: "rail-details" },
      h("summary", {}, "Contents and filters", this.railState),
      h("nav", { "aria-label": "Sections" }, list),
      h("div", { role: "group", "aria-label": "Filters of all figures" }, this.filters.element),
    );
    const fold = (): void => {
      details.open = wide.matches;
    };
    wide.addEventListener("change", fold);
    fold();
    // On a narrow screen it covers what was chosen.
    list.addEventListener("click", () => {
      if (!wide.matches) details.open = false;
    });
    return h("aside", { class: "rail", "aria-label": "Contents and filters" }, details);
  }

  private footer(): HTMLElement {
    return h(
      "footer",
      { class: "muted" },
      "Every number on this page was computed by Invar; the page only draws. It loads nothing from anywhere.",
    );
  }

  private campaign(): Campaign {
    return this.data.campaigns[this.selection.campaign] ?? NO_CAMPAIGN;
  }

  private width(): number {
    if (isPrinting()) return PAPER_WIDTH;
    return Math.max(240, Math.floor(this.content.getBoundingClientRect().width));
  }

  private view(): View {
    return {
      page: this.data,
      campaign: this.campaign(),
      selection: this.selection,
      width: this.width(),
      style: makeStyle(this.data, isDark()),
    };
  }

  private select(selection: Selection): void {
    const other = selection.campaign !== this.selection.campaign;
    this.selection = selection;
    history.replaceState(null, "", `#${toFragment(selection, this.target)}`);
    if (other) this.showCampaign();
    else this.showSelection();
    this.schedule.again();
  }

  private showCampaign(): void {
    for (const { id, texts } of this.sections) if (id !== "answer") texts.replaceChildren(...this.texts(id));
    this.showSelection();
    this.showSections();
  }

  private texts(id: Section["id"]): HTMLElement[] {
    const { campaign, selection, style } = this.view();
    return sectionTexts(id, this.data, { campaign, selection, style });
  }

  private showSelection(): void {
    this.sections.find(({ id }) => id === "answer")?.texts.replaceChildren(...this.texts("answer"));
    this.filters.show(this.selection, makeStyle(this.data, isDark()));
    this.railState.textContent = selectionText(this.selection);
    for (const { id, link } of this.sections) link.href = `#${toFragment(this.selection, id)}`;
  }

  /** Sections that have nothing to say, and their links, are left out. */
  private showSections(): void {
    for (const { element, texts, link, frames } of this.sections) {
      const empty = !texts.hasChildNodes() && frames.every(({ state }) => state === "left out" || state === "waiting");
      element.hidden = empty;
      if (link.parentElement) link.parentElement.hidden = empty;
    }
  }

  private skip(event: Event): void {
    event.preventDefault();
    this.content.focus();
    this.content.scrollIntoView();
  }

  /** To what the fragment names; figures above it are drawn first, or they would push it away. */
  private goTo(): void {
    const element = this.target ? document.getElementById(this.target) : null;
    if (!element) return;
    const frame = this.sections.flatMap(({ frames }) => frames).find((one) => one.element === element);
    const section = this.sections.findIndex((one) => one.element === element);
    const before = this.sections.slice(0, section + 1).flatMap(({ frames }) => frames);
    const last = frame ?? before.at(-1);
    if (last) this.schedule.finish(last.element);
    else if (section < 0) this.schedule.finish();
    this.showSections();
    if (element instanceof HTMLDetailsElement) element.open = true;
    element.scrollIntoView();
    if (frame) frame.focus();
    else (section >= 0 ? element.querySelector("h2") : element)?.focus({ preventScroll: true });
  }

  private watch(): void {
    window.addEventListener("hashchange", () => {
      const { selection, target } = fromFragment(location.hash, this.data.campaigns);
      const other = toFragment(selection, "") !== toFragment(this.selection, "");
      const campaign = selection.campaign !== this.selection.campaign;
      this.target = target;
      this.selection = selection;
      if (campaign) this.showCampaign();
      else this.showSelection();
      if (other) this.schedule.again();
      this.goTo();
    });
    watchTheme((now) => {
      this.schedule.again();
      if (now) this.schedule.finish();
    });
    let width = this.width();
    let timer = 0;
    new ResizeObserver(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (this.width() === width || isPrinting()) return;
        width = this.width();
        this.schedule.again();
      }, 120);
    }).observe(this.content);
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const section = this.sections.find(({ element }) => element === entry.target);
          section?.link.classList.toggle("current", entry.isIntersecting);
        }
      },
      { rootMargin: "-20% 0px -75% 0px" },
    );
    for (const { element } of this.sections) seen.observe(element);
  }
}

function start(): void {
  const root = document.getElementById("page");
  const text = document.getElementById("data")?.textContent ?? "";
  if (!root) return;
  const refuse = (why: string): void => append(root, h("p", { class: "notice" }, why));
  // The template itself, before `invar report` has put data into it.
  if (text.trim().startsWith("@")) return refuse("This is the template of the report page: invar report DIR -o report.html fills it.");
  let data: PageData;
  try {
    data = JSON.parse(text) as PageData;
  } catch (error) {
    return refuse(`The data of this page is damaged: ${String(error)}`);
  }
  if (data.schema !== 1) return refuse(`This page reads data of schema 1, and this has ${String(data.schema)}.`);
  new Page(data, root);
}

start();
