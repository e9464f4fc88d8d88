// Machine and metadata: every fact that was recorded, searchable, with what differs between campaigns marked by a sign,
// weight and ground, not by colour alone.
import type { MetadataRow, PageData } from "./data.ts";
import { h } from "./dom.ts";
import { plural } from "./format.ts";

/** Whether a row has all words of what is searched for, in its key, group or values. */
export function rowMatches(row: MetadataRow, wanted: string): boolean {
  const text = [row.group, row.key, ...row.values].join("\n").toLowerCase();
  return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

export function metadataTable(metadata: PageData["metadata"]): HTMLElement | null {
  if (metadata.rows.length === 0) return null;
  const several = metadata.columns.length > 1;
  const differing = metadata.rows.filter((row) => row.differs).length;
  const search = h("input", { type: "search", id: "metadata-search", autocomplete: "off", spellcheck: "false" });
  const only = h("input", { type: "checkbox", id: "metadata-differs" });
  const found = h("p", { class: "muted", role: "status" });
  const groups = new Map<string, MetadataRow[]>();
  for (const row of metadata.rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  const rows: { row: MetadataRow; element: HTMLElement }[] = [];
  const bodies = [...groups].map(([name, members]) => {
    const body = h(
      "tbody",
      {},
      h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: metadata.columns.length + 1 }, name)),
    );
    for (const row of members) {
      const mark = row.differs
        ? h("span", { class: "differs", title: row.matters ? "differs, and matters" : "differs" }, row.matters ? "≠ matters" : "≠")
        : null;
      const element = h(
        "tr",
        { class: row.differs ? "different" : null },
        h("th", { scope: "row" }, row.key, mark ? " " : null, mark),
        ...metadata.columns.map((_, i) => {
          const value = row.values[i];
          return h("td", {}, value ?? h("span", { class: "muted" }, "not recorded"));
        }),
      );
      rows.push({ row, element });
      body.append(element);
    }
    return body;
  });
  const filter = (): void => {
    let shown = 0;
    for (const { row, element } of rows) {
      element.hidden = !rowMatches(row, search.value) || (only.checked && !row.differs);
      if (!element.hidden) ++shown;
    }
    for (const body of bodies) body.hidden = [...body.rows].slice(1).every((row) => row.hidden);
    found.textContent = `${plural(shown, "fact")} of ${rows.length}${several ? `; ${differing} differ between the campaigns` : ""}`;
  };
  search.addEventListener("input", filter);
  only.addEventListener("change", filter);
  filter();
  return h(
    "div",
    { class: "metadata" },
    h(
      "div",
      { class: "metadata-tools" },
      h("label", { for: search.id }, "Search"),
      search,
      several ? h("label", { class: "check", for: only.id }, only, " only what differs") : null,
    ),
    found,
    h(
      "div",
      { class: "table-box tall", tabindex: 0, role: "region", "aria-label": "Metadata" },
      h(
        "table",
        {},
        h("caption", { class: "visually-hidden" }, "Metadata of the campaigns"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "fact"), ...metadata.columns.map((name) => h("th", { scope: "col" }, name)))),
        ...bodies,
      ),
    ),
  );
}
