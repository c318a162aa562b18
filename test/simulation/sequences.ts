/** Runs random sequences of commands and stops at the first broken promise, shrunk. */
import fc from "fast-check";

/** What runs commands one by one and says what is wrong after each. */
export interface Subject<Command> {
  run(command: Command): Promise<void> | undefined;
  broken(): string | undefined;
}

const sequenceLengthMax = 24;

export interface Bounds {
  readonly numRuns?: number;
  readonly maxLength?: number;
}

/** Throws with the shortest sequence that breaks a promise; else says how much was tried. */
export async function checkSequences<Command>(
  command: fc.Arbitrary<Command>,
  stage: () => Subject<Command>,
  { numRuns = 10_000, maxLength = sequenceLengthMax }: Bounds = {},
): Promise<{ commands: number }> {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength, size: "max" }), async (commands) => {
      count += commands.length;
      const wrong = await firstBroken(commands, stage());
      if (wrong !== undefined) throw new Error(wrong);
    }),
    { numRuns, seed: 20_261_120 },
  );
  return { commands: count };
}

/** A negative control: what the checks say first about a product with a bug, or undefined. */
export async function found<Command>(
  command: fc.Arbitrary<Command>,
  stage: () => Subject<Command>,
): Promise<string | undefined> {
  const sequences = fc.sample(fc.array(command, { maxLength: sequenceLengthMax, size: "max" }), {
    numRuns: 1_000,
    seed: 20_261_120,
  });
  for (const commands of sequences) {
    const wrong = await firstBroken(commands, stage());
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** What a sequence breaks first, or undefined. */
export async function firstBroken<Command>(
  commands: readonly Command[],
  subject: Subject<Command>,
): Promise<string | undefined> {
  for (const command of commands) {
    const running = subject.run(command);
    if (running !== undefined) await running;
    const wrong = subject.broken();
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
