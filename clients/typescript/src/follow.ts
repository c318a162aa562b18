/**
 * Following something to its end, through streams that break, tickets that expire and restarts.
 *
 * 1. The frames of a stream are passed on; its first says how things are now.
 * 2. A stream that ends before the last frame, or says `reconnect`, is opened again with a new
 *    ticket.
 * 3. Where no stream can be had, `lookAgain` stands in; its failure ends the following.
 */
import type { Caller } from "./caller.ts";
import { readEvents } from "./events.ts";
import type { SseTicket } from "./generated/models.ts";
import { KliegError, unreachable } from "./problem.ts";
import { isPassing, pause } from "./retry.ts";

/** Delay before the next stream is opened after one ended early. */
const betweenStreamsMs = 100;

interface Frame {
  readonly event: string;
  readonly data: object;
}

export interface Followed<T extends Frame> {
  readonly caller: Caller;
  /** Path that is POSTed to for a ticket; the stream is then read by GET with that ticket. */
  readonly ticketPath: string;
  readonly streamPath: string;
  /** Reads the current state; without a stream, it may first wait for the state to change. */
  readonly lookAgain: (hasStream: boolean) => Promise<T>;
  readonly signal: AbortSignal | undefined;
}

/** Follows events across streams and reads, and ends after the `complete` frame. */
export async function* follow<T extends Frame>(followed: Followed<T>): AsyncGenerator<T> {
  const { lookAgain, signal } = followed;
  for (;;) {
    let hasStream = true;
    try {
      for await (const frame of countFrames<T>(followed)) {
        yield frame;
        if (frame.event === "complete") return;
      }
    } catch (fault) {
      signal?.throwIfAborted();
      if (!isPassing(fault) && !isCrowded(fault)) throw fault;
      hasStream = false;
    }
    const now = await lookAgain(hasStream);
    yield now;
    if (now.event === "complete") return;
    await pause(betweenStreamsMs, signal);
  }
}

/** Yields the frames of one stream. Tries each step once: the caller's fallback beats a retry. */
async function* countFrames<T extends Frame>(followed: Followed<T>): AsyncGenerator<T> {
  const { caller, ticketPath, streamPath, signal } = followed;
  const asked = { method: "POST", path: ticketPath, isRepeatable: false } as const;
  const { ticket } = await caller.json<SseTicket>(asked, { signal });
  const url = `${caller.url}/v1${streamPath}?ticket=${encodeURIComponent(ticket)}`;
  const { body } = await caller.fetchUrl(url, {}, signal);
  if (body === null) return;
  try {
    for await (const { event, data } of readEvents(body)) {
      if (event === "reconnect") return;
      yield { event, data: JSON.parse(data) } as T;
    }
  } catch (fault) {
    throw unreachable(caller.url, fault);
  }
}

/** Whether this account has too many open tickets or streams. */
function isCrowded(fault: unknown): boolean {
  return fault instanceof KliegError && fault.status === 429;
}
