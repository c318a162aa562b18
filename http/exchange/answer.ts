/**
 * Requests and answers as routes see them, independent of the transport.
 */

export interface HttpRequest {
  readonly method: string;
  /** As received, without the query. */
  readonly path: string;
  readonly query: string;
  /** By lower-case name; lines of one name are one list, separated by commas. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * Empty when the route takes none; `too_large` when there was more than the route takes,
   * `stalled` when it stopped coming.
   */
  readonly body: Uint8Array | "too_large" | "stalled";
  /** To be called by what needs the body after the tick in which it was given. */
  keepBody(): void;
  /** Of a route that reads its body as it comes; undefined when there is none. */
  readonly incoming: AsyncIterable<Uint8Array> | undefined;
  readonly address: string;
  /** Another node sent it here, and added what the answer needs for the client. */
  readonly isForwarded?: true;
  /** The client went away and does not read the answer. */
  isGone(): boolean;
  /**
   * Calls `listener` when the client goes away before it was answered, until the result is called.
   */
  onGone(listener: () => void): () => void;
}

/** `line` as it goes over the wire, for headers that are made once. */
export type Header = readonly [name: string, value: string, line?: string];

export interface Answer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Stream;
}

/** A body that is written as it comes. */
export interface Stream {
  /** Undefined when the length is not known. */
  readonly length: number | undefined;
  /** Called once; what it returns is called once when the client has gone. */
  start(sink: Sink): () => void;
}

export interface Sink {
  /** False when the client reads too slowly; `drained` is called when it has caught up. */
  write(chunk: string | Uint8Array): boolean;
  /** Bytes that the client has not taken yet. */
  unsent(): number;
  onDrain(listener: () => void): void;
  end(): void;
  /** Breaks the connection off. */
  abort(): void;
}

/** For headers that recur. */
export function constantHeader(name: string, value: string): Header {
  return [name, value, formatHeaderLine([name, value])];
}

/**
 * The only way to a response header: uWS would write line breaks as they come. A header that
 * carries a control character is left out, since an answer without it is better than none or than
 * a forged one.
 */
export function formatHeaderLine([name, value, line]: Header): string {
  if (line !== undefined) return line;
  const written = `${name}: ${value}`;
  return isWritable(written) ? `\r\n${written}` : "";
}

/** No control characters but the tabulator. By hand, since each answer asks for several headers. */
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

/** 204: done, and nothing to say. */
export function noContent(): Answer {
  return { status: 204, headers: [], body: "" };
}

/** `body` is JSON already, for example made in a shard. */
export function jsonText(status: number, body: string, headers: readonly Header[] = []): Answer {
  return { status, headers: [jsonHeader, ...headers], body };
}
