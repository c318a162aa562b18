/** A first-in, first-out queue; the array is cut when more than half of it is used up. */
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

  /** Puts an item before all others. */
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
