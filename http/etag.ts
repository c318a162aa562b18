import { type Answer, type HttpRequest, jsonText } from "./answer.ts";

/**
 * 200 with a strong entity tag, or 304 when the client has it already (RFC 9110, section 13.1.2).
 */
export function withETag({ headers }: HttpRequest, etag: string, text: string): Answer {
  const known = headers["if-none-match"]?.split(",").map((part) => part.trim()) ?? [];
  const isKnown = known.some((tag) => tag === "*" || tag === etag || tag === `W/${etag}`);
  return isKnown
    ? { status: 304, headers: [["ETag", etag]], body: "" }
    : jsonText(200, text, [["ETag", etag]]);
}
