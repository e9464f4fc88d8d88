// Pictures of figures as files: what is on the screen, standing for itself. All looks are computed styles written into the
// elements, because outside the page there is no style sheet: without it markers turn black and bars vanish.

const SVG = "http://www.w3.org/2000/svg";

// What the page's style sheet, Plot's own one or inheritance may set. Inherited properties are written where they change,
// others where they are not what they are without being set: that is the file's size.
const INHERITED = [
  "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-dashoffset",
  "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "paint-order", "shape-rendering", "image-rendering", "visibility",
  "font-family", "font-size", "font-weight", "font-style", "font-variant-numeric", "letter-spacing", "text-anchor", "white-space",
];
const OWN: Record<string, string> = {
  opacity: "1", "mix-blend-mode": "normal", "clip-path": "none", mask: "none", "vector-effect": "none", "transform-box": "view-box",
  "dominant-baseline": "auto", "text-decoration-line": "none",
};

function computed(element: Element, copy: Element, isRoot: boolean): void {
  const style = getComputedStyle(element);
  const parent = isRoot || !element.parentElement ? null : getComputedStyle(element.parentElement);
  const write = (name: string, value: string): void => copy.setAttribute(name, value.replace(/^url\("(#.*)"\)$/, "url($1)"));
  for (const name of INHERITED) {
    copy.removeAttribute(name);
    const value = style.getPropertyValue(name);
    if (value && value !== parent?.getPropertyValue(name)) write(name, value);
  }
  for (const [name, initial] of Object.entries(OWN)) {
    copy.removeAttribute(name);
    const value = style.getPropertyValue(name);
    if (value && value !== initial) write(name, value);
  }
  for (const name of ["style", "class", "color", "display"]) copy.removeAttribute(name);
  // Outside, a nested picture would cut off what stands out of it.
  if (element instanceof SVGSVGElement) copy.setAttribute("overflow", style.overflow === "hidden" ? "hidden" : "visible");
}

function inlineInto(original: Element, copy: Element, isRoot: boolean): void {
  if (original instanceof SVGElement) computed(original, copy, isRoot);
  // Pairs by position: style elements, tooltips and what is not shown go last, from the end.
  for (let i = original.children.length - 1; i >= 0; --i) {
    const from = original.children[i] as Element;
    const to = copy.children[i] as Element;
    const hidden = !(from instanceof SVGDefsElement) && from.closest("defs") === null && getComputedStyle(from).display === "none";
    if (from.localName === "style" || from.getAttribute("aria-label") === "tip" || hidden) to.remove();
    else inlineInto(from, to, false);
  }
}

/** A copy of an SVG element that looks the same without any style sheet. */
export function standalone(svg: SVGSVGElement): SVGSVGElement {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  inlineInto(svg, copy, true);
  return copy;
}

function image(href: string, box: DOMRect, origin: DOMRect): SVGImageElement {
  const element = document.createElementNS(SVG, "image");
  element.setAttribute("x", String(box.left - origin.left));
  element.setAttribute("y", String(box.top - origin.top));
  element.setAttribute("width", String(box.width));
  element.setAttribute("height", String(box.height));
  element.setAttribute("preserveAspectRatio", "none");
  element.setAttribute("href", href);
  return element;
}

/** Parts of a figure that is HTML: SVG pictures, canvases and texts, where they are. */
function collect(element: Element, origin: DOMRect, into: SVGSVGElement): void {
  if (getComputedStyle(element).display === "none") return;
  const box = element.getBoundingClientRect();
  if (element instanceof SVGSVGElement) {
    const copy = standalone(element);
    copy.setAttribute("x", String(box.left - origin.left));
    copy.setAttribute("y", String(box.top - origin.top));
    copy.setAttribute("width", String(box.width));
    copy.setAttribute("height", String(box.height));
    into.append(copy);
    return;
  }
  if (element instanceof HTMLCanvasElement) {
    into.append(image(element.toDataURL("image/png"), box, origin));
    return;
  }
  if (element instanceof HTMLImageElement) {
    if (element.src.startsWith("data:")) into.append(image(element.src, box, origin));
    return;
  }
  for (const node of element.childNodes) {
    if (node instanceof Element) collect(node, origin, into);
    const content = node instanceof Text ? (node.textContent ?? "").trim() : "";
    if (!content) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const at = range.getBoundingClientRect();
    const style = getComputedStyle(element);
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("x", String(at.left - origin.left));
    text.setAttribute("y", String(at.top - origin.top + at.height * 0.78));
    text.setAttribute("fill", style.color);
    for (const name of ["font-family", "font-size", "font-weight"]) text.setAttribute(name, style.getPropertyValue(name));
    text.textContent = content;
    into.append(text);
  }
}

const MARGIN = 12;

/** The figure as the text of an SVG file, with the page's background and a margin. */
export function svgFile(element: Element, title: string): { text: string; width: number; height: number } {
  const box = element.getBoundingClientRect();
  const width = Math.ceil(box.width) + 2 * MARGIN;
  const height = Math.ceil(box.height) + 2 * MARGIN;
  const file = document.createElementNS(SVG, "svg");
  file.setAttribute("xmlns", SVG);
  file.setAttribute("width", String(width));
  file.setAttribute("height", String(height));
  file.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const name = document.createElementNS(SVG, "title");
  name.textContent = title;
  const background = document.createElementNS(SVG, "rect");
  background.setAttribute("width", String(width));
  background.setAttribute("height", String(height));
  background.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  const inner = document.createElementNS(SVG, "svg");
  inner.setAttribute("x", String(MARGIN));
  inner.setAttribute("y", String(MARGIN));
  inner.setAttribute("width", String(box.width));
  inner.setAttribute("height", String(box.height));
  inner.setAttribute("overflow", "visible");
  collect(element, box, inner);
  file.append(name, background, inner);
  return { text: new XMLSerializer().serializeToString(file), width, height };
}

/** Twice as many pixels as on the screen: sharp in print and on slides. */
export async function pngFile(element: Element, title: string): Promise<Blob> {
  const { text, width, height } = svgFile(element, title);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const canvas = document.createElement("canvas");
    canvas.width = width * 2;
    canvas.height = height * 2;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("this browser gives no canvas to draw on");
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // The download reads it after this function has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
