/**
 * Copies of records, one behind the other in pages that are filled again and again. Records are
 * kept for seconds: each in memory of its own they survive V8's young collections, and every 64 MB
 * of them call for a full one.
 */
const pageBytes = 256 * 1024;
/** Of the first; each further one is twice as large. Most shards of a quiet cluster need one. */
const firstBytes = 16 * 1024;

export class RecordPages {
  private readonly pages: Uint8Array[] = [];
  /** The page that is being filled, and how far it is. */
  private page = 0;
  private end = 0;

  /** Returns the copy, which is good until `clear`. */
  add(record: Uint8Array): Uint8Array {
    const { length } = record;
    while (this.end + length > (this.pages[this.page]?.length ?? 0)) {
      const isNew = this.pages[this.page] === undefined;
      if (isNew) this.pages.push(new Uint8Array(Math.max(this.nextBytes, length)));
      else this.page += 1;
      this.end = 0;
    }
    const copy = (this.pages[this.page] as Uint8Array).subarray(this.end, this.end + length);
    copy.set(record);
    this.end += length;
    return copy;
  }

  private get nextBytes(): number {
    return Math.min(pageBytes, firstBytes * 2 ** this.pages.length);
  }

  /** Gives back the pages that were not needed since the last time. */
  clear(): void {
    this.pages.length = Math.min(this.pages.length, this.page + 1);
    this.page = 0;
    this.end = 0;
  }
}
