/**
 * A short window: 16-byte keys to 16-byte values, each for `windowMs`, in typed arrays of 40 bytes
 * an entry (a Map costs four times that).
 *
 * Two generations of half-open hash tables with linear probing; a generation is dropped whole when
 * its youngest entry is older than the window. The key's own bytes are uniform (a digest), so they
 * are the hash.
 */
const wordsPerEntry = 10; // 4 words of key, 4 of value, 2 of time
const firstSlots = 64;
/** Number of tables that share the entries: one that grows blocks the thread for its part only. */
const parts = 64;

export class Window {
  private readonly windowMs: number;
  private current = new Generation();
  private previous = new Generation();

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  get(key: string, nowMs: number): string | undefined {
    this.rotate(nowMs);
    const found = this.current.get(key) ?? this.previous.get(key);
    return found !== undefined && nowMs - found.atMs < this.windowMs ? found.value : undefined;
  }

  set(key: string, value: string, atMs: number): void {
    this.rotate(atMs);
    this.current.set(key, value, atMs);
  }

  remove(key: string): void {
    this.current.set(key, "", 0);
  }

  private rotate(nowMs: number): void {
    if (this.current.firstMs === 0 || nowMs - this.current.firstMs < this.windowMs) return;
    this.previous = this.current;
    this.current = new Generation();
  }
}

class Generation {
  firstMs = 0;
  private readonly tables: (Table | undefined)[] = new Array(parts).fill(undefined);

  get(key: string): { value: string; atMs: number } | undefined {
    return this.tables[getPart(key)]?.get(key);
  }

  set(key: string, value: string, atMs: number): void {
    if (this.firstMs === 0) this.firstMs = atMs;
    const part = getPart(key);
    const table = this.tables[part] ?? new Table();
    this.tables[part] = table;
    table.set(key, value, atMs);
  }
}

/** Chooses the part by other bits of the key than those that choose the slot. */
function getPart(key: string): number {
  return key.charCodeAt(0) % parts;
}

class Table {
  private count = 0;
  private slots = firstSlots;
  private words = new Uint32Array(firstSlots * wordsPerEntry);

  get(key: string): { value: string; atMs: number } | undefined {
    const at = this.findSlot(splitWords(key), 0);
    const atMs = this.timeAt(at);
    if (atMs === 0 && isFree(this.words, at)) return undefined;
    return { value: joinWords(this.words, at + 4), atMs };
  }

  set(key: string, value: string, atMs: number): void {
    if ((this.count + 1) * 2 > this.slots) this.grow();
    const words = splitWords(key);
    const at = this.findSlot(words, 0);
    if (isFree(this.words, at)) {
      this.count++;
      this.words.set(words, at);
    }
    if (value !== "") this.words.set(splitWords(value), at + 4);
    this.words[at + 8] = Math.floor(atMs / 0x100000000);
    this.words[at + 9] = atMs >>> 0;
  }

  private timeAt(at: number): number {
    return (this.words[at + 8] ?? 0) * 0x100000000 + (this.words[at + 9] ?? 0);
  }

  /**
   * Returns the word offset of the entry whose key is in `source` at `from`, or of the free slot
   * where it belongs.
   */
  private findSlot(source: Uint32Array, from: number): number {
    const words = this.words;
    let slot = (source[from] ?? 0) & (this.slots - 1);
    for (;;) {
      const at = slot * wordsPerEntry;
      if (isFree(this.words, at)) return at;
      if (
        words[at] === source[from] &&
        words[at + 1] === source[from + 1] &&
        words[at + 2] === source[from + 2] &&
        words[at + 3] === source[from + 3]
      )
        return at;
      slot = (slot + 1) & (this.slots - 1);
    }
  }

  private grow(): void {
    const old = this.words;
    this.slots *= 2;
    this.words = new Uint32Array(this.slots * wordsPerEntry);
    for (let from = 0; from < old.length; from += wordsPerEntry) {
      if (isFree(old, from)) continue;
      const at = this.findSlot(old, from);
      // Copied word by word: a view of each entry would cost more than the copy itself.
      for (let word = 0; word < wordsPerEntry; word++)
        this.words[at + word] = old[from + word] ?? 0;
    }
  }
}

const scratch = new Uint32Array(4);

/** `text` is 16 bytes as a binary string. The result is valid until the next call. */
function splitWords(text: string): Uint32Array {
  for (let word = 0; word < 4; word++) {
    const at = word * 4;
    scratch[word] =
      (text.charCodeAt(at) << 24) |
      (text.charCodeAt(at + 1) << 16) |
      (text.charCodeAt(at + 2) << 8) |
      text.charCodeAt(at + 3);
  }
  return scratch;
}

/** Inverse of `splitWords`, from the four words that begin at `at`. */
function joinWords(words: Uint32Array, at: number): string {
  let text = "";
  for (let index = at; index < at + 4; index++) {
    const word = words[index] ?? 0;
    text += String.fromCharCode(word >>> 24, (word >> 16) & 255, (word >> 8) & 255, word & 255);
  }
  return text;
}

function isFree(words: Uint32Array, at: number): boolean {
  return (
    ((words[at] ?? 0) | (words[at + 1] ?? 0) | (words[at + 2] ?? 0) | (words[at + 3] ?? 0)) === 0
  );
}
