/**
 * How a table writes its rows: members by their places in a flat array instead of by their names. A
 * row is encoded at each of its writes and carried through journal, threads and tables; names would
 * be more than half of it, and each array or object inside costs as much as three numbers.
 *
 * Stored: a form that changes makes the store another version's.
 */
import { invariant } from "./invariant.ts";
import { JsonBytes } from "./json-bytes.ts";
import { getCode, type Key } from "./key.ts";

/** Codecs by table code; tables without one encode their rows as plain JSON. */
export type RowCodecs = ReadonlyMap<number, RowCodec>;

/** Encodes a row as list items; its members are JSON values. */
export interface RowCodec {
  /** Appends `row` as items to the open list. */
  write(to: JsonBytes, row: unknown): void;
  /** Decodes a row from `values[at]` on. */
  read(values: readonly unknown[], at: number, key: Key): unknown;
}

/** A codec that always takes the same number of list items, so that others can follow. */
export interface PartCodec extends RowCodec {
  readonly width: number;
}

/** A member is stored as it is, as items of its own members, or only in the row's key. */
type Place = "plain" | PartCodec | ((key: Key) => unknown);

type Places<Row> = Readonly<Record<keyof Row & string, Place>>;

/** A row that is encoded already and stored without being decoded. */
export class EncodedRow {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/** Appends a row of the table `code` to `to`. */
export function encodeRow(
  rowCodecs: RowCodecs | undefined,
  code: number,
  row: unknown,
  to: JsonBytes,
): void {
  const codec = rowCodecs?.get(code);
  if (row instanceof EncodedRow) to.json(row.json);
  else if (codec === undefined) to.value(row);
  else {
    to.openList();
    codec.write(to, row);
    to.closeList();
  }
}

const scratch = new JsonBytes();

/** Returns the JSON of a row of the table `code`. */
export function encodeText(rowCodecs: RowCodecs | undefined, code: number, row: unknown): string {
  scratch.truncate(0);
  encodeRow(rowCodecs, code, row, scratch);
  return scratch.bytes.toString("utf8", 0, scratch.end);
}

/** Returns the row that `text` encodes. */
export function decodeRow(rowCodecs: RowCodecs | undefined, key: Key, text: string): unknown {
  const codec = rowCodecs?.get(getCode(key));
  const stored: unknown = JSON.parse(text);
  return codec === undefined ? stored : codec.read(stored as unknown[], 0, key);
}

/** `places` lists the members in the order in which they are stored. No member may be null. */
export function rowCodec<Row extends object>(places: Places<Row>): PartCodec {
  return new Members(Object.entries<Place>(places));
}

/** Codec of a row that is one of several kinds, distinguished by `tag`. */
export function kindsCodec<Tag extends string, Row extends { readonly [Name in Tag]: string }>(
  tag: Tag,
  kinds: { readonly [Kind in Row[Tag]]: PartCodec },
): RowCodec {
  return new Kinds(tag, Object.entries<PartCodec>(kinds));
}

/** Codec of a list whose items all have one form; the list takes one item. */
export function listCodec(codec: PartCodec): PartCodec {
  return new List(codec);
}

/** A row, or part of one, whose type was checked when its codec was made. */
type Named = Record<string, unknown>;

class Members implements PartCodec {
  readonly width: number;
  readonly write: Writer;
  private readonly names: string[] = [];
  private readonly rowCodecs: (PartCodec | undefined)[] = [];
  private readonly inKey: { readonly name: string; readonly find: (key: Key) => unknown }[] = [];

  constructor(places: readonly (readonly [name: string, place: Place])[]) {
    let width = 0;
    for (const [name, place] of places) {
      if (typeof place === "function") {
        this.inKey.push({ name, find: place });
        continue;
      }
      this.names.push(name);
      this.rowCodecs.push(place === "plain" ? undefined : place);
      width += place === "plain" ? 1 : place.width;
    }
    this.width = width;
    this.write = createWriter(this.names, this.rowCodecs);
  }

  /** Returns undefined when none of the row's members is present. */
  read(values: readonly unknown[], from: number, key: Key): Named | undefined {
    const row: Named = {};
    let at = from;
    let isThere = false;
    for (const [index, name] of this.names.entries()) {
      const codec = this.rowCodecs[index];
      const value = codec === undefined ? values[at] : codec.read(values, at, key);
      at += codec?.width ?? 1;
      if (value === undefined || value === null) continue;
      row[name] = value;
      isThere = true;
    }
    if (!isThere) return undefined;
    for (const { name, find } of this.inKey) row[name] = find(key);
    return row;
  }
}

type Writer = (to: JsonBytes, row: Named) => void;

/**
 * Generates code that accesses each member by name: a loop over names takes V8 twice as long, and
 * rows are encoded more often than anything else is done.
 */
function createWriter(
  names: readonly string[],
  rowCodecs: readonly (PartCodec | undefined)[],
): Writer {
  const lines = names.map((name, at) => {
    const member = `row[${JSON.stringify(name)}]`;
    if (rowCodecs[at] === undefined) return `to.item(${member});`;
    const write = `forms[${at}].write(to, ${member})`;
    return `${member} === undefined ? to.skip(forms[${at}].width) : ${write};`;
  });
  return new Function("forms", `return (to, row) => {\n${lines.join("\n")}\n};`)(
    rowCodecs,
  ) as Writer;
}

class Kinds implements RowCodec {
  private readonly tag: string;
  private readonly names: readonly string[];
  private readonly rowCodecs: readonly PartCodec[];

  constructor(tag: string, kinds: readonly (readonly [name: string, form: PartCodec])[]) {
    this.tag = tag;
    this.names = kinds.map(([name]) => name);
    this.rowCodecs = kinds.map(([, codec]) => codec);
  }

  write(to: JsonBytes, row: Named): void {
    const kind = this.names.indexOf(String(row[this.tag]));
    const codec = this.rowCodecs[kind];
    invariant(codec !== undefined, `a stored row has one of the kinds of its ${this.tag}`);
    to.item(kind);
    codec.write(to, row);
  }

  read(values: readonly unknown[], at: number, key: Key): unknown {
    const kind = Number(values[at]);
    const members = this.rowCodecs[kind]?.read(values, at + 1, key) as Named | undefined;
    return { [this.tag]: this.names[kind], ...members };
  }
}

class List implements PartCodec {
  readonly width = 1;
  private readonly codec: PartCodec;

  constructor(codec: PartCodec) {
    this.codec = codec;
  }

  write(to: JsonBytes, items: readonly unknown[]): void {
    to.openItem();
    for (const item of items) this.codec.write(to, item);
    to.closeList();
  }

  read(values: readonly unknown[], at: number, key: Key): unknown {
    const list = values[at];
    if (!Array.isArray(list)) return undefined;
    const items: unknown[] = [];
    for (let from = 0; from < list.length; from += this.codec.width)
      items.push(this.codec.read(list, from, key));
    return items;
  }
}
