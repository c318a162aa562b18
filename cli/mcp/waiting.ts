/** Waiting as an agent's program can bear it: for a while, and then the agent asks again. */
import { Type } from "../../config/schema.ts";

/** An agent's program waits for an answer about so long. */
const waitSecondsMax = 300;
export const waitSecondsUsual = 60;

export const timeoutSeconds = Type.Optional(
  Type.Integer({ minimum: 1, maximum: waitSecondsMax, default: waitSecondsUsual }),
);

/** Ends `work` by its signal after `seconds`; that it ended so is no fault. */
export async function forSeconds(
  seconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const late = AbortSignal.timeout(seconds * 1_000);
  try {
    await work(AbortSignal.any([signal, late]));
  } catch (fault) {
    if (!late.aborted || signal.aborted) throw fault;
  }
}
