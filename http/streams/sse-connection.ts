/**
 * Server-sent events on one connection: frames, a comment every 15 s, an end. A reader that leaves
 * more than 64 KiB unread is disconnected; a drain asks readers to reconnect.
 */
import { organizationKey } from "../../actors/directory/organization.ts";
import type { Reader } from "../../actors/protocol/ticket.ts";
import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Answer, Header, Sink } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Following } from "./job-watchers.ts";

const frameHeaders: readonly Header[] = [
  ["Content-Type", "text/event-stream; charset=utf-8"],
  ["Cache-Control", "no-store"],
  ["X-Accel-Buffering", "no"],
];

/**
 * A stream of events about what lies in `scope`, which `show` says through the frames. Ends when
 * `reader` may read no more; undefined for one to whom that cannot happen. Throws `RefusalError`:
 * 404 when the client has gone, 503 when the account has too many streams open.
 */
export function eventStream(
  { service: { gateway, following, clock }, request }: Call<unknown, unknown>,
  scope: Id,
  reader: Reader | undefined,
  show: (frames: Frames) => void,
): Answer {
  if (request.isGone()) throw new RefusalError({ code: "not_found" });
  const counter = gateway.read(organizationKey(scope))?.countsInto ?? scope;
  if (!following.enter("stream", counter, limits.jobs.streamsMax))
    throw new RefusalError({
      code: "unavailable",
      retryAfterSeconds: limits.http.retryAfterSeconds,
      detail: `An account can have at most ${limits.jobs.streamsMax} streams open at once.`,
    });
  const start = (sink: Sink) => {
    const frames = new Frames(sink);
    frames.until(() => following.leave("stream", counter));
    frames.open(following, clock, scope);
    if (reader !== undefined) frames.until(following.atRemoval(reader, () => frames.end()));
    show(frames);
    return () => frames.close();
  };
  return { status: 200, headers: frameHeaders, body: { length: undefined, start } };
}

export class Frames {
  isClosed = false;
  private readonly sink: Sink;
  private readonly stops: (() => void)[] = [];
  private stopKeepAlive: (() => void) | undefined;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Calls `stop` when the stream is over, for whatever reason. */
  until(stop: () => void): void {
    this.stops.push(stop);
  }

  /** Sends the first bytes and starts the heartbeat and the time limit. */
  open(following: Following, clock: Clock, scope: Id): void {
    this.write("retry: 5000\n\n");
    this.until(following.atDrain(scope, () => this.last("reconnect", {})));
    this.until(clock.after(limits.http.streamMs, () => this.end()));
    this.keepAlive(clock);
  }

  /** `id` is undefined for frames from which no client resumes. */
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

  /** Called when the connection is closed. */
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
