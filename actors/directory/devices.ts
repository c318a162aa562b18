/**
 * The device grant (RFC 8628): a device asks with its device code while a person says yes or no
 * under the user code.
 *
 *   open_device -> waiting --decide--> approved --redeem--> (tokens, rows gone)
 *                     |  \--decide--> denied
 *                     +--expiry--> expired (said for another while, then the rows go)
 */

import { limits } from "../../config/limits.ts";
import type { TokenScope } from "../../contract/account.ts";
import { type Context, put } from "../../engine/actor.ts";
import type { Question, ReplyTo } from "../../engine/address.ts";
import type { Id } from "../../engine/id.ts";
import { createKey, type Key } from "../../engine/key.ts";
import { createRefused, type Refusal, type Refused } from "../refusal.ts";
import { codes } from "../table-codes.ts";
import type { AuditNote } from "./audit.ts";
import { digestOfHex, encodeHex } from "./digest.ts";
import type { Directory } from "./directory.ts";
import { changeDirectory, type DirectoryDecision, refuse } from "./directory-decision.ts";
import { deleteRows, expire } from "./expiry.ts";
import {
  beginFamily,
  type Granted,
  grantTokens,
  isInForce,
  type NewPair,
  oauth,
  type TokensGranted,
} from "./oauth.ts";

export interface Device {
  readonly client: string;
  readonly clientName: string;
  readonly userCodeDigest: string;
  /** Scopes that the client asked for, or undefined for those an approver grants by default. */
  readonly scopes: readonly TokenScope[] | undefined;
  readonly expiresAtMs: number;
  readonly intervalMs: number;
  readonly polledAtMs: number;
  readonly decision?: { readonly kind: "denied" } | ({ readonly kind: "approved" } & Approval);
}

interface Approval extends Granted {
  readonly atMs: number;
}

export interface OpenDevice extends Question<{ readonly kind: "opened" } | Refused> {
  readonly kind: "open_device";
  readonly digest: string;
  readonly userCodeDigest: string;
  readonly client: { readonly id: string; readonly name: string };
  readonly scopes: readonly TokenScope[] | undefined;
  /** Counters of open authorizations that this one adds to, with the maximum of each. */
  readonly counters: readonly { readonly name: string; readonly most: number }[];
}

/** An authorization that was open when its counter was last updated. */
export interface OpenAuthorization {
  /** SHA-256 of the authorization's device code, in hex. */
  readonly device: string;
  readonly expiresAtMs: number;
}

export interface DecideDevice extends Question<{ readonly kind: "decided" } | Refused> {
  readonly kind: "decide_device";
  readonly userCodeDigest: string;
  /** The user, context and scopes granted to the device, or undefined to deny. */
  readonly grant: Granted | undefined;
  readonly audit: AuditNote;
}

export interface RedeemDevice extends Question<TokensGranted | Refused> {
  readonly kind: "redeem_device";
  readonly digest: string;
  readonly client: string;
  readonly family: Id;
  readonly pair: NewPair;
}

const lifeMs = limits.oauth.deviceSeconds * 1000;
const pollMs = limits.oauth.devicePollSeconds * 1000;
/** Tolerance for network jitter: a poll that arrives this much early is not too early. */
const jitterMs = 500;

export function openDevice(
  head: Directory,
  message: OpenDevice,
  ctx: Context<ReplyTo<OpenDevice>>,
): DirectoryDecision {
  const { digest, userCodeDigest, client, scopes } = message;
  const window = Math.floor(ctx.atMs / lifeMs);
  const count = head.devices?.window === window ? head.devices.count : 0;
  const isTaken = ctx.get(deviceByUserCodeKey(userCodeDigest)) !== undefined;
  if (count >= limits.oauth.devicesMax || isTaken)
    return refuse(head, ctx, { code: "unavailable", retryAfterSeconds: 60 });
  const opens = message.counters.map(({ name, most }) => ({
    most,
    key: devicesOfClientKey(name),
    open: findOpen(devicesOfClientKey(name), ctx),
  }));
  const full = opens.find(({ open, most }) => open.length >= most);
  if (full !== undefined) return refuse(head, ctx, tooManyOpen(full.open, ctx));
  const device: Device = {
    client: client.id,
    clientName: client.name,
    userCodeDigest: encodeHex(userCodeDigest),
    scopes,
    expiresAtMs: ctx.atMs + lifeMs,
    intervalMs: pollMs,
    polledAtMs: 0,
  };
  const [key, userCodeKey] = [deviceKey(digest), deviceByUserCodeKey(userCodeDigest)];
  return changeDirectory(head, ctx, {
    head: { devices: { window, count: count + 1 } },
    rows: [
      put(key, device),
      put(userCodeKey, encodeHex(digest)),
      ...opens.map(({ key, open }) =>
        put(key, [...open, { device: encodeHex(digest), expiresAtMs: device.expiresAtMs }]),
      ),
    ],
    tells: [
      expire(ctx.atMs + 2 * lifeMs, key, userCodeKey),
      ...opens.map(({ key }) => expire(ctx.atMs + lifeMs, key)),
    ],
    reply: { kind: "opened" },
  });
}

