/**
 * Copies of records, one after the other in pages that are reused. Records are kept for seconds:
 * allocated one by one they would survive V8's young collections, and every 64 MB of them would
 * cause a full one.
 */
const pageBytes = 256 * 1024;
/** Size of the first page; each next one doubles. Most shards of a quiet cluster need one. */
const firstBytes = 16 * 1024;

export class RecordPages {
  private readonly pages: Uint8Array[] = [];
  /** Index of the page that is being filled, and the offset at which it is free. */
  private page = 0;
  private end = 0;

  /** Returns the record's copy, which is valid until `clear`. */
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

  /** Frees the pages that were not used since the last call. */
  clear(): void {
    this.pages.length = Math.min(this.pages.length, this.page + 1);
    this.page = 0;
    this.end = 0;
  }
}
