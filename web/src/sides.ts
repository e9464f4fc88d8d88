// The two sides of a comparison: two arms, or two levels of a factor inside one arm.
import type { ComparedCell, Comparison, PageData, Verdict } from "./data.ts";
import type { Selection } from "./figure.ts";
import { EVERYTHING, hasArm, hasLevels } from "./select.ts";
import type { SeriesStyle, Style } from "./style.ts";

type Sides = Pick<ComparedCell, "arm_a" | "arm_b" | "in_arm">;
type Side = "a" | "b";

/** Whether both sides belong to selected arms. */
export function hasSides(selection: Selection, row: Sides): boolean {
  return row.in_arm ? hasArm(selection, row.in_arm) : hasArm(selection, row.arm_a) && hasArm(selection, row.arm_b);
}

/** What of a selection is about a factor, and what is about all else. */
function divided(selection: Selection, factor: string): { own: Selection; rest: Selection } {
  const key = { operation: "operations", size_bytes: "sizes", ranks: "ranks" }[factor] as "operations" | "sizes" | "ranks" | undefined;
  if (key) return { own: { ...EVERYTHING, [key]: selection[key] }, rest: { ...selection, [key]: null } };
  const { [factor]: levels, ...others } = selection.levels;
  return { own: { ...EVERYTHING, levels: levels ? { [factor]: levels } : {} }, rest: { ...selection, levels: others } };
}

/** The rows of a comparison that are selected; where levels are compared, those with a selected one on either side. */
export function selectedRows<Row extends ComparedCell>(
  selection: Selection,
  compare: Pick<Comparison, "against" | "levels"> | null,
  rows: readonly Row[],
): Row[] {
  if (!compare?.against) return rows.filter((row) => hasLevels(selection, row) && hasSides(selection, row));
  const { own, rest } = divided(selection, compare.against);
  const chosen = new Set((compare.levels ?? []).filter((cell) => hasLevels(own, cell)).map(({ level }) => level));
  return rows.filter(
    (row) => hasLevels(rest, row) && hasSides(selection, row) && (["a", "b"] as const).some((side) => chosen.has(sideName(row, side))),
  );
}

/** "openmpi"; of a level "warm", without the arm, which stands beside it. */
export function sideName(row: Sides, side: Side): string {
  const name = side === "a" ? row.arm_a : row.arm_b;
  const where = ` in ${row.in_arm ?? ""}`;
  return row.in_arm && name.endsWith(where) ? name.slice(0, -where.length) : name;
}

/** "mpich / openmpi", "cold / warm in openmpi". */
export function pairName(row: Sides): string {
  const names = `${sideName(row, "b")} / ${sideName(row, "a")}`;
  return row.in_arm && row.arm_a !== sideName(row, "a") ? `${names} in ${row.in_arm}` : names;
}

export function sideStyle(style: Style, row: Sides, side: Side): SeriesStyle {
  if (row.in_arm) return style.level(sideName(row, side));
  return style.arm(side === "a" ? row.arm_a : row.arm_b);
}

/** The side that takes less time, if the verdict names one. */
export function winner(row: Pick<ComparedCell, "verdict">): Side | null {
  return row.verdict === "faster" ? "a" : row.verdict === "slower" ? "b" : null;
}

/** Names of all levels that are compared on a page, the references first. */
export function levelNames(page: PageData): string[] {
  const names = new Set<string>();
  for (const compare of [...page.campaigns.map((campaign) => campaign.compare), page.comparison]) {
    for (const { level } of compare?.levels ?? []) names.add(level);
    for (const row of compare?.against ? compare.cells : []) for (const side of ["a", "b"] as const) names.add(sideName(row, side));
  }
  return [...names];
}

/** What stands for a verdict that names no winner, in tables and figures. */
export const SIGNS: Partial<Record<Verdict, string>> = { equivalent: "≈", pass: "✓", fail: "✗", undecided: "?" };
