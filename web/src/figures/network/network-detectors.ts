// Where rules of other tools see changes of protocol in the same times, and where the model has its breaks.
import * as Plot from "@observablehq/plot";
import type { Figure, Value, View } from "../../figure.ts";
import { bytes, plural } from "../../format.ts";
import type { SeriesStyle } from "../../style.ts";
import { BytesAxis, middle } from "../kit/bytes-axis.ts";
import { Rows } from "../kit/category.ts";
import { type Axis, chart, intervalsX, points, tips } from "../kit/chart.ts";
import { bounded, groupBy, joinNotes } from "../kit/facets.ts";
import { sheet } from "../kit/sheet.ts";
import { breaksOf, type ModelRow, networkRows, type Piece, type Point, whoOf } from "./network-rows.ts";

const kPanels = 6;
const kInvar = "Invar";

export interface Detector extends ModelRow {
  detector: string;
  of: string;
  sizes: number;
  count: number | null; // null: it could not be asked
  low_bytes: number[];
  high_bytes: number[];
  why: string | null;
}

/** A change, as one rule sees it: somewhere from `low` to `high`. */
interface Change extends ModelRow {
  rule: string;
  low: number;
  high: number;
  at: number;
  own: boolean;
}

/** All changes that anybody sees, ours first; a rule that saw none has a row all the same. */
export function changesOf(pieces: readonly Piece[], detectors: readonly Detector[]): { rules: string[]; changes: Change[] } {
  const ours = pieces.map(({ series }) => `${kInvar}, ${series}`);
  const asked = detectors.filter(({ count }) => count !== null);
  return {
    rules: [...new Set([...ours, ...asked.map(({ detector, of }) => `${detector}, ${of}`)])],
    changes: [
      ...breaksOf(pieces).map(
        ({ arm, place, series, low_bytes, high_bytes, last_bytes, first_bytes }): Change => ({
          arm, place, rule: `${kInvar}, ${series}`, low: low_bytes, high: high_bytes, at: middle(last_bytes, first_bytes), own: true,
        }),
      ),
      ...asked.flatMap(({ arm, place, detector, of, low_bytes, high_bytes }) =>
        low_bytes.map((low, i): Change => {
          const high = high_bytes[i] ?? low;
          return { arm, place, rule: `${detector}, ${of}`, low, high, at: middle(low, high), own: false };
        }),
      ),
    ],
  };
}

function drawPanel(view: View, changes: readonly Change[], names: readonly string[], axis: BytesAxis, width: number): SVGSVGElement {
  const rows = new Rows(names);
  const most = width * 0.44;
  const left = rows.margin(view, most);
  const x: Axis = { type: "linear", domain: axis.domain, ticks: axis.ticks(width - left - 16), format: (at) => bytes(Math.round(2 ** at)), grid: true };
  const at = { x: (d: Change) => axis.at(d.at), y: (d: Change) => rows.at(d.rule) };
  const looks: [boolean, SeriesStyle][] = [[true, view.style.series("role", 0)], [false, view.style.series("role", 1)]];
  return chart(view, {
    width,
    height: rows.names.length * rows.pitch(view, most, 22) + 40,
    left,
    right: 16,
    top: 6,
    x,
    y: null,
    yDomain: rows.domain,
    marks: [
      rows.lines(view),
      ...looks.flatMap(([own, series]) => {
        const some = changes.filter((change) => change.own === own);
        return [
          // A break reaches down to all rules that could have seen it.
          ...(own ? [Plot.ruleX(some, { x: at.x, stroke: series.colour, strokeOpacity: 0.25 })] : []),
          intervalsX(some, { y: at.y, low: (d) => axis.at(d.low), high: (d) => axis.at(d.high) }, { colour: series.colour, width: 3 }),
          points(view, some, at, { series, r: 3.5, hollow: !own }),
        ];
      }),
      Plot.text(
        names.filter((name) => !changes.some(({ rule }) => rule === name)),
        { x: axis.domain[1], y: (name: string) => rows.at(name), text: () => "none", textAnchor: "end", dx: -4, fill: view.style.muted, fontSize: 11, stroke: view.style.background, strokeWidth: 4 },
      ),
      rows.labels(view, most, width),
      tips(view, changes, { ...at, text: (d) => `${d.rule}\nbetween ${bytes(d.low)} and ${bytes(d.high)}` }),
    ],
  });
}

export const figure: Figure = {
  id: "network-detectors",
  section: { id: "network" },
  question: "network",
  title: "Who sees a change of protocol where",
  read:
    "Each row is a rule on what it looks at, and each mark a size at which it says that the library begins to send in another way, with a bar over all sizes between which that may be. " +
    "The first rows are the model's breaks, drawn on through all rows: a mark of another rule where they have none may follow a single launch or a slow moment.",
  draw(view) {
    const pieces = networkRows<Piece>(view, "pieces");
    const detectors = networkRows<Detector>(view, "detectors");
    const groups = [...groupBy([...pieces, ...detectors] as ModelRow[], whoOf)];
    if (detectors.length === 0) return null;
    const { shown, note } = bounded(groups, kPanels, "arms", "arms");
    const sizes = networkRows<Point>(view, "points").map(({ size_bytes }) => size_bytes);
    const of = (who: string) =>
      changesOf(pieces.filter((row) => whoOf(row) === who), detectors.filter((row) => whoOf(row) === who));
    const axis = new BytesAxis([...sizes, ...groups.flatMap(([who]) => of(who).changes.flatMap(({ low, high }) => [low, high]))]);
    const silent = detectors.filter(({ count }) => count === null);
    const told = [...new Set(silent.map(({ detector, of: what, why }) => `${detector} of ${what}: ${why ?? "not asked"}`))];
    const all = groups.flatMap(([who]) => of(who).changes);
    const several = groups.length > 1;
    return {
      element: sheet(view, {
        label: "Sizes at which rules of several tools see a change of protocol",
        legend: [
          { label: "breaks of the model", ...view.style.series("role", 0), bar: true },
          { label: "other tools' rules, on the same times", ...view.style.series("role", 1), hollow: true, bar: true },
        ].map(({ dash: _, ...entry }) => entry),
        xTitle: "message size",
        panels: shown.map(([who]) => {
          const { rules, changes } = of(who);
          return {
            ...(several ? { title: who } : {}),
            draw: (width: number) => drawPanel(view, changes, rules, axis, width),
          };
        }),
        least: 420,
        columns: 2,
      }),
      table: {
        columns: ["arm", "place", "rule", "between (bytes)", "and (bytes)"],
        rows: all.map(({ arm, place, rule, low, high }): Value[] => [arm, place, rule, low, high]),
      },
      summary: groups
        .map(([who]) => {
          const { rules, changes } = of(who);
          return `${who}: ${rules.map((rule) => `${rule} ${plural(changes.filter((change) => change.rule === rule).length, "change")}`).join("; ")}`;
        })
        .join(". "),
      note: joinNotes(note, told.length > 0 ? `Not asked: ${told.join("; ")}.` : undefined),
    };
  },
};
