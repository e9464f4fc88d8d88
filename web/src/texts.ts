// What stands in words at the head of the sections: answers, warnings, failures, the method.
import type { Campaign, PageAnswer, PageData } from "./data.ts";
import { type Answer, answerOf } from "./answers.ts";
import { tableElement } from "./csv.ts";
import { placeOf, type SectionId, type Selection } from "./figure.ts";
import { figures } from "./figures/index.ts";
import type { NamedTable } from "./figures/kit/named-table.ts";
import { memoryTables } from "./figures/memory/memory-model.ts";
import { kQuestion as kMemory } from "./figures/memory/memory-rows.ts";
import { modelTables as networkTables } from "./figures/network/network-model.ts";
import { kQuestion as kNetwork } from "./figures/network/network-rows.ts";
import { h } from "./dom.ts";
import { glossary } from "./glossary.ts";
import { metadataTable } from "./metadata.ts";
import { cellName } from "./select.ts";
import type { Style } from "./style.ts";
import { verdictTables } from "./verdicts.ts";

const AT_ONCE = 12;

/** A list of texts under a heading; a long one is cut, with a button for the others. null for an empty one. */
export function textList(title: string, kind: "warning" | "failure" | "plain", texts: readonly string[]): HTMLElement | null {
  if (texts.length === 0) return null;
  const items = texts.map((text, i) => h("li", { hidden: i >= AT_ONCE }, text));
  const left = texts.length - AT_ONCE;
  const more = h("button", { type: "button", class: "more", hidden: left <= 0 }, `Show the other ${left}`);
  more.addEventListener("click", () => {
    for (const item of items) item.hidden = false;
    more.remove();
  });
  return h("div", { class: `list ${kind}` }, h("h3", {}, title), h("ul", {}, ...items), more);
}

const STATES: Record<Campaign["state"], string> = {
  complete: "complete",
  incomplete: "incomplete: not everything that was planned is measured",
  failed: "failed: some launches gave no data",
  damaged: "damaged: what is not trustworthy is left out",
  empty: "empty: nothing is measured yet",
};

function failureText(campaign: Campaign, failure: Campaign["failures"][number]): string {
  const cell = failure.cell === null ? undefined : campaign.cells[failure.cell];
  const where = [
    failure.arm,
    failure.group === null ? null : `group ${failure.group}`,
    failure.launch === null ? null : `launch ${failure.launch}`,
    cell ? cellName(cell, campaign.cells) : null,
  ].filter(Boolean);
  return where.length > 0 ? `${where.join(", ")}: ${failure.reason}` : failure.reason;
}

function unique(texts: readonly (string | null | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => !!text))];
}

/** The page's sentence: the answer for the headline, and what it says of regimes, which is read after it. */
export function headline(page: PageData): { answer: string; more: string } {
  const details = [page.comparison, ...page.campaigns.map((campaign) => campaign.compare)].map((compare) => compare?.detail ?? "");
  const more = details.find((detail) => detail !== "" && page.sentence.endsWith(detail)) ?? "";
  return { answer: page.sentence.slice(0, page.sentence.length - more.length).trimEnd(), more };
}

/** Answers with a model, and what of it stands as tables: the question is also the name of its section. */
const kModels: { question: typeof kMemory | typeof kNetwork; tables: (answer: Answer | null) => NamedTable[] }[] = [
  { question: kNetwork, tables: networkTables },
  { question: kMemory, tables: memoryTables },
];

function elementsOf(tables: readonly NamedTable[]): HTMLElement[] {
  return tables.map(({ title, table }) => h("div", {}, h("h3", {}, title), tableElement(table, title)));
}

/** The models of a campaign whose figures stand there: in the answer, if a campaign was made for them. */
function modelElements(page: PageData, campaign: Campaign, place: string): HTMLElement[] {
  return kModels.flatMap(({ question, tables }) => {
    const figure = figures.find((one) => one.question === question);
    return figure && placeOf(figure, page.campaigns) === place ? elementsOf(tables(answerOf(campaign, question))) : [];
  });
}

function campaignBlock(page: PageData, campaign: Campaign, chosen: Chosen): HTMLElement {
  const warnings = unique([
    ...(campaign.compare?.warnings ?? []),
    ...(campaign.self_test?.warnings ?? []),
    ...campaign.answers.flatMap((answer) => answer.warnings),
  ]);
  // A campaign alone has said its sentence at the top of the page.
  const said = campaign.sentence === page.sentence;
  const asked = answerOf(campaign, campaign.question);
  return h(
    "article",
    { class: "campaign" },
    h("h3", {}, campaign.name),
    h(
      "p",
      { class: "state", "data-state": campaign.state },
      h("span", { "aria-hidden": "true" }, campaign.state === "complete" ? "✓ " : "! "),
      STATES[campaign.state],
      campaign.scope ? `. ${campaign.scope}` : null,
    ),
    said || !campaign.sentence ? null : h("p", {}, campaign.sentence),
    ...(campaign.compare && campaign === chosen.campaign ? verdictTables(campaign.compare, chosen.selection, chosen.style) : []),
    campaign.compare_missing ? h("p", {}, `No verdicts: ${campaign.compare_missing}`) : null,
    textList("How to read the answer", "plain", asked?.notes ?? []),
    textList("Problems", "failure", campaign.problems),
    textList("Failures", "failure", campaign.failures.map((failure) => failureText(campaign, failure))),
    textList("Warnings", "warning", warnings),
    ...(campaign === chosen.campaign ? modelElements(page, campaign, "answer") : []),
  );
}

function sentence(text: string | null | undefined): HTMLElement | null {
  return text ? h("p", { class: "lead" }, text) : null;
}

