/**
 * A request's body as a stream, for bodies too large to buffer. A slow reader holds the client
 * back; bytes beyond the cap end the reading with a refusal, and so does a client that sends
 * nothing for too long.
 */

import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { RefusalError } from "../exchange/refusal-error.ts";

export interface Valve {
  pause(): void;
  resume(): void;
}

type State =
  | { readonly kind: "open" }
  | { readonly kind: "whole" }
  | { readonly kind: "broken"; readonly error: Error };

export class IncomingBody implements AsyncIterable<Uint8Array> {
  private readonly bytesMax: number;
  private readonly valve: Valve;
  private chunks: Uint8Array[] = [];
  private queuedBytes = 0;
  private bytes = 0;
  private isPaused = false;
  private state: State = { kind: "open" };
  private wake: () => void = () => {};

  constructor(bytesMax: number, valve: Valve) {
    this.bytesMax = bytesMax;
    this.valve = valve;
  }

  /** Whether the reader holds the client back, so that it may send nothing. */
  get isHeldBack(): boolean {
    return this.isPaused;
  }

  /** Stops reading the body: further chunks are dropped. */
  drop(): void {
    if (this.state.kind === "open")
      this.end({ kind: "broken", error: new PortError("the request was answered", false) });
    this.chunks = [];
    this.queuedBytes = 0;
    this.relieve();
  }

  refuse(refusal: Refusal): void {
    if (this.state.kind === "open") this.end({ kind: "broken", error: new RefusalError(refusal) });
  }

  /** Adds a chunk, which is kept and must therefore be a copy. */
  push(chunk: Uint8Array, isLast: boolean): void {
    if (this.state.kind !== "open") return;
    this.bytes += chunk.length;
    if (this.bytes > this.bytesMax) {
      this.refuse({ code: "payload_too_large", limitBytes: this.bytesMax });
      return;
    }
    this.chunks.push(chunk);
    this.queuedBytes += chunk.length;
    if (isLast) this.end({ kind: "whole" });
    else if (this.queuedBytes > limits.http.queuedBytesMax && !this.isPaused) {
      this.isPaused = true;
      this.valve.pause();
    }
    this.wake();
  }

  /** Called when the client disconnects before the end of the body. */
  break(): void {
    if (this.state.kind === "open")
      this.end({ kind: "broken", error: new PortError("the client went away", true) });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.chunks.shift();
      if (chunk !== undefined) {
        this.queuedBytes -= chunk.length;
        this.relieve();
        yield chunk;
      } else if (this.state.kind === "broken") throw this.state.error;
      else if (this.state.kind === "whole") return;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }

  private relieve(): void {
    if (!this.isPaused || this.queuedBytes > limits.http.queuedBytesMax / 2) return;
    this.isPaused = false;
    this.valve.resume();
  }

  private end(state: State): void {
    this.state = state;
    this.wake();
  }
}
