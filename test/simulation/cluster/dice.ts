/** The one source of randomness of a simulation: equal draws for equal seeds (mulberry32). */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = (seed + 0x9e3779b9) | 0;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number from `least` to `most`, both inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** Returns true in `share` of a hundred draws. */
  percent(share: number): boolean {
    return this.next() * 100 < share;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.next() * values.length)];
    if (value === undefined) throw new Error("nothing can be picked from an empty list");
    return value;
  }

  /** Picks a kind by its weight; kinds of weight 0 are never picked. */
  weigh<Kind extends string>(weights: Readonly<Record<Kind, number>>): Kind {
    const kinds = Object.entries<number>(weights) as [Kind, number][];
    let left = this.next() * kinds.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [kind, weight] of kinds) {
      left -= weight;
      if (left < 0) return kind;
    }
    throw new Error("no kind has a weight");
  }
}
