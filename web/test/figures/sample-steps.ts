// Steps of curves, and the curves, made up.
import type { TidyColumn, TidyTable } from "../../src/answers.ts";

function plain(name: string, kind: TidyColumn["kind"], unit: string | null = null): TidyColumn {
  return { name, kind, unit, low: null, high: null };
}

const kPlace = "pingpong, 2 ranks";

export function stepsTable(): TidyTable {
  return {
    id: "steps",
    title: "",
    columns: [
      plain("arm", "text"),
      plain("place", "text"),
      plain("between", "text"),
      plain("low_bytes", "bytes", "bytes"),
      plain("high_bytes", "bytes", "bytes"),
      { ...plain("height", "ratio"), low: "height_low", high: "height_high" },
      plain("height_low", "ratio"),
      plain("height_high", "ratio"),
      plain("p_adjusted", "p"),
      plain("protocol", "text"),
      plain("direction", "text"),
      plain("known", "text"),
    ],
    rows: [
      ["openmpi", kPlace, "4080 B and 4081 B", 4080, 4081, 1.31, 1.28, 1.35, 1e-9, "eager -> rendezvous", "up", "to a byte"],
      ["mpich", kPlace, "16 KiB and 16385 B", 16384, 16385, 1.12, 1.08, 1.17, 1e-4, "not asked", "up", "to a byte"],
    ],
  };
}

/** Of both arms, with the sizes that were added around their steps. */
export function curvesTable(): TidyTable {
  const sizes = [0, 1, 64, 1024, 4080, 4081, 6144, 16384, 16385, 65536];
  const steps = { openmpi: 4080, mpich: 16384 };
  return {
    id: "curves",
    title: "",
    columns: [
      plain("arm", "text"),
      plain("place", "text"),
      plain("size_bytes", "bytes", "bytes"),
      { ...plain("time_ns", "time", "ns"), low: "low_ns", high: "high_ns" },
      plain("low_ns", "time", "ns"),
      plain("high_ns", "time", "ns"),
    ],
    rows: (["openmpi", "mpich"] as const).flatMap((arm) =>
      sizes.map((size) => {
        const middle = (400 + 0.2 * size) * (size > steps[arm] ? 1.3 : 1);
        return [arm, kPlace, size, middle, 0.97 * middle, 1.03 * middle];
      }),
    ),
  };
}
