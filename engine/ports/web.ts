/** Hosts that are not ours, over HTTP. What they answer may be wrong in every way. */
import type { Readable } from "node:stream";
import { PortError } from "./port-error.ts";

export interface Web {
  /**
   * Resolves when the answer's head is there. Throws `WebError`, retryable, when none comes, and
   * one that is not for an address that may not be asked.
   */
  ask(request: WebRequest): Promise<WebAnswer>;
  /** Whether a host is, or its name leads to, an address that is not of the public internet. */
  isPrivate(host: string): Promise<boolean>;
}

export interface WebRequest {
  /** `GET` unless it says otherwise. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** `http` or `https`. */
  readonly url: string;
  /** They go to the host of `url` alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Its length is told to the host. Nothing is sent again to where a redirect leads. */
  readonly body?: Uint8Array | string | MeasuredBytes;
  /** How many redirects are followed; the next one is an answer. */
  readonly redirectsMax: number;
  /** Whether addresses that are not of the public internet may be asked. */
  readonly mayBePrivate: boolean;
  /** Which URLs may be asked besides the first, where a redirect leads; undefined for all. */
  readonly mayFollow?: (url: URL) => boolean;
  /** How long the host may be without sending a byte; 30 s unless it says otherwise. */
  readonly silenceMs?: number;
  /** Ends the request, and its body while it is read. */
  readonly signal: AbortSignal;
}

/** A body that is larger than what is held in memory; it is read once. */
export interface MeasuredBytes {
  readonly bytes: Readable;
  readonly sizeBytes: number;
}

export interface WebAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `WebError` where it breaks off; a reader that stops ends it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends a body that is not wanted. */
  discard(): void;
}

/** No answer, or not all of it. */
export class WebError extends PortError {
  /** Whether the host may have received the request. */
  readonly wasSent: boolean;
  constructor(message: string, retryable: boolean, wasSent: boolean, cause?: unknown) {
    super(message, retryable, cause);
    this.wasSent = wasSent;
  }
}
