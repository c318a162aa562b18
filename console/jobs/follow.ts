/**
 * The current state of a job. Browsers open few connections to one service, and each stream
 * occupies one: a few jobs are followed by their streams, others are polled.
 */
import type { Job } from "../../clients/typescript/src/generated/models.ts";
import { type Asked, createFault } from "../asked.ts";
import { klieg, noteRefusal, refreshMe } from "../session.ts";
import { useEffect, useState } from "../view.ts";

const streamsMax = 3;
const betweenReadsMs = 1_500;
let streams = 0;

export function isEnded({ status }: Pick<Job, "status">): boolean {
  return status === "succeeded" || status === "failed" || status === "canceled";
}

export interface Followed {
  readonly asked: Asked<Job>;
  readonly put: (job: Job) => void;
}

/** Follows a job; `turn` changes when the job should be read again. */
export function useJob(id: string, turn = 0): Followed {
  const [asked, setAsked] = useState<Asked<Job>>({ phase: "loading" });
  const put = (value: Job) => setAsked({ phase: "ready", value });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    followJob(id, signal, put).catch((error: unknown) => {
      if (signal.aborted) return;
      noteRefusal(error);
      setAsked((old) =>
        old.phase === "ready" ? old : { phase: "failed", fault: createFault(error) },
      );
    });
    return () => ending.abort();
  }, [id, turn]);
  return { asked, put };
}

async function followJob(id: string, signal: AbortSignal, put: (job: Job) => void) {
  const { jobs } = klieg.value;
  let job = await jobs.get(id, { signal });
  if (signal.aborted) return;
  put(job);
  if (isEnded(job)) return;
  const isStreamed = streams < streamsMax;
  if (isStreamed) streams++;
  try {
    if (isStreamed)
      for await (const { event, data } of jobs.stream(id, { signal })) {
        if (signal.aborted) return;
        if (event === "complete") break;
        job = { ...job, status_message: null, ...data };
        put(job);
      }
    else
      while (!isEnded(job)) {
        await pause(betweenReadsMs, signal);
        job = await jobs.get(id, { signal });
        put(job);
      }
  } finally {
    if (isStreamed) streams--;
  }
  put(await jobs.get(id, { signal }));
  void refreshMe();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
