/** HTTP requests to hosts of other parties, whose answers may be wrong in any way. */
import type { Readable } from "node:stream";
import { PortError } from "./port-error.ts";

export interface Web {
  /**
   * Resolves when the answer's head has arrived. Throws a retryable `WebError` when none comes, and
   * one that is not retryable for a forbidden address.
   */
  ask(request: WebRequest): Promise<WebAnswer>;
  /** Whether a host is, or its name resolves to, an address outside the public internet. */
  isPrivate(host: string): Promise<boolean>;
}

export interface WebRequest {
  /** HTTP method; `GET` by default. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** The URL, with the scheme `http` or `https`. */
  readonly url: string;
  /** Headers, sent only to the host of `url`, not to where a redirect leads. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of known length. After a redirect it is not sent again. */
  readonly body?: Uint8Array | string | MeasuredBytes;
  /** Number of redirects that are followed; the next one is returned as the answer. */
  readonly redirectsMax: number;
  /** Whether addresses outside the public internet may be requested. */
  readonly mayBePrivate: boolean;
  /** Which URLs a redirect may lead to; undefined for all. */
  readonly mayFollow?: (url: URL) => boolean;
  /** Longest time in which the host may send no byte; 30 s by default. */
  readonly silenceMs?: number;
  /** Aborts the request, and its body while it is being read. */
  readonly signal: AbortSignal;
}

/** A body too large to hold in memory; it is read once. */
export interface MeasuredBytes {
  readonly bytes: Readable;
  readonly sizeBytes: number;
}

export interface WebAnswer {
  readonly status: number;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `WebError` when the body breaks off; a reader that stops early ends it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends a body that is not going to be read. */
  discard(): void;
}

/** A request that got no answer, or not all of one. */
export class WebError extends PortError {
  /** Whether the host may have received the request. */
  readonly wasSent: boolean;
  constructor(message: string, retryable: boolean, wasSent: boolean, cause?: unknown) {
    super(message, retryable, cause);
    this.wasSent = wasSent;
  }
}
