// What figures of all regimes of the machine say, where the verdicts are of one.
import type { View } from "../../figure.ts";
import { duration } from "../../format.ts";

/** For Drawing.note; none where the verdicts are of everything that was measured, too. */
export function regimesNote(view: View): string | undefined {
  const reference = view.campaign.compare?.reference;
  if (!reference?.split) return undefined;
  const { low_ns, high_ns, regime } = reference;
  // The kind of canary stands in front, where it is not the cache line.
  const kind = regime.startsWith("chain:") ? "chain" : regime.startsWith("across:") ? "canary across sockets" : "canary";
  return (
    "These times are of all regimes of the machine together. " +
    `The answer's times, ratios and verdicts are of its reference regime alone (${kind} from ${duration(low_ns)} to ${duration(high_ns)}), so they may differ.`
  );
}
