/**
 * The web by undici. Addresses are checked where a connection is made, so a name that leads to
 * another address each time it is looked up, and a redirect, pass the same check.
 */
import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookUp } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { Agent, type Dispatcher, request } from "undici";
import { isPublicAddress } from "../network/ip-address.ts";
import { type Web, type WebAnswer, WebError, type WebRequest } from "../ports/web.ts";

const bounds = {
  connectMs: 10_000,
  /** Without a byte. */
  silenceMs: 30_000,
  headerBytesMax: 64 * 1024,
} as const;

/** At most `connectionsPerHost` requests are under way at one host; others wait for those. */
export function openWeb(connectionsPerHost = 8): Web {
  const publicAgent = createAgent(publicLookup, connectionsPerHost);
  const anyAgent = createAgent(lookup, connectionsPerHost);
  return {
    async ask(asked) {
      const agent = asked.mayBePrivate ? anyAgent : publicAgent;
      let { url } = asked;
      let request: Sent = { method: asked.method ?? "GET", headers: { ...asked.headers } };
      if (asked.body !== undefined) request = withBody(request, asked.body);
      for (let left = asked.redirectsMax; ; left--) {
        checkUrl(url, asked);
        const answer = await ask(agent, url, request, asked);
        const location = answer.headers["location"];
        const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
        if (!isRedirect || left === 0) return answer;
        answer.discard();
        url = follow(location, url, asked);
        request = { method: "GET", headers: {} };
      }
    },
    async isPrivate(host) {
      const plain = plainHost(host);
      if (isIP(plain) !== 0) return !isPublicAddress(plain);
      const found = await lookUp(plain, { all: true }).catch((): LookupAddress[] => []);
      return found.some(({ address }) => !isPublicAddress(address));
    },
  };
}

interface Sent {
  readonly method: NonNullable<WebRequest["method"]>;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array | string | Readable;
}

function withBody(request: Sent, body: NonNullable<WebRequest["body"]>): Sent {
  if (typeof body === "string" || body instanceof Uint8Array) return { ...request, body };
  // From its first moment; undici ends the request with it.
  body.bytes.on("error", () => undefined);
  const headers = { ...request.headers, "content-length": String(body.sizeBytes) };
  return { ...request, headers, body: body.bytes };
}

function follow(location: string, from: string, { mayFollow }: WebRequest): string {
  if (!URL.canParse(location, from)) throw new WebError("a redirect leads nowhere", true, true);
  const url = new URL(location, from);
  if (mayFollow?.(url) === false)
    throw new WebError("a redirect leads where it may not", false, true);
  return url.href;
}

function createAgent(look: typeof lookup | LookupFunction, connections: number): Agent {
  return new Agent({
    connect: { lookup: look as LookupFunction, timeout: bounds.connectMs },
    headersTimeout: bounds.silenceMs,
    bodyTimeout: bounds.silenceMs,
    maxHeaderSize: bounds.headerBytesMax,
    connections,
    pipelining: 1,
  });
}

/** As `dns.lookup`, without addresses that are not public. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return done(error, []);
    const allowed = found.filter(({ address }) => isPublicAddress(address));
    const [first] = allowed;
    if (first === undefined) return done(new PrivateAddress(), []);
    if (options.all === true) done(null, allowed);
    else done(null, first.address, first.family);
  });
};

class PrivateAddress extends Error {
  override readonly message = "the host's address is not of the public internet";
}

/** Addresses in URLs are not looked up. */
function checkUrl(url: string, { mayBePrivate }: WebRequest): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    throw new WebError(`${protocol} is no protocol of the web`, false, false);
  const host = plainHost(hostname);
  if (!mayBePrivate && isIP(host) !== 0 && !isPublicAddress(host))
    refuseAddress(new PrivateAddress());
}

function refuseAddress(cause: unknown): never {
  throw new WebError("the address may not be asked", false, false, cause);
}

/** Without the brackets of an IPv6 address. */
function plainHost(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

async function ask(
  dispatcher: Agent,
  url: string,
  sent: Sent,
  { signal, silenceMs = bounds.silenceMs }: WebRequest,
): Promise<WebAnswer> {
  let response: Dispatcher.ResponseData;
  const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  try {
    response = await request(url, { dispatcher, signal, ...sent, ...timeouts });
  } catch (error) {
    if (isPrivateAddress(error)) refuseAddress(error);
    throw new WebError("a host of the web did not answer", true, wasSent(error), error);
  }
  const { statusCode: status, body } = response;
  // From its first moment; the reader gets the error.
  body.on("error", () => undefined);
  return {
    status,
    headers: plainHeaders(response.headers),
    body: readBytes(body),
    discard: () => void body.destroy(),
  };
}

function isPrivateAddress(error: unknown): boolean {
  const errors = error instanceof AggregateError ? [error, ...error.errors] : [error];
  return errors.some(
    (one) =>
      one instanceof PrivateAddress ||
      (one instanceof Error && one.cause !== undefined && isPrivateAddress(one.cause)),
  );
}

/** Errors before there is a connection: of the name, of the network, of the host's port. */
const unsentCodes: ReadonlySet<unknown> = new Set([
  ...["EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"],
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** Whatever is no sign of a connection that never was may come after the request was read. */
function wasSent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(wasSent);
  return !(error instanceof Error && "code" in error && unsentCodes.has(error.code));
}

async function* readBytes(body: Dispatcher.ResponseData["body"]): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new WebError("a host of the web broke its answer off", true, true, error);
  }
}

function plainHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) plain[name.toLowerCase()] = first;
  }
  return plain;
}