type References = PageData["method"]["references"];

/**
 * A text in pieces: what it cites as "[Hunold 2016]" are the numbers of references, without the brackets, which stay in the
 * text around. A key is found in brackets only: "Hunold 2016" is also the beginning of "Hunold 2016b".
 */
export function citations(text: string, references: References): (string | { reference: number })[] {
  const numbers = new Map(references.map(({ key }, number) => [`[${key}]`, number]));
  return text.split(/(?<=\[)([^[\]]+)(?=\])/).map((part, i) => {
    // split() puts what is between brackets at odd places.
    const reference = i % 2 === 1 ? numbers.get(`[${part}]`) : undefined;
    return reference === undefined ? part : { reference };
  });
}

/** Keys of references in a text become links to them. */
function withReferences(text: string, references: References): (Node | string)[] {
  return citations(text, references).map((part) =>
    typeof part === "string" ? part : h("a", { href: `#reference-${part.reference + 1}` }, references[part.reference]!.key),
  );
}

function method({ paragraphs, references }: PageData["method"]): (HTMLElement | null)[] {
  if (paragraphs.length === 0) return [];
  const list = references.map(({ key, text }, i) =>
    h("li", { id: `reference-${i + 1}`, tabindex: -1 }, h("b", {}, key), ` ${text}`),
  );
  return [
    h("div", { class: "prose" }, ...paragraphs.map((text) => h("p", {}, ...withReferences(text, references)))),
    list.length > 0 ? h("div", { class: "prose references" }, h("h3", {}, "References"), h("ul", {}, ...list)) : null,
  ];
}

/** In a race the library is the only factor, and what it does is the answer of the page. */
export function asksForFactors(campaign: Campaign): boolean {
  const targets = campaign.factors?.targets ?? [];
  return targets.some((target) => target.factors.some(({ factor, levels }) => factor !== "arm" && levels.length > 1));
}

export interface Chosen {
  campaign: Campaign;
  selection: Selection;
  style: Style;
}

/** The sentences of the answers that the figures of a section draw; that of the page's own stands at its campaign. */
function answerSentences(page: PageData, campaign: Campaign, id: string): (HTMLElement | null)[] {
  if (id === "answer") return [];
  const questions = new Set(figures.filter((figure) => placeOf(figure, page.campaigns) === id).map(({ question }) => question));
  return [...questions].map((question) => (question ? sentence(answerOf(campaign, question)?.sentence) : null));
}

/** What answers without a campaign say. One alone has said its sentence at the top of the page. */
function ownAnswers(page: PageData, belongs: (answer: PageAnswer) => boolean): (HTMLElement | null)[] {
  return page.answers.filter(belongs).flatMap((answer) => [
    answer.sentence === page.sentence ? null : sentence(`${answer.source}: ${answer.sentence}`),
    textList(`Warnings of ${answer.source}`, "warning", answer.warnings),
  ]);
}

/** What a section says before its figures; nothing for most of them. Only the answer's table follows the selection. */
export function sectionTexts(id: string, page: PageData, chosen: Chosen): HTMLElement[] {
  const { campaign } = chosen;
  const of: Partial<Record<SectionId | typeof kNetwork | typeof kMemory, () => (HTMLElement | null)[]>> = {
    answer: () => [
      ...(page.comparison ? verdictTables(page.comparison, { ...chosen.selection, arms: null }, chosen.style) : []),
      textList("Warnings about the comparison of the campaigns", "warning", page.comparison?.warnings ?? []),
      page.comparison_missing && page.campaigns.length > 1 ? h("p", {}, `The campaigns are not compared: ${page.comparison_missing}`) : null,
      ...page.campaigns.map((each) => campaignBlock(page, each, chosen)),
      page.campaigns.length > 0 ? glossary() : null,
    ],
    regimes: () => [
      sentence(campaign.compare?.regimes_missing),
    ],
    reproducibility: () => [
      page.reproduce?.sentence === page.sentence ? null : sentence(page.reproduce?.sentence),
      textList("Warnings", "warning", page.reproduce?.warnings ?? []),
    ],
    clocks: () => ownAnswers(page, ({ question }) => question !== kNetwork),
    network: () => [
      ...modelElements(page, campaign, kNetwork),
      ...ownAnswers(page, ({ question }) => question === kNetwork),
      ...page.answers.filter(({ question }) => question === kNetwork).flatMap((answer) => elementsOf(networkTables(answer))),
    ],
    memory: () => modelElements(page, campaign, kMemory),
    factors: () => [
      campaign.factors?.sentence === page.sentence || !asksForFactors(campaign) ? null : sentence(campaign.factors?.sentence),
      textList(
        "Levels without data",
        "warning",
        (campaign.factors?.missing ?? []).map(
          ({ factor, level, where, reason, reference_now }) =>
            `${factor} ${level}${where ? ` (${where})` : ""}: ${reason}${reference_now ? `; compared with ${reference_now} instead` : ""}`,
        ),
      ),
      // What stands at the campaign already is not said again.
      textList(
        "Warnings",
        "warning",
        (campaign.factors?.warnings ?? []).filter((text) => !campaign.compare?.warnings.includes(text)),
      ),
    ],
    "self-test": () => [
      campaign.self_test?.sentence === page.sentence ? null : sentence(campaign.self_test?.sentence),
      textList("What does not hold", "failure", campaign.self_test?.problems ?? []),
    ],
    machine: () => [metadataTable(page.metadata)],
    method: () => method(page.method),
  };
  return [...answerSentences(page, campaign, id), ...(of[id as keyof typeof of]?.() ?? [])].filter((element) => element !== null);
}
