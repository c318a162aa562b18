/**
 * Requests that this tab has sent, by the job that came of them: the service does not give a job's
 * request back, and it is shown beside its result and sent again from there.
 */
import type { Body } from "./create/body.ts";
import type { KindName } from "./create/kinds.ts";

export interface Sent {
  readonly kind: KindName;
  readonly body: Body;
}

const stored = "klieg-requests";
const keptMax = 60;

type Kept = readonly (readonly [jobId: string, sent: Sent])[];

function read(): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(stored) ?? "[]") as Kept;
  } catch {
    return [];
  }
}

export function remember(jobId: string, sent: Sent): void {
  const others = read().filter(([id]) => id !== jobId);
  sessionStorage.setItem(stored, JSON.stringify([[jobId, sent], ...others].slice(0, keptMax)));
}

export function recall(jobId: string): Sent | undefined {
  return read().find(([id]) => id === jobId)?.[1];
}
