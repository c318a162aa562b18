/**
 * Requests and answers as routes see them, independent of the transport.
 */

export interface HttpRequest {
  readonly method: string;
  /** Path as received, without the query. */
  readonly path: string;
  readonly query: string;
  /** Headers by lower-case name; lines with the same name are joined by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Empty when the route takes no body; `too_large` when it exceeded the route's limit, `stalled`
   * when the client stopped sending it.
   */
  readonly body: Uint8Array | "too_large" | "stalled";
  /** Must be called by code that uses the body after the tick in which it arrived. */
  keepBody(): void;
  /** Body of a route that reads it as a stream; undefined when there is none. */
  readonly incoming: AsyncIterable<Uint8Array> | undefined;
  readonly address: string;
  /** Set when another node forwarded the request; that node adds the client's headers. */
  readonly isForwarded?: true;
  /** Whether the client has disconnected and does not read the answer. */
  isGone(): boolean;
  /**
   * Calls `listener` when the client disconnects before it is answered. The returned function
   * removes the listener.
   */
  onGone(listener: () => void): () => void;
}

/** A response header. `line` is its form on the wire, for headers that are formatted once. */
export type Header = readonly [name: string, value: string, line?: string];

export interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Stream;
}

/** A body that is written piece by piece. */
export interface Stream {
  /** Length in bytes; undefined when it is not known. */
  readonly length: number | undefined;
  /** Called once; the returned function is called once when the client has disconnected. */
  start(sink: Sink): () => void;
}

export interface Sink {
  /** Returns false when the client reads too slowly; `drained` is called when it catches up. */
  write(chunk: string | Uint8Array): boolean;
  /** Number of bytes that the client has not read yet. */
  unsent(): number;
  onDrain(listener: () => void): void;
  end(): void;
  /** Breaks off the connection. */
  abort(): void;
}

/** Makes a header that is sent often, formatted once. */
export function constantHeader(name: string, value: string): Header {
  return [name, value, formatHeaderLine([name, value])];
}

/**
 * Formats a response header. All headers must pass here, since uWS would write line breaks
 * unchanged. A header with a control character is left out: an answer without it is better than
 * none or a forged one.
 */
export function formatHeaderLine([name, value, line]: Header): string {
  if (line !== undefined) return line;
  const written = `${name}: ${value}`;
  return isWritable(written) ? `\r\n${written}` : "";
}

/** Allows no control character but the tab. A loop, since each answer checks several headers. */
function isWritable(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || (code > 0x7e && code < 0xa0)) return false;
  }
  return true;
}

const jsonHeader = constantHeader("Content-Type", "application/json; charset=utf-8");

export function json(status: number, value: unknown, headers: readonly Header[] = []): Answer {
  return { status, headers: [jsonHeader, ...headers], body: JSON.stringify(value) };
}

/** Answers 204: success without content. */
export function noContent(): Answer {
  return { status: 204, headers: [], body: "" };
}

/** Answers with `body`, which is JSON text already, for example written in a shard. */
export function jsonText(status: number, body: string, headers: readonly Header[] = []): Answer {
  return { status, headers: [jsonHeader, ...headers], body };
}
