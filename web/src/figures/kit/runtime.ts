// Which run-time it is that an axis shows.
import type { Campaign } from "../../data.ts";
import { cellName } from "../../select.ts";

const kNamed = 2;

/** "global run-time of a call"; where some of the cells that are drawn are local nevertheless, which. */
export function runtimeTitle(campaign: Campaign, drawn: readonly { cell: number }[]): string {
  if (!campaign.runtime) return "run-time of a call";
  const cells = [...new Set(drawn.map((item) => item.cell))];
  const local = cells.filter((cell) => campaign.local_cells?.includes(cell));
  if (local.length === 0) return `${campaign.runtime} run-time of a call`;
  if (local.length === cells.length) return "local run-time of a call";
  const names = local.slice(0, kNamed).map((cell) => cellName(campaign.cells[cell]!, campaign.cells));
  if (local.length > kNamed) names.push(`${local.length - kNamed} more`);
  return `global run-time of a call, local in ${names.join("; ")}`;
}
