/**
 * Downloads a provider's result to a file: from allowed hosts only, with each redirect checked like
 * the first address, bounded in bytes, and resumed where the connection broke off.
 */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { limits } from "../../config/limits.ts";
import { type Static, Type } from "../../config/schema.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type Web, type WebAnswer, WebError } from "../../engine/ports/web.ts";

export const FetchBounds = Type.Object(
  {
    /** Origins of the provider itself; always allowed, because the operator chose its address. */
    ownOrigins: Type.Array(Type.String()),
    /** Host names; `*.example.org` allows every subdomain of example.org. */
    allowedHosts: Type.Array(Type.String()),
    /** Whether allowed hosts may have addresses outside the public internet. */
    allowPrivate: Type.Boolean(),
    bytesMax: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type FetchBounds = Static<typeof FetchBounds>;

/** The part of the file downloaded so far, and the version of the file that it belongs to. */
interface Part {
  bytes: number;
  etag: string | undefined;
}

/** Downloads a file. Throws `PortError` with a sentence for the customer. */
export async function download(
  web: Web,
  url: string,
  bounds: FetchBounds,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const part: Part = { bytes: 0, etag: undefined };
  const { attempts, pauseMs } = limits.fetch;
  for (let attempt = 1; ; attempt++) {
    try {
      return await continuePart(web, url, bounds, path, part, signal);
    } catch (error) {
      signal.throwIfAborted();
      const isRetryable = error instanceof PortError && error.retryable;
      if (!isRetryable && !(error instanceof WebError)) throw error;
      if (!isRetryable || attempt === attempts) throw new PortError(unfetched, false, error);
      await pause(pauseMs * attempt, undefined, { signal });
    }
  }
}

async function continuePart(
  web: Web,
  url: string,
  bounds: FetchBounds,
  path: string,
  part: Part,
  signal: AbortSignal,
): Promise<void> {
  const { bytes, etag } = part;
  const canResume = bytes > 0 && etag !== undefined;
  const headers = canResume ? { range: `bytes=${bytes}-`, "if-range": etag } : {};
  const answer = await follow(web, url, bounds, headers, signal);
  const isRest = canResume && answer.status === 206 && computeStart(answer) === bytes;
  if (!isRest) {
    if (answer.status !== 200) refuseStatus(answer);
    part.bytes = 0;
    part.etag = strongTag(answer);
  }
  const length = Number(answer.headers["content-length"] ?? 0);
  if (part.bytes + length > bounds.bytesMax) {
    answer.discard();
    throw tooLarge();
  }
  const file = createWriteStream(path, { flags: isRest ? "a" : "w" });
  await pipeline(count(answer.body, part, bounds.bytesMax), file, { signal });
}

/** Follows redirects, checking the first address and each later one. */
async function follow(
  web: Web,
  first: string,
  bounds: FetchBounds,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<WebAnswer> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const mayBePrivate = permit(url, bounds);
    const answer = await web.ask({ url, headers, redirectsMax: 0, mayBePrivate, signal });
    const location = answer.headers["location"];
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    answer.discard();
    if (redirects === limits.fetch.redirectsMax || !URL.canParse(location, url))
      throw new PortError(unfetched, false);
    url = new URL(location, url).href;
  }
}

/** Whether the host may have an address outside the public internet. Throws `PortError`. */
function permit(url: string, { ownOrigins, allowedHosts, allowPrivate }: FetchBounds): boolean {
  if (!URL.canParse(url)) throw new PortError(unfetched, false);
  const { origin, hostname, protocol } = new URL(url);
  if (ownOrigins.includes(origin)) return true;
  const isWeb = protocol === "https:" || protocol === "http:";
  if (isWeb && allowedHosts.some((allowed) => matches(hostname, allowed))) return allowPrivate;
  throw new PortError("The provider's result is on a host that is not allowed.", false);
}

function matches(host: string, allowed: string): boolean {
  return allowed.startsWith("*.") ? host.endsWith(allowed.slice(1)) : host === allowed;
}

async function* count(
  body: AsyncIterable<Uint8Array>,
  part: Part,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    if (part.bytes + chunk.length > bytesMax) throw tooLarge();
    yield chunk;
    // The chunk that was yielded is written, even if the rest of the download breaks off.
    part.bytes += chunk.length;
  }
}

function computeStart({ headers }: WebAnswer): number | undefined {
  const start = /^bytes (\d{1,15})-/.exec(headers["content-range"] ?? "")?.[1];
  return start === undefined ? undefined : Number(start);
}

/** Only strong tags are used: versions with the same weak tag may differ in their bytes. */
function strongTag({ headers }: WebAnswer): string | undefined {
  const tag = headers["etag"];
  return tag?.startsWith('"') === true ? tag : undefined;
}

function refuseStatus(answer: WebAnswer): never {
  answer.discard();
  // A file made a moment ago may not have reached every server yet, so these may be retried.
  const isLate = [206, 403, 404, 408, 410, 425, 429].includes(answer.status);
  throw new PortError(unfetched, isLate || answer.status >= 500);
}

function tooLarge(): PortError {
  return new PortError("The provider's result is too large.", false);
}

const unfetched = "The provider's result could not be fetched.";
