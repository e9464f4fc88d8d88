// Small multiples: how many there are room for, and what to say about the others.

export interface Bounded<T> {
  shown: T[];
  note: string | undefined; // for Drawing.note; none where everything is shown
}

/** The first `most` of them; the note says how many there are and how to see the others: nothing is left out in silence. */
export function bounded<T>(items: readonly T[], most: number, what: string, filters = "operation, size or ranks"): Bounded<T> {
  if (items.length <= most) return { shown: [...items], note: undefined };
  return {
    shown: items.slice(0, most),
    note: `${most} of ${items.length} ${what} are drawn. Choose ${filters} in the filters to see the others.`,
  };
}

export function joinNotes(...notes: (string | undefined)[]): string | undefined {
  const some = notes.filter((note): note is string => Boolean(note));
  return some.length > 0 ? some.join(" ") : undefined;
}

/** Groups in the order in which their first member comes. */
export function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const at = key(item);
    const group = groups.get(at);
    if (group) group.push(item);
    else groups.set(at, [item]);
  }
  return groups;
}

/** The columns of a grid of `count` panels in `width` px, none narrower than `least` (if there is more than one). */
export function columnsFor(count: number, width: number, least: number, most: number, gap: number): number {
  const room = Math.max(1, Math.min(most, Math.floor((width + gap) / (least + gap)), count));
  // Four panels stand better two by two than three and one.
  const rows = Math.ceil(count / room);
  return Math.ceil(count / rows);
}
