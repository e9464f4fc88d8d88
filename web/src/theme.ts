// Light or dark: the system's choice until the reader makes one; paper is always light.
import { h } from "./dom.ts";

const KEY = "invar-theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const paper = window.matchMedia("print");
let printing = paper.matches;

function chosen(): string | undefined {
  return document.documentElement.dataset["theme"];
}

export function isPrinting(): boolean {
  return printing;
}

export function isDark(): boolean {
  if (printing) return false;
  return chosen() ? chosen() === "dark" : system.matches;
}

/** `changed(now)`: colours are others; `now`: figures must be ready before this returns, for the paper is printed then. */
export function watchTheme(changed: (now: boolean) => void): void {
  const print = (on: boolean): void => {
    if (on === printing) return;
    printing = on;
    changed(on);
  };
  system.addEventListener("change", () => changed(false));
  paper.addEventListener("change", (event) => print(event.matches));
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
}

export function themeButton(changed: () => void): HTMLButtonElement {
  const button = h("button", { type: "button", class: "theme" });
  const label = (): void => {
    button.textContent = isDark() ? "Light colours" : "Dark colours";
  };
  // A page from file:// may have no storage; then the choice lasts as long as the page.
  try {
    const kept = localStorage.getItem(KEY);
    if (kept === "dark" || kept === "light") document.documentElement.dataset["theme"] = kept;
  } catch {
    /* no storage here */
  }
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset["theme"] = next;
    try {
      localStorage.setItem(KEY, next);
    } catch {
      /* no storage here */
    }
    label();
    changed();
  });
  system.addEventListener("change", label);
  label();
  return button;
}
