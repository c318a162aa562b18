/** Relays another node's answer as the body of this one's, no faster than the client reads. */
import type { IncomingMessage } from "node:http";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Answer, Sink, Stream } from "../exchange/answer.ts";

/** Asks the client to reconnect when the node behind an event stream is lost. */
const reconnect = "event: reconnect\ndata: {}\n\n";
const frameEnd = Buffer.from("\n\n");

export function relayBody(response: IncomingMessage, isHead: boolean): string | Stream {
  const header = response.headers["content-length"];
  const length = header === undefined ? undefined : Number(header);
  if (isHead) return headOnly(response, length);
  if (length === 0 || response.statusCode === 204 || response.statusCode === 304) {
    response.resume();
    return "";
  }
  return {
    length,
    start(sink) {
      let left = length ?? Number.POSITIVE_INFINITY;
      const relay = isEventStream(response) ? new FrameRelay(sink) : new ByteRelay(sink);
      response.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (!relay.take(chunk)) response.pause();
      });
      sink.onDrain(() => response.resume());
      response.on("end", () => relay.end());
      response.on("error", () => relay.onBreak());
      response.on("close", () => relay.onBreak());
      return () => {
        relay.isOver = true;
        // The client may have read all before the end is noticed; then the connection is reused.
        if (left > 0) response.destroy();
        else response.resume();
      };
    },
  };
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

/** Rejects with a `PortError` when the node goes away in the middle. */
export function wholeText({ body }: Answer): Promise<string> {
  if (typeof body === "string") return Promise.resolve(body);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.start({
      write: (chunk) => chunks.push(Buffer.from(chunk)) > 0,
      unsent: () => 0,
      onDrain: () => undefined,
      end: () => resolve(Buffer.concat(chunks).toString("utf8")),
      abort: () => reject(new PortError("the other node went away", true)),
    });
  });
}

function headOnly(response: IncomingMessage, length: number | undefined): Stream {
  response.resume();
  return { length, start: () => () => undefined };
}

class ByteRelay {
  isOver = false;
  protected readonly sink: Sink;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** Passes bytes on. Returns false when the client reads too slowly. */
  take(chunk: Buffer): boolean {
    return this.isOver || this.sink.write(chunk);
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.sink.end();
  }

  /** The node was lost midway: the client must not mistake this for the end of the body. */
  onBreak(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.sink.abort();
  }
}

/** Passes only whole frames, so that the event added at the end is read as a frame of its own. */
class FrameRelay extends ByteRelay {
  private rest = Buffer.alloc(0);

  override take(chunk: Buffer): boolean {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const end = bytes.lastIndexOf(frameEnd);
    const whole = end < 0 ? 0 : end + frameEnd.length;
    this.rest = Buffer.from(bytes.subarray(whole));
    return whole === 0 || super.take(bytes.subarray(0, whole));
  }

  override onBreak(): void {
    super.take(Buffer.from(reconnect));
    this.end();
  }
}
