/** Bounded waiting: an agent's program waits for a while, and then the agent calls again. */
import { Type } from "../../config/schema.ts";

/** An agent's program waits about this long for an answer. */
const waitSecondsMax = 300;
export const waitSecondsUsual = 60;

export const timeoutSeconds = Type.Optional(
  Type.Integer({ minimum: 1, maximum: waitSecondsMax, default: waitSecondsUsual }),
);

/** Aborts `work` by its signal after `seconds`; ending that way is no error. */
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
