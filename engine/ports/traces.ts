/** Receives finished spans of requests that a client traces (W3C Trace Context). */
export interface Traces {
  /** Records a span; never throws and never waits. A span that cannot be exported is lost. */
  record(span: Span): void;
  /** Resolves when the last spans were exported, but within a second. */
  close(): Promise<void>;
}

export interface Span {
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Trace, span and flags of the client, between dashes. */
  readonly parent: string;
  /** Start and end by the wall clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Attributes of the span; they never contain any text of a request. */
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isFailed: boolean;
}
