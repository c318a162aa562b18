/** What was found about one thing that the service needs. */
export interface Finding {
  readonly status: "ok" | "warning" | "problem";
  readonly subject: string;
  /** One sentence without secrets. */
  readonly found: string;
  /** What to do about it; undefined when there is nothing to do. */
  readonly remedy?: string;
}
