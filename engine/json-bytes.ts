import { invariant } from "./invariant.ts";

/**
 * Writes JSON straight into bytes, one value after the other, as `JSON.stringify` would. A row is
 * encoded at each of its writes; copying a string into a record afterwards costs several times as
 * much.
 */
export class JsonBytes {
  bytes = Buffer.allocUnsafeSlow(bytesAtFirst);
  /** Offset at which the next value begins. */
  end = 0;
  /** Count of absent items at the open list's end; each becomes `null` if a present one follows. */
  private absent = 0;

  /** Discards the bytes after `end`. */
  truncate(end: number): void {
    this.end = end;
    this.absent = 0;
  }

  /** Writes any JSON value. */
  value(value: unknown): void {
    if (typeof value === "number") this.number(value);
    else if (typeof value === "string") this.string(value);
    else if (Array.isArray(value)) this.list(value);
    else this.json(JSON.stringify(value));
  }

  openList(): void {
    this.reserve(1);
    this.bytes[this.end++] = opening;
  }

  /** Adds an item to the open list; trailing absent ones are omitted. Null would read as absent. */
  item(value: unknown): void {
    if (value === undefined) {
      this.absent++;
      return;
    }
    invariant(value !== null, "a member of a stored row is absent or something");
    this.next();
    this.value(value);
  }

  /** Adds `count` absent items. */
  skip(count: number): void {
    this.absent += count;
  }

  /** Adds an item that is a list and stays open. */
  openItem(): void {
    this.next();
    this.openList();
  }

  closeList(): void {
    this.absent = 0;
    this.reserve(1);
    this.bytes[this.end++] = closing;
  }

  private list(values: readonly unknown[]): void {
    this.openList();
    for (const value of values) {
      this.next();
      this.value(value ?? null);
    }
    this.closeList();
  }

  /** Prepares for an item: writes the pending nulls and the comma. */
  private next(): void {
    this.reserve(1 + this.absent * (1 + nullBytes.length));
    for (; this.absent > 0; this.absent--) {
      this.separate();
      for (const byte of nullBytes) this.bytes[this.end++] = byte;
    }
    this.separate();
  }

  private separate(): void {
    if (this.bytes[this.end - 1] !== opening) this.bytes[this.end++] = comma;
  }

  private number(value: number): void {
    if (!Number.isSafeInteger(value)) {
      this.json(JSON.stringify(value));
      return;
    }
    this.reserve(numberBytesMax);
    if (value < 0) {
      this.bytes[this.end++] = minus;
      this.digits(-value);
    } else this.digits(value);
  }

  private digits(value: number): void {
    if (value < billion) this.digitsOfSmall(value);
    else {
      const billions = Math.floor(value / billion);
      const rest = value - billions * billion;
      const thousands = (rest / 1000) | 0;
      const millions = (thousands / 1000) | 0;
      this.digitsOfSmall(billions);
      this.threeDigits(millions);
      this.threeDigits(thousands - millions * 1000);
      this.threeDigits(rest - thousands * 1000);
    }
  }

  /** Writes the digits of a value below a billion: V8 divides these without floating point. */
  private digitsOfSmall(value: number): void {
    if (value < 10) this.bytes[this.end++] = zero + value;
    else if (value < 100) {
      const tens = (value / 10) | 0;
      this.bytes[this.end++] = zero + tens;
      this.bytes[this.end++] = zero + value - tens * 10;
    } else if (value < 1000) this.threeDigits(value);
    else {
      const thousands = (value / 1000) | 0;
      this.digitsOfSmall(thousands);
      this.threeDigits(value - thousands * 1000);
    }
  }

  private threeDigits(value: number): void {
    const { bytes, end } = this;
    const at = value * 3;
    bytes[end] = triples[at] ?? zero;
    bytes[end + 1] = triples[at + 1] ?? zero;
    bytes[end + 2] = triples[at + 2] ?? zero;
    this.end = end + 3;
  }

  /** Copies the text as it is until a character needs an escape or a second byte. */
  private string(value: string): void {
    const { length } = value;
    this.reserve(length + 2);
    const { bytes, end } = this;
    bytes[end] = quote;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code < 32 || code > 126 || code === quote || code === backslash) {
        this.json(JSON.stringify(value));
        return;
      }
      bytes[end + 1 + index] = code;
    }
    bytes[end + 1 + length] = quote;
    this.end = end + length + 2;
  }

  /** Writes a value that is JSON already. */
  json(text: string): void {
    this.reserve(text.length * 3);
    this.end += this.bytes.write(text, this.end, "utf8");
  }

  private reserve(count: number): void {
    const least = this.end + count;
    if (least <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(least)));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

/** Initial size of the buffer: most records of a quiet shard are smaller. */
const bytesAtFirst = 4 * 1024;
const billion = 1_000_000_000;
const numberBytesMax = 20;
/** The digits of 000 to 999, one after the other: three digits at a time cost one division. */
const triples = Buffer.from(
  Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, "0")).join(""),
);
const [opening, closing, comma, minus, quote, backslash, zero] = [91, 93, 44, 45, 34, 92, 48];
const nullBytes = [110, 117, 108, 108];