/** Returns the client's authorizations that are still waiting for a decision. */
function findOpen(key: Key<readonly OpenAuthorization[]>, ctx: Context) {
  return (ctx.get(key) ?? []).filter(({ device: digest, expiresAtMs }) => {
    const device = ctx.get(deviceKey(digestOfHex(digest)));
    return expiresAtMs > ctx.atMs && device !== undefined && device.decision === undefined;
  });
}

/** Refuses with `rate_limit` until the oldest open authorization expires. */
function tooManyOpen([oldest]: readonly OpenAuthorization[], { atMs }: Context): Refusal {
  const waitMs = (oldest?.expiresAtMs ?? atMs) - atMs;
  const detail = "Too many device authorizations of this client are waiting for a decision.";
  return { code: "rate_limit", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)), detail };
}

export function decideDevice(
  head: Directory,
  { userCodeDigest, grant, audit }: DecideDevice,
  ctx: Context<ReplyTo<DecideDevice>>,
): DirectoryDecision {
  const digest = ctx.get(deviceByUserCodeKey(userCodeDigest));
  const key = deviceKey(digestOfHex(digest ?? ""));
  const device = ctx.get(key);
  if (device === undefined || device.expiresAtMs <= ctx.atMs || device.decision !== undefined)
    return refuse(head, ctx, { code: "not_found" });
  const decision =
    grant === undefined
      ? ({ kind: "denied" } as const)
      : ({ kind: "approved", ...grant, scopes: getScopes(device, grant), atMs: ctx.atMs } as const);
  return changeDirectory(head, ctx, {
    rows: [put(key, { ...device, decision }), ...deleteRows([deviceByUserCodeKey(userCodeDigest)])],
    reply: { kind: "decided" },
    audit,
  });
}

/** Never grants more than the approver has; `admin` and `tokens` only when they were requested. */
function getScopes({ scopes }: Device, grant: Granted): readonly TokenScope[] {
  const isWanted = (scope: TokenScope) =>
    scopes === undefined ? scope !== "admin" && scope !== "tokens" : scopes.includes(scope);
  return grant.scopes.filter(isWanted);
}

export function redeemDevice(
  head: Directory,
  { digest, client, family, pair }: RedeemDevice,
  ctx: Context<ReplyTo<RedeemDevice>>,
): DirectoryDecision {
  const key = deviceKey(digest);
  const device = ctx.get(key);
  if (device === undefined || device.client !== client)
    return refuse(head, ctx, oauth("invalid_grant", "The device code is not valid."));
  if (device.expiresAtMs <= ctx.atMs)
    return refuse(head, ctx, oauth("expired_token", "The device code has expired; start over."));
  const { decision } = device;
  if (decision === undefined) return poll(head, digest, device, ctx);
  const used = deleteRows([key]);
  if (decision.kind === "denied" || !isInForce(decision, decision.atMs, ctx)) {
    const refusal = oauth("access_denied", "The request was denied.");
    return changeDirectory(head, ctx, { rows: used, reply: createRefused(refusal) });
  }
  const { user, organization, scopes } = decision;
  const { rows, tells } = beginFamily(
    { user, organization, scopes },
    { id: client, name: device.clientName, family },
    pair,
    ctx,
  );
  return changeDirectory(head, ctx, {
    rows: [...used, ...rows],
    tells,
    reply: grantTokens(scopes),
  });
}

/** Answers a poll. A client that polls too early must wait five seconds longer between polls. */
function poll(
  head: Directory,
  digest: string,
  device: Device,
  ctx: Context<Refused>,
): DirectoryDecision {
  const isEarly = ctx.atMs < device.polledAtMs + device.intervalMs - jitterMs;
  const refusal = isEarly
    ? oauth("slow_down", "Ask less often.")
    : oauth("authorization_pending", "The request has not been decided yet.");
  const intervalMs = device.intervalMs + (isEarly ? pollMs : 0);
  const row = put(deviceKey(digest), { ...device, intervalMs, polledAtMs: ctx.atMs });
  return changeDirectory(head, ctx, { rows: [row], reply: createRefused(refusal) });
}

/** `digest` is the SHA-256 of the device code as a binary string. */
export function deviceKey(digest: string): Key<Device> {
  return createKey(0, codes.device, digest);
}

/** Key of the open authorizations of a client or its network; for `name` see `clients.ts`. */
function devicesOfClientKey(name: string): Key<readonly OpenAuthorization[]> {
  return createKey(0, codes.devicesOfClient, name);
}

/** Key of a device code's digest (in hex), by the SHA-256 of the user code. */
export function deviceByUserCodeKey(digest: string): Key<string> {
  return createKey(0, codes.deviceByUserCode, digest);
}
