import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";

/** Dice that fall the same for the same seed. */
export class Dice {
  private readonly entropy;

  constructor(seed: number) {
    this.entropy = createSeededEntropy(seed);
  }

  /** An integer from 0 to `below` - 1. */
  number(below: number): number {
    return Buffer.from(this.entropy.bytes(4)).readUInt32LE() % below;
  }

  /** From 0 up to 1. */
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
