/**
 * Server-sent events on one connection: frames, a comment every 15 s, an end. A reader that leaves
 * more than 64 KiB unread is cut off; a drain asks it to come again.
 */
import type { Reader } from "../../actors/ticket/ticket.ts";
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Following } from "../jobs/job-watchers.ts";
import type { Header, Sink } from "./answer.ts";

export const frameHeaders: readonly Header[] = [
  ["Content-Type", "text/event-stream; charset=utf-8"],
  ["Cache-Control", "no-store"],
  ["X-Accel-Buffering", "no"],
];

export class Frames {
  isClosed = false;
  private readonly sink: Sink;
  private readonly stops: (() => void)[] = [];
  private stopKeepAlive: (() => void) | undefined;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Calls `stop` when the stream is over, whatever ended it. */
  until(stop: () => void): void {
    this.stops.push(stop);
  }

  /** Sends the first bytes and starts the heartbeat and the time limit. */
  open(following: Following, clock: Clock): void {
    this.write("retry: 5000\n\n");
    this.until(following.atDrain(() => this.last("reconnect", {})));
    this.until(clock.after(limits.http.streamMs, () => this.end()));
    this.keepAlive(clock);
  }

  /** Ends when the reader may read no more; undefined for one to whom that cannot happen. */
  whileReadable(following: Following, reader: Reader | undefined): void {
    if (reader !== undefined) this.until(following.atRemoval(reader, () => this.end()));
  }

  /** `id` undefined for frames that no client resumes from. */
  say(event: string, data: object, id?: string): void {
    const place = id === undefined ? "" : `id: ${id}\n`;
    this.write(`event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`);
  }

  last(event: string, data: object, id?: string): void {
    this.say(event, data, id);
    this.end();
  }

  end(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.sink.end();
  }

  /** The connection is gone. */
  close(): void {
    this.isClosed = true;
    this.stopKeepAlive?.();
    for (const stop of this.stops) stop();
  }

  private write(text: string): void {
    if (this.isClosed) return;
    this.sink.write(text);
    if (this.sink.unsent() <= limits.http.streamUnsentMax) return;
    this.isClosed = true;
    this.sink.abort();
  }

  private keepAlive(clock: Clock): void {
    this.stopKeepAlive = clock.after(limits.http.keepAliveMs, () => {
      this.write(": keep-alive\n\n");
      this.keepAlive(clock);
    });
  }
}
