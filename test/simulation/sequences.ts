/** Runs random sequences of commands and stops at the first broken promise, shrunk. */
import fc from "fast-check";

/** Runs commands one by one and returns what is wrong after each. */
export interface Subject<Command> {
  run(command: Command): Promise<void> | undefined;
  findBreak(): string | undefined;
}

const sequenceLengthMax = 24;
const seed = 20_261_120;
/** Number of sequences; `npm run test:long` tries five times as many, these being the first. */
export const sequences = Number(process.env["TEST_SEQUENCES"] ?? 2_000);

function createSequences<Command>(command: fc.Arbitrary<Command>): fc.Arbitrary<Command[]> {
  return fc.array(command, { maxLength: sequenceLengthMax, size: "max" });
}

/** Throws with the shortest sequence that breaks a promise; else reports how much was tried. */
export async function checkSequences<Command>(
  command: fc.Arbitrary<Command>,
  stage: () => Subject<Command>,
): Promise<{ commands: number }> {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(createSequences(command), async (commands) => {
      count += commands.length;
      const wrong = await firstBroken(commands, stage());
      if (wrong !== undefined) throw new Error(wrong);
    }),
    { numRuns: sequences, seed },
  );
  return { commands: count };
}

/** A negative control: returns the first complaint about a product with a bug, or undefined. */
export async function find<Command>(
  command: fc.Arbitrary<Command>,
  stage: () => Subject<Command>,
): Promise<string | undefined> {
  const samples = fc.sample(createSequences(command), { numRuns: 1_000, seed });
  for (const commands of samples) {
    const wrong = await firstBroken(commands, stage());
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** Returns the first promise that a sequence breaks, or undefined. */
export async function firstBroken<Command>(
  commands: readonly Command[],
  subject: Subject<Command>,
): Promise<string | undefined> {
  for (const command of commands) {
    const running = subject.run(command);
    if (running !== undefined) await running;
    const wrong = subject.findBreak();
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
