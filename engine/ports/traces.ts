/** Where finished spans go that a client's trace has asked for (W3C Trace Context). */
export interface Traces {
  /** Never throws and never waits; a span that cannot be told is lost. */
  record(span: Span): void;
  /** Resolves when the last spans were told, or within a second. */
  close(): Promise<void>;
}

export interface Span {
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Trace, span and flags of the client, between dashes. */
  readonly parent: string;
  /** Wall time. */
  readonly startMs: number;
  readonly endMs: number;
  /** Never a word of what was asked. */
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isFailed: boolean;
}
