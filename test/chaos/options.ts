/** Options of the command line. */
import { parseArgs } from "node:util";

export const durabilities = ["quorum", "replicated", "local"] as const;
export type Durability = (typeof durabilities)[number];

export interface ChaosOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Path or name of the NATS server's program. */
  readonly nats: string;
  readonly durability: Durability;
}

export class OptionsError extends Error {
  override readonly name = "OptionsError";
}

/** Reads the options. Throws `OptionsError` with one sentence. */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { rounds, seed, nats, durability } = parse(args);
  const known = durabilities.find((each) => each === durability);
  if (known === undefined)
    throw new OptionsError(`--durability is one of ${durabilities.join(", ")}.`);
  return {
    rounds: integer("rounds", rounds),
    seed: integer("seed", seed),
    nats,
    durability: known,
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rounds: { type: "string", default: "10" },
        seed: { type: "string", default: "1" },
        nats: { type: "string", default: "nats-server" },
        durability: { type: "string", default: "quorum" },
      },
    });
    return values;
  } catch (error) {
    throw new OptionsError((error as Error).message);
  }
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1_000_000)
    throw new OptionsError(`--${name} is a whole number from 1 to 1000000.`);
  return value;
}
