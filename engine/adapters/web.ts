/**
 * HTTP requests to other hosts, by undici. Addresses are checked when a connection is made, so
 * redirects and names that resolve to another address at each look-up pass the same check.
 */
import { type LookupAddress, lookup } from "node:dns";
import { lookup as lookUp } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import { isPublicAddress } from "../network/ip-address.ts";
import { type Web, type WebAnswer, WebError, type WebRequest } from "../ports/web.ts";

const bounds = {
  connectMs: 10_000,
  /** Longest time without a byte from the host. */
  silenceMs: 30_000,
  headerBytesMax: 64 * 1024,
} as const;

/**
 * Loaded with the first request: its hundred modules take each thread that starts an eighth of a
 * second of processor time.
 */
const loadUndici = () => import("undici");

interface Agents {
  readonly publicHosts: Agent;
  readonly anyHost: Agent;
}

/** At most `connectionsPerHost` requests run at one host at a time; further ones wait. */
export function openWeb(connectionsPerHost = 8): Web {
  let opened: Promise<Agents> | undefined;
  const openAgents = () => {
    opened ??= createAgents(connectionsPerHost);
    return opened;
  };
  return {
    async ask(asked) {
      let { url } = asked;
      let request: Sent = { method: asked.method ?? "GET", headers: { ...asked.headers } };
      if (asked.body !== undefined) request = withBody(request, asked.body);
      checkUrl(url, asked);
      const { publicHosts, anyHost } = await openAgents();
      const agent = asked.mayBePrivate ? anyHost : publicHosts;
      for (let left = asked.redirectsMax; ; left--) {
        const answer = await ask(agent, url, request, asked);
        const location = answer.headers["location"];
        const isRedirect = answer.status >= 300 && answer.status < 400 && location !== undefined;
        if (!isRedirect || left === 0) return answer;
        answer.discard();
        url = follow(location, url, asked);
        checkUrl(url, asked);
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
  // Attached at once, so that no error is unhandled; undici ends the request with it.
  body.bytes.on("error", () => undefined);
  const headers = { ...request.headers, "content-length": String(body.sizeBytes) };
  return { ...request, headers, body: body.bytes };
}

function follow(location: string, from: string, { mayFollow }: WebRequest): string {
  if (!URL.canParse(location, from)) throw new WebError("a redirect leads nowhere", true, true);
  const url = new URL(location, from);
  if (mayFollow?.(url) === false)
    throw new WebError("a redirect leads to an address that is not allowed", false, true);
  return url.href;
}

async function createAgents(connections: number): Promise<Agents> {
  const { Agent } = await loadUndici();
  const create = (look: typeof lookup | LookupFunction) =>
    new Agent({
      connect: { lookup: look as LookupFunction, timeout: bounds.connectMs },
      headersTimeout: bounds.silenceMs,
      bodyTimeout: bounds.silenceMs,
      maxHeaderSize: bounds.headerBytesMax,
      connections,
      pipelining: 1,
    });
  return { publicHosts: create(publicLookup), anyHost: create(lookup) };
}

/** Like `dns.lookup`, but without addresses that are not public. */
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
  override readonly message = "the host's address is not on the public internet";
}

/** Checked here, because addresses that stand in URLs are never looked up. */
function checkUrl(url: string, { mayBePrivate }: WebRequest): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:")
    throw new WebError(`${protocol} is not http or https`, false, false);
  const host = plainHost(hostname);
  if (!mayBePrivate && isIP(host) !== 0 && !isPublicAddress(host))
    refuseAddress(new PrivateAddress());
}

function refuseAddress(cause: unknown): never {
  throw new WebError("this address is not allowed", false, false, cause);
}

/** Returns the host without the brackets of an IPv6 address. */
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
    const { request } = await loadUndici();
    response = await request(url, { dispatcher, signal, ...sent, ...timeouts });
  } catch (error) {
    if (isPrivateAddress(error)) refuseAddress(error);
    throw new WebError("the web server did not respond", true, wasSent(error), error);
  }
  const { statusCode: status, body } = response;
  // Attached at once, so that no error is unhandled; the reader gets the error.
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

/** Errors that occur before there is a connection: in the name, the network or the host's port. */
const unsentCodes: ReadonlySet<unknown> = new Set([
  ...["EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND"],
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "UND_ERR_CONNECT_TIMEOUT"],
]);

/** Any error that does not prove a failed connection may come after the host read the request. */
function wasSent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(wasSent);
  return !(error instanceof Error && "code" in error && unsentCodes.has(error.code));
}

async function* readBytes(body: Dispatcher.ResponseData["body"]): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    throw new WebError("the web server broke off its response", true, true, error);
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
