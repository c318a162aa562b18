/** Hosts that are not ours, over HTTP. What they answer may be wrong in every way. */
export interface Web {
  /**
   * Resolves when the answer's head is there. Throws `PortError`, retryable, when none comes, and
   * one that is not for an address that may not be asked.
   */
  get(request: WebRequest): Promise<WebAnswer>;
  /** Whether a host is, or its name leads to, an address that is not of the public internet. */
  isPrivate(host: string): Promise<boolean>;
}

export interface WebRequest {
  /** `http` or `https`. */
  readonly url: string;
  /** They go to the host of `url` alone. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How many redirects are followed; the next one is an answer. */
  readonly redirectsMax: number;
  /** Whether addresses that are not of the public internet may be asked. */
  readonly mayBePrivate: boolean;
  /** Ends the request, and its body while it is read. */
  readonly signal: AbortSignal;
}

export interface WebAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws `PortError` where it breaks off; a reader that stops ends it. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends a body that is not wanted. */
  discard(): void;
}
