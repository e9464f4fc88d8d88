// What figures of all regimes of the machine say, where the verdicts are of one.
import type { View } from "../../figure.ts";
import { duration } from "../../format.ts";

/** For Drawing.note; none where the verdicts are of everything that was measured, too. */
export function regimesNote(view: View): string | undefined {
  const reference = view.campaign.compare?.reference;
  if (!reference?.split) return undefined;
  const { low_ns, high_ns } = reference;
  return (
    "These times are of all regimes of the machine together. " +
    `The answer's times, ratios and verdicts are of its reference regime alone (canary from ${duration(low_ns)} to ${duration(high_ns)}), so they may differ.`
  );
}
