/** Problems of a request as such: its address, its framing and its body. */
import type { Refusal } from "../../actors/refusal.ts";
import { limits } from "../../config/limits.ts";
import type { Header } from "../transport/answer.ts";

/** A problem object before it knows which request it answers. */
export interface Shape {
  readonly slug: string;
  readonly status: number;
  readonly title: string;
  readonly code?: string;
  readonly detail?: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: readonly Header[];
}

type Of<Code extends Refusal["code"]> = Extract<Refusal, { code: Code }>;

/** Those that say the same of every request. */
const constant = {
  not_found: {
    slug: "not-found",
    status: 404,
    title: "Not Found",
    detail: "There is nothing here that this credential can see.",
  },
  not_acceptable: {
    slug: "not-acceptable",
    status: 406,
    title: "Not Acceptable",
    detail: "Nothing that the Accept header names is served here.",
  },
  uri_too_long: {
    slug: "uri-too-long",
    status: 414,
    title: "URI Too Long",
    detail: `A path and its query may have ${limits.http.urlBytesMax} bytes.`,
  },
  headers_too_large: {
    slug: "headers-too-large",
    status: 431,
    title: "Headers Too Large",
    detail: `The headers of a request may have ${limits.http.headerBytesMax} bytes.`,
  },
} as const;

export type RefusedRequest = Of<
  | keyof typeof constant
  | "validation"
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type"
>;

export function shapeOfRequest(refusal: RefusedRequest): Shape {
  switch (refusal.code) {
    case "validation": {
      const [first] = refusal.faults;
      const detail = refusal.detail ?? (first && `${first.pointer} ${first.detail}`.trim());
      return {
        slug: "validation",
        status: 400,
        title: "Invalid Request",
        code: "validation",
        ...(detail === undefined ? {} : { detail }),
        members: { errors: refusal.faults },
      };
    }
    case "method_not_allowed":
      return {
        slug: "method-not-allowed",
        status: 405,
        title: "Method Not Allowed",
        detail: `This address answers ${refusal.allow}.`,
        headers: [["Allow", refusal.allow]],
      };
    case "payload_too_large":
      return {
        slug: "payload-too-large",
        status: 413,
        title: "Payload Too Large",
        detail: refusal.detail ?? `The body may have ${refusal.limitBytes} bytes.`,
        members: { limit_bytes: refusal.limitBytes },
      };
    case "unsupported_media_type":
      return {
        slug: "unsupported-media-type",
        status: 415,
        title: "Unsupported Media Type",
        detail: `Send ${refusal.accepts ?? "application/json in UTF-8"}.`,
      };
    default:
      return constant[refusal.code];
  }
}
