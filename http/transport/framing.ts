/** Refuses requests whose head must not reach a route. */
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { HttpRequest } from "../exchange/answer.ts";

/** Matches most paths, and does so quickly. */
const plainPath = /^(?:\/[\w.:-]+)+$/;

/** Share paths may have any characters: an invalid token is answered like an unknown one. */
const sharePath = /^\/v1\/(?:[a-z]+\/[^/]+\/)?share\/./;

const oddPath = /\p{Cc}|\\|%2e%2e|%2f|%00|%5c/iu;

/** The head of a request, with what its header lines say of its framing. */
interface RequestHead extends Pick<HttpRequest, "path" | "query" | "headers"> {
  readonly headerBytes: number;
  /** Number of headers that announce a body's length or coding. */
  readonly framings: number;
  /** Name of a header that was repeated although it may occur once only. */
  readonly repeated: string | undefined;
}

/** Finds why a request must not reach a route; its connection is then closed. */
export function findRefusal(head: RequestHead): Refusal | undefined {
  const { path, query, headers, headerBytes, framings, repeated } = head;
  if (path.length + query.length > limits.http.urlBytesMax) return { code: "uri_too_long" };
  if (headerBytes > limits.http.headerBytesMax) return { code: "headers_too_large" };
  const encoding = headers["transfer-encoding"];
  if (framings > 1 || (encoding !== undefined && encoding.toLowerCase() !== "chunked"))
    return createMalformedRefusal("The request's framing is ambiguous.");
  if (repeated !== undefined)
    return createMalformedRefusal(`The header ${repeated} may appear only once.`);
  if (!plainPath.test(path) && oddPath.test(path) && !sharePath.test(path))
    return createMalformedRefusal("The path contains bytes that are not allowed.");
  return undefined;
}

function createMalformedRefusal(detail: string): Refusal {
  return { code: "validation", detail, faults: [{ pointer: "", detail }] };
}
