// Curves of the observations, one an arm, a panel for each cell: density, ECDF and tail.
import * as Plot from "@observablehq/plot";
import type { Distribution } from "../../data.ts";
import type { Drawing, View } from "../../figure.ts";
import { count } from "../../format.ts";
import { armLegend, armsOf, levelsOf } from "./arms.ts";
import { type Axis, chart } from "./chart.ts";
import { chosenCells, timeAxis } from "./observations.ts";
import { runtimeTitle } from "./runtime.ts";
import { sheet } from "./sheet.ts";
import { levelColumns } from "./table.ts";

export interface Vertex {
  ns: number;
  value: number;
}

export interface CurveKind {
  of: (distribution: Distribution) => Vertex[];
  /** Ends of the axis of times, from all arms of a cell. */
  range: (items: readonly Distribution[]) => [number, number];
  logTime?: boolean;
  y: (curves: readonly Vertex[][]) => Axis;
  left: number;
  /** What is drawn instead of the value on a logarithmic axis of times. */
  onLog?: (vertex: Vertex) => number;
  curve: "linear" | "step-after";
  fill: boolean;
  yTitle: string;
  column: string; // name of the value in the table
  words: (arm: string, vertex: Vertex) => string;
  label: string;
}

function drawCell(view: View, items: Distribution[], kind: CurveKind, width: number): SVGSVGElement {
  const { style } = view;
  const [low, high] = kind.range(items);
  const { axis } = timeAxis(low, high, width - kind.left - 16, kind.logTime ?? undefined);
  const arms = armsOf(view, items);
  const scaled = (vertex: Vertex): Vertex => (axis.type === "log" && kind.onLog ? { ...vertex, value: kind.onLog(vertex) } : vertex);
  const curves = arms.map((arm) => kind.of(items.find((item) => item.arm === arm)!).map(scaled));
  const y = kind.y(curves);
  const marks: Plot.Markish[] = [];
  arms.forEach((arm, i) => {
    const look = style.arm(arm);
    const curve = curves[i]!.filter((vertex) => vertex.ns >= low && vertex.ns <= high && (y.type === "linear" || vertex.value > 0));
    if (kind.fill && arms.length < 3) marks.push(Plot.areaY(curve, { x: "ns", y1: 0, y2: "value", fill: look.colour, fillOpacity: 0.14 }));
    marks.push(
      Plot.line(curve, {
        x: "ns",
        y: "value",
        curve: kind.curve,
        stroke: look.colour,
        strokeWidth: 1.75,
        strokeDasharray: look.dash || "none",
      }),
    );
  });
  const all = arms.flatMap((arm, i) =>
    curves[i]!.filter((vertex) => vertex.ns >= low && vertex.ns <= high).map((vertex) => ({ arm, ...vertex })),
  );
  marks.push(
    Plot.tip(all, {
      ...Plot.pointer({ x: "ns", y: "value", maxRadius: 30 }),
      title: (d: Vertex & { arm: string }) => kind.words(d.arm, d),
      fill: style.surface,
      stroke: style.muted,
      fontSize: 12,
    }),
  );
  return chart(view, { width, height: 200, left: kind.left, right: 16, top: 8, x: axis, y, marks });
}

export function drawCurves(view: View, kind: CurveKind): Drawing | null {
  const { cells, note } = chosenCells(view, view.campaign.distributions);
  if (cells.length === 0) return null;
  const visible = cells.flatMap((cell) => cell.items);
  const columns = levelColumns(view.campaign.cells);
  return {
    element: sheet(view, {
      label: `${kind.label} of ${cells.length} cells`,
      legend: armLegend(view, armsOf(view, visible), "line"),
      yTitle: kind.yTitle,
      xTitle: `${runtimeTitle(view.campaign, visible)}${kind.logTime ? " (logarithmic)" : ""}`,
      panels: cells.map((cell) => ({ title: cell.title, draw: (width) => drawCell(view, cell.items, kind, width) })),
      least: 280,
      columns: 3,
      gap: 28,
    }),
    table: {
      columns: [...columns.columns, "arm", "time (ns)", kind.column],
      rows: visible.flatMap((item) =>
        kind.of(item).map((vertex) => [...columns.of(levelsOf(view, item)), item.arm, vertex.ns, vertex.value]),
      ),
    },
    summary: `${kind.label} from ${count(visible.reduce((sum, item) => sum + item.observations, 0))} observations of ${cells.length} cells.`,
    note,
  };
}
