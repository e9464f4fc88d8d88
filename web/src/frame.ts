// What stands around every figure: title, buttons, how to read it, its data as a table.
import { h, slug } from "./dom.ts";
import { tableElement, toCsv } from "./csv.ts";
import { pngFile, save, svgFile } from "./export.ts";
import type { Drawing, Figure, View } from "./figure.ts";
import { EVERYTHING } from "./select.ts";

export type FrameState = "waiting" | "drawn" | "nothing selected" | "left out" | "broken";

export class Frame {
  readonly figure: Figure;
  readonly element: HTMLElement;
  state: FrameState = "waiting";
  private drawing: Drawing | null = null;
  private readonly picture = h("div", { class: "picture" });
  private readonly note = h("p", { class: "note", hidden: true });
  private readonly tools = h("div", { class: "tools" });
  private readonly details: HTMLDetailsElement;
  private readonly summary = h("summary");
  private readonly rows = h("div");
  private readonly heading: HTMLHeadingElement;
  private readonly said = h("span", { class: "visually-hidden", role: "status" });

  constructor(figure: Figure, linkTo: (target: string) => string) {
    this.figure = figure;
    const id = `figure-${figure.id}`;
    this.heading = h("h3", { id: `${id}-title`, tabindex: -1 }, figure.title);
    const link = h("a", { class: "tool", href: `#${id}`, "aria-label": `Link to this figure: ${figure.title}` }, "Link");
    // As it is when it is followed or copied.
    for (const event of ["click", "contextmenu", "focus", "pointerenter"]) {
      link.addEventListener(event, () => (link.href = linkTo(id)));
    }
    this.tools.append(
      this.button("SVG", async () => new Blob([this.svg()], { type: "image/svg+xml" })),
      this.button("PNG", () => pngFile(this.drawn().element, this.figure.title)),
      this.button("CSV", async () => new Blob([toCsv(this.drawn().table)], { type: "text/csv;charset=utf-8" })),
      link,
      this.said,
    );
    this.details = h("details", { class: "data" }, this.summary, this.rows);
    this.details.addEventListener("toggle", () => this.fill());
    this.element = h(
      "figure",
      { id, class: "figure", "aria-labelledby": `${id}-title`, "data-state": this.state },
      h("div", { class: "figure-head" }, this.heading, this.tools),
      this.picture,
      this.note,
      h("figcaption", {}, h("b", {}, "How to read it. "), figure.read),
      this.details,
    );
    this.element.hidden = true;
  }

  /** Without a drawing, a second try with everything selected tells "no data" from "not selected". */
  draw(view: View): void {
    try {
      this.drawing = this.figure.draw(view);
      const all = { ...view, selection: { ...EVERYTHING, campaign: view.selection.campaign } };
      if (this.drawing) this.state = "drawn";
      else this.state = this.figure.draw(all) ? "nothing selected" : "left out";
    } catch (error) {
      this.drawing = null;
      this.state = "broken";
      console.error(`figure ${this.figure.id}:`, error);
      this.picture.replaceChildren(h("p", { class: "notice" }, `This figure could not be drawn: ${String(error)}`));
    }
    this.show();
  }

  focus(): void {
    this.heading.focus({ preventScroll: true });
  }

  private show(): void {
    const { drawing } = this;
    this.element.dataset["state"] = this.state;
    this.element.hidden = this.state === "left out";
    this.tools.hidden = this.details.hidden = !drawing;
    this.note.hidden = !drawing?.note;
    this.note.textContent = drawing?.note ?? "";
    if (this.state === "nothing selected") {
      this.picture.replaceChildren(h("p", { class: "notice" }, "Nothing of what is selected is in this figure."));
    }
    if (!drawing) {
      this.picture.removeAttribute("role");
      this.picture.removeAttribute("aria-label");
      return;
    }
    this.picture.setAttribute("role", "img");
    this.picture.setAttribute("aria-label", drawing.summary ? `${this.figure.title}. ${drawing.summary}` : this.figure.title);
    // Where it is made smaller to fit on paper, it stays at the margin.
    if (drawing.element instanceof SVGElement) drawing.element.setAttribute("preserveAspectRatio", "xMinYMin meet");
    this.picture.replaceChildren(drawing.element);
    const { rows } = drawing.table;
    this.summary.textContent = `Data as a table (${rows.length} ${rows.length === 1 ? "row" : "rows"})`;
    this.rows.replaceChildren();
    this.fill();
  }

  private fill(): void {
    if (!this.details.open || !this.drawing || this.rows.hasChildNodes()) return;
    this.rows.append(tableElement(this.drawing.table, this.figure.title));
  }

  private drawn(): Drawing {
    if (!this.drawing) throw new Error("nothing is drawn");
    return this.drawing;
  }

  private svg(): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${svgFile(this.drawn().element, this.figure.title).text}\n`;
  }

  private button(name: string, make: () => Promise<Blob>): HTMLButtonElement {
    const file = `invar-${slug(this.figure.id)}.${name.toLowerCase()}`;
    const button = h("button", { type: "button", class: "tool", "aria-label": `Save as ${name}: ${this.figure.title}` }, name);
    button.addEventListener("click", () => {
      make().then(
        (blob) => {
          save(blob, file);
          this.said.textContent = `${file} is saved`;
        },
        (error: unknown) => {
          console.error(`saving ${file}:`, error);
          this.said.textContent = `${file} could not be made: ${String(error)}`;
        },
      );
    });
    return button;
  }
}
