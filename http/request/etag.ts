import { type Answer, type HttpRequest, jsonText } from "../exchange/answer.ts";

/**
 * Answers 200 with a strong entity tag, or 304 when the client has it already (RFC 9110, section
 * 13.1.2).
 */
export function withETag(request: HttpRequest, etag: string, text: string): Answer {
  return isKnown(request, etag) ? answerNotModified(etag) : jsonText(200, text, [["ETag", etag]]);
}

/** Whether the client already has the representation that the tag names. */
export function isKnown({ headers }: Pick<HttpRequest, "headers">, etag: string): boolean {
  const known = parseTags(headers["if-none-match"]) ?? [];
  return known === "*" || known.some((tag) => tag === etag || tag === `W/${etag}`);
}

export function answerNotModified(etag: string): Answer {
  return { status: 304, headers: [["ETag", etag]], body: "" };
}

/** The tags of an `If-Match` or `If-None-Match` header; undefined when the header is absent. */
export function parseTags(header: string | undefined): "*" | readonly string[] | undefined {
  if (header === undefined) return undefined;
  const tags = header.split(",").map((part) => part.trim());
  return tags.includes("*") ? "*" : tags;
}
