import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";

/** A source of randomness that gives the same draws for the same seed. */
export class Dice {
  private readonly entropy;

  constructor(seed: number) {
    this.entropy = createSeededEntropy(seed);
  }

  /** Returns an integer from 0 to `below` - 1. */
  number(below: number): number {
    return Buffer.from(this.entropy.bytes(4)).readUInt32LE() % below;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  share(): number {
    return this.number(2 ** 32) / 2 ** 32;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.number(choices.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(this.entropy.bytes(length));
  }
}
