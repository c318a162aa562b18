import type { ModelEntry } from "../../config/catalogue.ts";
import type { Header } from "../exchange/answer.ts";
import type { Service } from "../service.ts";

const none: readonly Header[] = [];

/**
 * Headers of a deprecated model: the time of its deprecation (RFC 9745), of its removal (RFC 8594),
 * and its successor (RFC 5829).
 */
export function getDeprecationHeaders(model: ModelEntry, service: Service): readonly Header[] {
  const { status, deprecated_at: since, sunset_at: until, replacement } = model;
  if (status !== "deprecated" || until === undefined) return none;
  const sinceMs = Date.parse(since ?? service.catalogue.updatedAt);
  return [
    ["Deprecation", `@${Math.floor(sinceMs / 1000)}`],
    ["Sunset", new Date(until).toUTCString()],
    ["Link", `<${service.baseUrl}/models/${replacement}>; rel="successor-version"`],
  ];
}
