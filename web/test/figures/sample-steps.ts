// Steps of curves, made up.
import type { TidyColumn, TidyTable } from "../../src/answers.ts";

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

export function stepsTable(): TidyTable {
  return {
    id: "steps",
    title: "",
    columns: [
      plain("arm", "text"),
      plain("place", "text"),
      plain("between", "text"),
      { ...plain("height", "ratio"), low: "height_low", high: "height_high" },
      plain("height_low", "ratio"),
      plain("height_high", "ratio"),
      plain("protocol", "text"),
    ],
    rows: [
      ["openmpi", "pingpong, 2 ranks", "4080 B and 4081 B", 1.31, 1.28, 1.35, "eager -> rendezvous"],
      ["mpich", "pingpong, 2 ranks", "16 KiB and 16385 B", 1.12, 1.08, 1.17, null],
    ],
  };
}
