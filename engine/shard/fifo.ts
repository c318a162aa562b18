/** First in, first out; the array is cut when its dead half outgrows the living. */
export class Fifo<Item extends object> {
  private items: (Item | undefined)[] = [];
  private at = 0;

  get size(): number {
    return this.items.length - this.at;
  }

  get first(): Item | undefined {
    return this.items[this.at];
  }

  push(item: Item): void {
    this.items.push(item);
  }

  /** Before all others. */
  putFirst(item: Item): void {
    if (this.at > 0) this.items[--this.at] = item;
    else this.items.unshift(item);
  }

  shift(): Item | undefined {
    const item = this.items[this.at];
    if (item === undefined) return undefined;
    this.items[this.at++] = undefined;
    if (this.at > 1024 && this.at * 2 > this.items.length) {
      this.items = this.items.slice(this.at);
      this.at = 0;
    }
    return item;
  }

  keep(isKept: (item: Item) => boolean): void {
    this.items = this.items.filter((item) => item !== undefined && isKept(item));
    this.at = 0;
  }
}
