// The filters: groups of buttons, none pressed means everything. Only what differs in the campaign can be chosen.
import * as Plot from "@observablehq/plot";
import type { PageData } from "./data.ts";
import { append, h } from "./dom.ts";
import type { Selection } from "./figure.ts";
import { bytes, seriesStyle, type Style } from "./style.ts";
import { EVERYTHING, filtersOf } from "./select.ts";

/** More choices than this are folded away behind how many there are. */
const MANY = 14;

type Choose = (selection: Selection) => void;

function sizeText(key: string): string {
  return key === "none" ? "no size" : bytes(Number(key));
}

/** The mark of an arm, as figures show it. */
export function swatch(style: ReturnType<typeof seriesStyle>): Element {
  const svg = Plot.plot({
    axis: null,
    width: 14,
    height: 14,
    margin: 0,
    x: { type: "identity" },
    y: { type: "identity" },
    marks: [Plot.dot([[7, 7]], { symbol: style.symbol, r: 4.5, fill: style.colour, stroke: style.colour })],
  });
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("swatch");
  return svg;
}

interface Group {
  name: string;
  choices: string[];
  pressed: string[] | null;
  text?: (choice: string) => string;
  mark?: (choice: string) => Element;
  choose(pressed: string[] | null): void;
}

function group({ name, choices, pressed, text = (choice) => choice, mark, choose }: Group): HTMLElement | null {
  if (choices.length < 2) return null;
  const buttons = choices.map((choice) => {
    const on = pressed?.includes(choice) ?? false;
    const button = h("button", { type: "button", class: "choice", "aria-pressed": String(on), "data-choice": choice });
    append(button, mark?.(choice), text(choice));
    button.addEventListener("click", () => {
      const next = choices.filter((other) => (other === choice ? !on : (pressed?.includes(other) ?? false)));
      choose(next.length === 0 || next.length === choices.length ? null : next);
    });
    return button;
  });
  const list = h("div", { class: "choices" }, ...buttons);
  const legend = h("legend", {}, name);
  if (choices.length <= MANY) return h("fieldset", { "data-filter": name }, legend, list);
  const state = pressed ? `${pressed.length} of ${choices.length}` : `all ${choices.length}`;
  const folded = h("details", { open: pressed !== null }, h("summary", {}, state), list);
  return h("fieldset", { "data-filter": name }, legend, folded);
}

/** What is selected, in words: "allreduce, bcast; 8 B". "": everything. */
export function selectionText(selection: Selection): string {
  const parts = [
    selection.operations?.join(", "),
    selection.sizes?.map(sizeText).join(", "),
    selection.ranks && `${selection.ranks.join(", ")} ranks`,
    selection.arms?.join(", "),
    ...Object.entries(selection.levels).map(([factor, levels]) => `${factor} ${levels.join(", ")}`),
  ];
  return parts.filter(Boolean).join("; ");
}

export class FilterBar {
  readonly element = h("div", { class: "filters" });
  private readonly page: PageData;
  private readonly choose: Choose;

  constructor(page: PageData, choose: Choose) {
    this.page = page;
    this.choose = choose;
  }

  show(selection: Selection, style: Style): void {
    const { campaigns } = this.page;
    const campaign = campaigns[selection.campaign];
    const filters = filtersOf(campaigns, campaign);
    const focused = this.focusedChoice();
    const list = (name: string, key: "operations" | "sizes" | "ranks" | "arms", more: Partial<Group> = {}): HTMLElement | null =>
      group({
        name,
        choices: filters[key],
        pressed: selection[key],
        choose: (pressed) => this.choose({ ...selection, [key]: pressed }),
        ...more,
      });
    const groups = [
      this.campaigns(selection),
      list("operation", "operations"),
      list("size", "sizes", { text: sizeText }),
      list("ranks", "ranks"),
      list("arm", "arms", { mark: (label) => swatch(style.arm(label)) }),
      ...[...filters.levels].map(([factor, levels]) =>
        group({
          name: factor.replace(/_/g, " "),
          choices: levels,
          pressed: selection.levels[factor] ?? null,
          choose: (pressed) => {
            const { [factor]: _old, ...others } = selection.levels;
            this.choose({ ...selection, levels: pressed ? { ...others, [factor]: pressed } : others });
          },
        }),
      ),
    ].filter((element) => element !== null);
    const everything = selectionText(selection) === "";
    const reset = h("button", { type: "button", class: "reset", disabled: everything }, "Show everything");
    reset.addEventListener("click", () => this.choose({ ...EVERYTHING, campaign: selection.campaign }));
    this.element.replaceChildren(...groups, ...(groups.length > 0 ? [reset] : []));
    this.element.hidden = groups.length === 0;
    if (focused) this.element.querySelector<HTMLElement>(focused)?.focus();
  }

  private campaigns(selection: Selection): HTMLElement | null {
    if (this.page.campaigns.length < 2) return null;
    const id = "filter-campaign";
    const select = h("select", { id });
    this.page.campaigns.forEach((campaign, i) => select.append(h("option", { value: i }, campaign.name)));
    select.value = String(selection.campaign);
    select.addEventListener("change", () => this.choose({ ...EVERYTHING, campaign: Number(select.value) }));
    return h("div", { class: "filter-select" }, h("label", { for: id }, "campaign"), select);
  }

  // The bar is built anew with every choice; the keyboard's place in it stays.
  private focusedChoice(): string | null {
    const { activeElement } = document;
    if (!activeElement || !this.element.contains(activeElement)) return null;
    if (activeElement.id) return `#${activeElement.id}`;
    const filter = activeElement.closest<HTMLElement>("[data-filter]")?.dataset["filter"];
    const choice = (activeElement as HTMLElement).dataset["choice"];
    if (filter === undefined || choice === undefined) return null;
    return `[data-filter="${CSS.escape(filter)}"] [data-choice="${CSS.escape(choice)}"]`;
  }
}
