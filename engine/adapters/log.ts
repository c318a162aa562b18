import { type Logger, pino } from "pino";

export type { Logger };

/** Names under which a secret or a prompt could come, at the first two levels of a line. */
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
 * One JSON line an event on standard error, written at once, so that the fault of a dying thread is
 * logged. Secrets and prompts are not logged; members with such names are left out.
 */
export function openLog(level: string, thread: string): Logger {
  const paths = secretNames.flatMap((name) => [name, `*.${name}`]);
  const redact = { paths, censor: "[left out]" };
  return pino({ level, base: { thread }, redact }, pino.destination({ fd: 2, sync: true }));
}
