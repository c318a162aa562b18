import { type Logger, pino } from "pino";

export type { Logger };

/** Member names that could contain a secret or a prompt, removed at a line's first two levels. */
const secretNames = [
  "authorization",
  "cookie",
  "token",
  "ticket",
  "password",
  "secret",
  "client_secret",
  "access_token",
  "refresh_token",
  "credential",
  "signature",
  "prompt",
  "text",
  "brief",
];

/**
 * Writes one line of JSON per event to standard error, synchronously, so that the fault of a dying
 * thread is logged. Secrets and prompts are not logged; members with such names are left out.
 */
export function openLog(level: string, thread: string): Logger {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`]);
  const redact = { paths, censor: "[left out]" };
  return pino({ level, base: { thread }, redact }, pino.destination({ fd: 2, sync: true }));
}
