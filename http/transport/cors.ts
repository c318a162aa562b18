/**
 * CORS headers, which let pages of other origins read answers. Some routes are open to any page;
 * the operator opens the rest to a list of origins. A browser's own credentials are never allowed:
 * only the bearer authenticates.
 */
import { constantHeader, type Header } from "../exchange/answer.ts";

export type Origins = ReadonlySet<string>;

const preflightSeconds = "600";
const vary = constantHeader("Vary", "Origin");
const exposed = constantHeader(
  "Access-Control-Expose-Headers",
  "Location, ETag, RateLimit, RateLimit-Policy, Retry-After, Retry-After-Reset, X-Request-Id",
);
/** Request headers that a route open to any page accepts, and those for a listed origin. */
const openHeaders = "Content-Type, X-Request-Id, X-Share-Password";
const listedHeaders =
  "Authorization, Content-Type, Idempotency-Key, If-Match, X-Service-Surface, X-Request-Id";

const unlisted: readonly Header[] = [vary];

/** Headers of a route that is not open to any page, when the operator lists origins. */
export function corsHeaders(origins: Origins, origin: string | undefined): readonly Header[] {
  if (origin === undefined || !origins.has(origin)) return unlisted;
  return [["Access-Control-Allow-Origin", origin], exposed, vary];
}

/** Headers of a preflight for a page of another origin; `methods` is written as in Allow. */
export function preflightHeaders(
  methods: string,
  isOpen: boolean,
  origins: Origins,
  origin: string | undefined,
): Header[] {
  const isListed = !isOpen && origin !== undefined && origins.has(origin);
  if (!isOpen && !isListed) return [];
  return [
    ["Access-Control-Allow-Methods", methods],
    ["Access-Control-Allow-Headers", isOpen ? openHeaders : listedHeaders],
    ["Access-Control-Max-Age", preflightSeconds],
  ];
}
