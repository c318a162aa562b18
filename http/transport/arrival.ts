/**
 * How the bodies of requests arrive: every chunk passes here on its way to a receiver. A client
 * that sends nothing for 30 s is refused. uWebSockets.js itself would break the connection off
 * after some ten silent seconds; being paused and resumed makes it wait anew.
 */
import { limits } from "../../config/limits.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { HttpRequest } from "../exchange/answer.ts";
import { stalledBody } from "../exchange/stalled-body.ts";
import type { IncomingBody, Valve } from "./incoming-body.ts";

/** Receives the chunks of a body. A chunk is valid only during the call. */
export interface Receiver {
  chunk(bytes: Uint8Array, isLast: boolean): void;
  /** Called when nothing has arrived for too long. */
  onStall(): void;
  /** Whether the receiver holds the client back, so that its silence is not its fault. */
  isHeldBack(): boolean;
}

export class Arrival {
  /** Set when all bytes of the body have arrived. */
  isWhole = false;
  /** Set when nothing more is expected. */
  isOver = false;
  private readonly valve: Valve;
  private readonly open: Set<Arrival>;
  private receiver: Receiver;
  private bytes = 0;
  private silentMs = 0;

  constructor(valve: Valve, open: Set<Arrival>, receiver: Receiver) {
    this.valve = valve;
    this.open = open;
    this.receiver = receiver;
    open.add(this);
  }

  push(chunk: Uint8Array, isLast: boolean): void {
    if (this.isOver) return;
    this.bytes += chunk.length;
    this.silentMs = 0;
    this.isWhole = isLast;
    if (isLast) this.stop();
    this.receiver.chunk(chunk, isLast);
  }

  /** Called when the body is complete, the answer was sent, or the client has disconnected. */
  stop(): void {
    this.isOver = true;
    this.open.delete(this);
  }

  /**
   * Drops the rest of the body, so that a client that sends before it reads can read its answer.
   * Resolves when the body is complete, when it is too large, or when nothing arrived for too long.
   */
  drain(): Promise<void> {
    if (this.isOver) return Promise.resolve();
    const bytesMax = this.bytes + limits.http.drainBytesMax;
    return new Promise((resolve) => {
      this.receiver = {
        chunk: (_, isLast) => {
          if (isLast || this.bytes > bytesMax) resolve();
        },
        onStall: resolve,
        isHeldBack: () => false,
      };
    });
  }

  /** Checks for a stall; `passedMs` is the time since the previous check. */
  look(passedMs: number): void {
    if (this.receiver.isHeldBack()) return;
    this.silentMs += passedMs;
    if (this.silentMs >= limits.http.bodyIdleMs) {
      this.stop();
      this.receiver.onStall();
    } else {
      this.valve.pause();
      this.valve.resume();
    }
  }
}

/** Checks all open arrivals at regular intervals. */
export function watchArrivals(open: ReadonlySet<Arrival>, clock: Clock): void {
  const { bodyIdleCheckMs } = limits.http;
  clock.after(bodyIdleCheckMs, () => {
    for (const arrival of [...open]) arrival.look(bodyIdleCheckMs);
    watchArrivals(open, clock);
  });
}

/** Receiver for a body that no route reads. */
export const noReceiver: Receiver = {
  chunk: () => {},
  onStall: () => {},
  isHeldBack: () => false,
};

/** Receiver for a route that reads its body as a stream. */
export function streamReceiver(body: IncomingBody): Receiver {
  return {
    chunk: (bytes, isLast) => body.push(Uint8Array.from(bytes), isLast),
    onStall: () => body.refuse(stalledBody),
    isHeldBack: () => body.isHeldBack,
  };
}

/**
 * Receiver for a route that needs the whole body. Bytes are counted as they arrive; bytes beyond
 * the cap are not kept.
 */
export function bufferReceiver(
  bytesMax: number,
  done: (body: HttpRequest["body"]) => void,
): Receiver {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isDone = false;
  const finish = (body: HttpRequest["body"]) => {
    if (isDone) return;
    isDone = true;
    done(body);
  };
  return {
    chunk(bytes, isLast) {
      length += bytes.length;
      if (length > bytesMax) finish("too_large");
      else if (isLast && chunks.length === 0) finish(bytes);
      else {
        chunks.push(Uint8Array.from(bytes));
        if (isLast) finish(Buffer.concat(chunks));
      }
    },
    onStall: () => finish("stalled"),
    isHeldBack: () => false,
  };
}
