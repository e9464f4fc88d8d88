// Widths of words in a figure: for legends and labels that have to fit.

let context: CanvasRenderingContext2D | null | undefined;

/** In px. Without a canvas (tests in node): an estimate. */
export function textWidth(text: string, size: number, font: string, weight = 400): number {
  if (context === undefined) {
    context = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  }
  if (!context) return text.length * size * 0.56;
  context.font = `${weight} ${size}px ${font}`;
  return context.measureText(text).width;
}

/** Cut in the middle, where names differ least: "openmpi-with-…-enabled". */
export function fitted(text: string, width: number, size: number, font: string, weight = 400): string {
  if (textWidth(text, size, font, weight) <= width) return text;
  let low = 1;
  let high = text.length;
  const cut = (kept: number): string => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(cut(middle), size, font, weight) <= width) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Lines of whole words, none wider than `width` if its words allow it. */
export function wrapped(text: string, width: number, size: number, font: string, weight = 400): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer, size, font, weight) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

/** The same, none wider: a word that is too long for a line goes on in the next one, broken where its parts meet if it has any. */
export function wrappedWhole(text: string, width: number, size: number, font: string, weight = 400): string[] {
  return wrapped(text, width, size, font, weight).flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (textWidth(rest, size, font, weight) > width && rest.length > 1) {
      let fits = rest.length - 1;
      while (fits > 1 && textWidth(rest.slice(0, fits), size, font, weight) > width) --fits;
      const joint = Math.max(...["+", "-", "_", "/", ":", ","].map((letter) => rest.lastIndexOf(letter, fits - 1))) + 1;
      const end = joint > fits / 2 ? joint : fits;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end);
    }
    return [...lines, rest];
  });
}
