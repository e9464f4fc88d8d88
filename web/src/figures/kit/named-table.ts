// A table with its title, as it stands beside figures.
import type { Table } from "../../figure.ts";

export interface NamedTable {
  title: string;
  table: Table;
}
