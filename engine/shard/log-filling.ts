/**
 * Puts a log together again that has lost records. Its servers may disagree about what is left, and
 * one that has more would skip what another takes; so the log begins anew. The caller knows that
 * nothing of it is history that the journals do not have.
 */
import type { Journal } from "../ports/journal.ts";
import type { Log } from "../ports/log.ts";

/**
 * Stores the journal's records in a log without entries, as far back as the journal goes. Resolves
 * to the sequence of the last one, 0 when there is none; undefined when another node appends
 * meanwhile. Throws `PortError`.
 */
export async function refillLog(
  log: Log,
  journal: Journal,
  node: string,
): Promise<number | undefined> {
  if ((await log.end()).logSeq > 0) await log.restart();
  let after = 0;
  for (const { seq, record } of journal.from(1)) {
    // The log alone remembers these ids, and the bytes are the same from any node.
    const id = `refill:${node}:${seq}`;
    if (!(await log.publish(Uint8Array.from(record), id, after))) return undefined;
    after++;
  }
  return after;
}
