/** Sends a body through uWebSockets.js: with a known length by `tryEnd`, otherwise in chunks. */
import type { HttpRequest, Sink } from "../exchange/answer.ts";

/** The methods of uWS's response that sending a body needs. */
export interface NativeResponse {
  cork(write: () => void): unknown;
  write(chunk: string | Uint8Array): boolean;
  tryEnd(chunk: string | Uint8Array, length: number): [isTaken: boolean, isDone: boolean];
  end(): unknown;
  endWithoutBody(length: number): unknown;
  getWriteOffset(): number;
  onWritable(listener: (offset: number) => boolean): unknown;
  close(): unknown;
}

export class ResponseSink implements Sink {
  isEnded = false;
  onEnd: () => void = () => {};
  private readonly res: NativeResponse;
  private readonly exchange: Pick<HttpRequest, "isGone">;
  private readonly length: number | undefined;
  private pending = 0;
  /** For a body with a length: the last chunk not fully taken, and the offset where it begins. */
  private left = { bytes: Buffer.alloc(0), begun: 0 };
  private onDrained: () => void = () => {};

  constructor(
    res: NativeResponse,
    exchange: Pick<HttpRequest, "isGone">,
    length: number | undefined,
  ) {
    this.res = res;
    this.exchange = exchange;
    this.length = length;
  }

  write(chunk: string | Uint8Array): boolean {
    if (this.isOver) return true;
    let isTaken = true;
    this.res.cork(() => {
      isTaken = this.length === undefined ? this.add(chunk) : this.offer(chunk, this.length);
    });
    return isTaken;
  }

  unsent(): number {
    return this.pending;
  }

  onDrain(listener: () => void): void {
    this.onDrained = listener;
  }

  /** Ends the body; one that is shorter than its length breaks the connection off. */
  end(): void {
    if (this.isOver) return;
    if (this.length !== undefined && this.length > 0) {
      this.res.close();
      return;
    }
    this.res.cork(() => {
      // If told to close the connection as well, uWS would write a header into the body.
      if (this.length === undefined) this.res.end();
      else this.res.endWithoutBody(this.length);
    });
    this.finish();
  }

  abort(): void {
    if (!this.isOver) this.res.close();
  }

  /** Sends a chunk of unknown total length; the backlog counts as unsent until it is writable. */
  private add(chunk: string | Uint8Array): boolean {
    if (this.res.write(chunk)) return true;
    this.pending += chunk.length;
    this.res.onWritable(() => {
      this.pending = 0;
      this.onDrained();
      return true;
    });
    return false;
  }

  /**
   * Sends a chunk of a body with a length: `tryEnd` takes what it can, and the rest is offered from
   * where it stopped.
   */
  private offer(chunk: string | Uint8Array, length: number): boolean {
    const begun = this.res.getWriteOffset();
    const [isTaken, isDone] = this.res.tryEnd(chunk, length);
    if (isDone) this.finish();
    if (isTaken || isDone) return true;
    this.left = { bytes: Buffer.from(chunk), begun };
    this.res.onWritable((offset) => this.offerLeft(offset, length));
    return false;
  }

  /** uWS may call the handler of an earlier chunk, so each handler offers what is left now. */
  private offerLeft(offset: number, length: number): boolean {
    const { bytes, begun } = this.left;
    const [isTaken, isDone] = this.res.tryEnd(bytes.subarray(offset - begun), length);
    if (isDone) this.finish();
    else if (isTaken) this.onDrained();
    return isTaken || isDone;
  }

  private get isOver(): boolean {
    return this.isEnded || this.exchange.isGone();
  }

  private finish(): void {
    this.isEnded = true;
    this.onEnd();
  }
}
