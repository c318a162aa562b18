import type { Sink } from "../../http/exchange/answer.ts";

/** Collects what a client received of a body that is written as it comes. */
export class MemorySink implements Sink {
  readonly chunks: Buffer[] = [];
  state: "open" | "ended" | "aborted" = "open";
  /** Whether the client reads; one that does not leaves all of the body unsent. */
  isReading = true;
  readonly whenOver: Promise<void>;
  /** Bytes that the client has not taken. */
  unread = 0;
  private over = () => {};

  constructor() {
    this.whenOver = new Promise((resolve) => {
      this.over = resolve;
    });
  }

  write(chunk: string | Uint8Array): boolean {
    const bytes = Buffer.from(chunk);
    if (this.isReading) this.chunks.push(bytes);
    else this.unread += bytes.length;
    return this.isReading;
  }

  unsent(): number {
    return this.unread;
  }

  onDrain(): void {}

  end(): void {
    this.state = "ended";
    this.over();
  }

  abort(): void {
    this.state = "aborted";
    this.over();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}
