// Boxes that scroll sideways say so: a shadow where there is more, and how many columns of a table are out of sight.
import { h } from "./dom.ts";

/** Columns of which less than a half is seen beyond the right end. */
function hiddenColumns(box: HTMLElement): number {
  const end = box.getBoundingClientRect().right;
  return [...box.querySelectorAll("thead th")].filter((head) => {
    const { left, right } = head.getBoundingClientRect();
    return (left + right) / 2 > end;
  }).length;
}

/** The box in a frame that shows and says whether it has more on its left and on its right. */
export function watchEdges(box: HTMLElement): HTMLElement {
  const words = h("p", { class: "more-columns muted", hidden: true });
  const frame = h("div", { class: "edges" }, h("div", { class: "edge-shadows" }, box), words);
  const look = (): void => {
    const beyond = box.scrollWidth - box.clientWidth;
    frame.classList.toggle("more-left", beyond > 1 && box.scrollLeft > 1);
    frame.classList.toggle("more-right", beyond > 1 && box.scrollLeft < beyond - 1);
    const number = beyond > 1 ? hiddenColumns(box) : 0;
    words.hidden = number === 0;
    words.textContent = `${number} more ${number === 1 ? "column" : "columns"} to the right: scroll sideways →`;
  };
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  return frame;
}
