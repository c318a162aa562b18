/**
 * Which faults pass, and how long to wait before trying again.
 *
 * 1. Silence, 502 and 503 are tried again where a second arrival does no harm; 500 only for reads.
 * 2. 429 refused the request, so it is tried again whatever it was.
 * 3. Never earlier than the service asks; what it asks beyond `askedMsMax` is the caller's to wait.
 */
import { KliegError } from "./problem.ts";

export const retryBounds = {
  /** Maximum tries of one call: some 40 s with the delays below, enough for a restart. */
  triesMax: 12,
  /** Maximum tries of a call that is refused by a rate limit: some 8 s. */
  refusedTriesMax: 5,
  firstDelayMs: 100,
  refusedFirstDelayMs: 500,
  delayMsMax: 5_000,
  askedMsMax: 20_000,
} as const;

export interface Circumstance {
  /** Tries made so far, at least 1. */
  readonly tried: number;
  readonly isRead: boolean;
  readonly isRepeatable: boolean;
  /** Whether this client has ever received an answer. */
  readonly isAnswered: boolean;
  /** Whether to try again after a 429. */
  readonly retriesLimits: boolean;
  /** Maximum wait that a 429 may ask for. */
  readonly limitWaitMsMax: number;
}

/** Returns the delay before the next try, or undefined when there should be none. */
export function delayAfter(fault: unknown, circumstance: Circumstance): number | undefined {
  if (!(fault instanceof KliegError)) return undefined;
  const { tried, isRead, isRepeatable, isAnswered, retriesLimits } = circumstance;
  const { triesMax, refusedTriesMax, firstDelayMs, refusedFirstDelayMs } = retryBounds;
  if (fault.status === 429) {
    if (!retriesLimits || tried >= refusedTriesMax || fault.retryAfterReset !== undefined)
      return undefined;
    return patient(fault, refusedFirstDelayMs, tried, circumstance.limitWaitMsMax);
  }
  if (tried >= triesMax || !isRepeatable || !isPassing(fault, isRead)) return undefined;
  if (tried === 1 && !isAnswered && isUnconnected(fault)) return undefined;
  return patient(fault, firstDelayMs, tried, retryBounds.askedMsMax);
}

function patient(
  fault: KliegError,
  firstMs: number,
  tried: number,
  askedMsMax: number,
): number | undefined {
  const askedMs = (fault.retryAfter ?? 0) * 1_000;
  if (askedMs > askedMsMax) return undefined;
  const delayMs = Math.min(retryBounds.delayMsMax, firstMs * 2 ** (tried - 1));
  // Half of the delay is random, so that clients that failed together do not retry together.
  return askedMs + delayMs * (0.5 + Math.random() / 2);
}

/** Whether the fault is temporary: no answer, or a status that says so, such as 502 or 503. */
export function isPassing(fault: unknown, isRead = false): boolean {
  if (!(fault instanceof KliegError)) return false;
  if (fault.code === "unreachable") return true;
  return fault.status === 502 || fault.status === 503 || (isRead && fault.status === 500);
}

const unconnected = new Set(["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "EAI_AGAIN"]);

/** Whether the connection failed, so nothing was received. Browsers do not report this. */
function isUnconnected({ cause }: KliegError): boolean {
  // fetch wraps the socket's error in its own.
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error && "code" in inner && unconnected.has(String(inner.code));
}

/** Waits; rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
