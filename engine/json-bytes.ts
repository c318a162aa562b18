/**
 * JSON that is written straight into bytes, one value behind the other. It says what
 * `JSON.stringify` says; a row is spelled at each of its writes, and a string that is only copied
 * into a record afterwards costs several times as much.
 */
export class JsonBytes {
  bytes = Buffer.allocUnsafeSlow(64 * 1024);
  /** Where the next value begins. */
  end = 0;
  /** Items of the open list that are not there: `null` if one follows that is. */
  private absent = 0;

  /** Forgets what stands behind `end`. */
  truncate(end: number): void {
    this.end = end;
    this.absent = 0;
  }

  /** What JSON can say. */
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

  /** Of the open list; absent ones at its end are left out. */
  item(value: unknown): void {
    if (value === undefined) {
      this.absent++;
      return;
    }
    this.next();
    this.value(value);
  }

  /** An item that is a list and stays open. */
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

  /** An item is about to follow. */
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
    let rest = value;
    if (value < 0) {
      this.bytes[this.end++] = minus;
      rest = -value;
    }
    if (rest < billion) {
      this.digits(rest, countDigits(rest));
      return;
    }
    const billions = Math.floor(rest / billion);
    this.digits(billions, countDigits(billions));
    this.digits(rest - billions * billion, 9);
  }

  /** `value` is below a billion: V8 divides such a number without a floating point. */
  private digits(value: number, count: number): void {
    const { bytes, end } = this;
    let rest = value;
    for (let at = end + count - 1; at > end; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = zero + rest - tenth * 10;
      rest = tenth;
    }
    bytes[end] = zero + rest;
    this.end = end + count;
  }

  /** As it is for as long as nothing in it wants an escape or a second byte. */
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

  /** A value that is JSON already. */
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

function countDigits(value: number): number {
  let count = 1;
  for (let bound = 10; bound <= value; bound *= 10) count++;
  return count;
}

const billion = 1_000_000_000;
const numberBytesMax = 20;
const [opening, closing, comma, minus, quote, backslash, zero] = [91, 93, 44, 45, 34, 92, 48];
const nullBytes = [110, 117, 108, 108];
