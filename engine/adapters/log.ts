import { type Logger, pino } from "pino";

export type { Logger };

/**
 * One JSON line an event on standard error, written at once, so that a thread that dies has said
 * why. Secrets and prompts are never given to it.
 */
export function openLog(level: string, thread: string): Logger {
  return pino({ level, base: { thread } }, pino.destination({ fd: 2, sync: true }));
}
