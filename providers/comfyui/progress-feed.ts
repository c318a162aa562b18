/**
 * The progress of the jobs at one ComfyUI server, over a WebSocket that is open only while there
 * are any.
 *
 * 1. Nothing depends on it: without it reads say all but the progress.
 * 2. What the server sends is bounded before it is looked at; pictures are dropped.
 * 3. A connection that ends is opened again after a pause that doubles while nothing is understood.
 */
import WebSocket from "ws";
import { limits } from "../../config/limits.ts";
import { check, type Static, Type } from "../../config/schema.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import { GraphProgress } from "./graph-progress.ts";

const Message = Type.Object({
  type: Type.String(),
  data: Type.Object({ prompt_id: Type.String() }),
});
const isMessage = check<Static<typeof Message>>(Message);

export interface FeedOptions {
  /** URL with the client's id; the server sends that client the events of its graphs. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

export class ProgressFeed {
  private readonly options: FeedOptions;
  private readonly watched = new Map<string, GraphProgress>();
  private socket: WebSocket | undefined;
  /** Cancels the pause after which the connection is opened again. */
  private stopPause: (() => void) | undefined;
  /** Consecutive connections without any message that could be understood. */
  private failures = 0;

  constructor(options: FeedOptions) {
    this.options = options;
  }

  watch(prompt: string, nodeCount: number): void {
    if (!this.watched.has(prompt)) this.watched.set(prompt, new GraphProgress(nodeCount));
    if (this.socket === undefined && this.stopPause === undefined) this.connect();
  }

  unwatch(prompt: string): void {
    this.watched.delete(prompt);
    if (this.watched.size === 0) this.close();
  }

  /** Progress of a prompt from 0 to 1; 0 while nothing is known. */
  getProgress(prompt: string): number {
    return this.watched.get(prompt)?.share ?? 0;
  }

  close(): void {
    this.watched.clear();
    this.stopPause?.();
    this.stopPause = undefined;
    this.socket?.terminate();
    this.socket = undefined;
  }

  private connect(): void {
    const { url, headers } = this.options;
    const socket = new WebSocket(url, {
      headers,
      followRedirects: false,
      handshakeTimeout: limits.providers.callMs,
      maxPayload: limits.providers.frameBytesMax,
      // A compressed message has no size limit until it is decompressed.
      perMessageDeflate: false,
    });
    this.socket = socket;
    // Each error is followed by the event that the connection has closed.
    socket.on("error", () => undefined);
    socket.on("message", (frame, isBinary) => {
      if (!isBinary && Buffer.isBuffer(frame)) this.take(frame);
    });
    socket.on("close", () => {
      if (this.socket === socket) this.pause();
    });
  }

  private pause(): void {
    const { retryMs, retryMaxMs } = limits.providers;
    this.socket = undefined;
    const delayMs = Math.min(retryMaxMs, retryMs * 2 ** this.failures++);
    this.stopPause = this.options.clock.after(delayMs, () => {
      this.stopPause = undefined;
      this.connect();
    });
  }

  private take(frame: Buffer): void {
    if (frame.length > limits.providers.frameTextBytesMax) return;
    const message = parse(frame);
    if (!isMessage(message)) return;
    this.failures = 0;
    const { type, data } = message;
    this.watched.get(data.prompt_id)?.take(type, data);
  }
}

function parse(frame: Buffer): unknown {
  try {
    return JSON.parse(frame.toString("utf8"));
  } catch {
    return undefined;
  }
}
