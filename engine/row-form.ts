/**
 * How a table spells its rows: members by their places in an array instead of by their names. A row
 * is spelled at each of its writes and carried through journal, threads and tables; names would be
 * more than half of it.
 *
 * Stored: places may be appended, not moved nor given to another member.
 */
import { invariant } from "./invariant.ts";
import { codeOf, type Key } from "./key.ts";

/** `stored` is what JSON can say. */
export interface Form {
  toStored(row: unknown): unknown;
  toRow(stored: unknown, key: Key): unknown;
}

/** By table code; tables without one spell their rows as JSON does. */
export type Forms = ReadonlyMap<number, Form>;

/** As it is, in a form of its own, or not at all: the row's key says it. */
type Place = "plain" | Form | ((key: Key) => unknown);

type MemberOf<Row> = Row extends unknown ? keyof Row : never;

interface Stored {
  readonly name: string;
  readonly form: Form | undefined;
}

/** A row's JSON. */
export function spelled(forms: Forms | undefined, key: Key, row: unknown): string {
  const form = forms?.get(codeOf(key));
  return JSON.stringify(form === undefined ? row : form.toStored(row));
}

/** The row that `text` spells. */
export function rowOf(forms: Forms | undefined, key: Key, text: string): unknown {
  const form = forms?.get(codeOf(key));
  const stored: unknown = JSON.parse(text);
  return form === undefined ? stored : form.toRow(stored, key);
}

/**
 * `places` names each member of a row, of all its kinds, in the order in which they are stored.
 * None may be null.
 */
export function rowForm<Row extends object>(
  places: Readonly<Record<MemberOf<Row> & string, Place>>,
): Form {
  const stored: Stored[] = [];
  const inKey: { readonly name: string; readonly read: (key: Key) => unknown }[] = [];
  for (const [name, place] of Object.entries<Place>(places)) {
    if (typeof place === "function") inKey.push({ name, read: place });
    else stored.push({ name, form: place === "plain" ? undefined : place });
  }
  return {
    toStored: (row) => toStored(stored, row as Members),
    toRow(values, key) {
      const row = toMembers(stored, values as readonly unknown[], key);
      for (const { name, read } of inKey) row[name] = read(key);
      return row;
    },
  };
}

/** A list whose items have `form`. */
export function listForm(form: Form): Form {
  return {
    toStored: (rows) => (rows as readonly unknown[]).map((row) => form.toStored(row)),
    toRow: (stored, key) => (stored as readonly unknown[]).map((item) => form.toRow(item, key)),
  };
}

type Members = Record<string, unknown>;

/** Absent members are null, and nothing at the end. */
function toStored(places: readonly Stored[], row: Members): unknown[] {
  const values: unknown[] = [];
  let absent = 0;
  for (const { name, form } of places) {
    const value = row[name];
    if (value === undefined) {
      absent++;
      continue;
    }
    invariant(value !== null, "a member of a stored row is absent or something");
    for (; absent > 0; absent--) values.push(null);
    values.push(form === undefined ? value : form.toStored(value));
  }
  return values;
}

function toMembers(places: readonly Stored[], values: readonly unknown[], key: Key): Members {
  const row: Members = {};
  for (const [at, { name, form }] of places.entries()) {
    const value = values[at];
    if (value === null || value === undefined) continue;
    row[name] = form === undefined ? value : form.toRow(value, key);
  }
  return row;
}
