import type { HttpRequest } from "../exchange/answer.ts";

/** Version, trace, span and flags; later versions may append fields (W3C Trace Context, 3.2). */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?=$|-)/;

/** Trace, span and flags of a request that its client traces, separated by dashes. */
export function getTrace({ headers }: HttpRequest): string | undefined {
  const given = headers["traceparent"];
  return given === undefined ? undefined : form.exec(given)?.[1];
}
