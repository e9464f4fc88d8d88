// A figure's data as CSV (RFC 4180) and as an accessible table.
import type { Table, Value } from "./figure.ts";
import { h } from "./dom.ts";
import { watchEdges } from "./edges.ts";

export function csvField(value: Value): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function toCsv(table: Table): string {
  const lines = [table.columns, ...table.rows].map((row) => row.map(csvField).join(","));
  return lines.join("\r\n") + "\r\n";
}

/** A column is numeric, and set flush right, if it has numbers and nothing else. */
export function numericColumns(table: Table): boolean[] {
  return table.columns.map((_, column) => {
    let numbers = 0;
    for (const row of table.rows) {
      const value = row[column];
      if (typeof value === "number") ++numbers;
      else if (value !== null && value !== undefined) return false;
    }
    return numbers > 0;
  });
}

export function cellText(value: Value | undefined): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  // What C++ rounded to few digits must not grow digits here.
  return String(Number(value.toPrecision(6)));
}

/** Longer tables are shown in parts, for ten thousand rows would stop a browser; CSV has them all. */
export const ROWS_AT_ONCE = 200;

export function tableElement(table: Table, caption: string): HTMLElement {
  const numeric = numericColumns(table);
  const body = h("tbody");
  const row = (values: Value[]): HTMLTableRowElement =>
    h("tr", {}, ...values.map((value, i) => h("td", { class: numeric[i] ? "number" : null }, cellText(value))));
  const head = h(
    "tr",
    {},
    ...table.columns.map((name, i) => h("th", { scope: "col", class: numeric[i] ? "number" : null }, name.replace(/_/g, " "))),
  );
  // Scrolls by itself, so it must be reachable by keyboard.
  const box = h(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": `${caption}: data` },
    h("table", {}, h("caption", { class: "visually-hidden" }, caption), h("thead", {}, head), body),
  );
  let shown = 0;
  const more = h("button", { type: "button", class: "more" });
  const grow = (): void => {
    body.append(...table.rows.slice(shown, shown + ROWS_AT_ONCE).map(row));
    shown = Math.min(shown + ROWS_AT_ONCE, table.rows.length);
    more.textContent = `Show ${Math.min(ROWS_AT_ONCE, table.rows.length - shown)} more of ${table.rows.length - shown} rows`;
    more.hidden = shown >= table.rows.length;
  };
  more.addEventListener("click", grow);
  grow();
  return h("div", {}, watchEdges(box), more);
}
