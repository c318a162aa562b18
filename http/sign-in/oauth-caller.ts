/** Authenticates OAuth clients: by Basic, by the body (RFC 6749, section 2.3.1), or as public. */
import { timingSafeEqual } from "node:crypto";
import { type OAuthClient, oauthClientKey } from "../../actors/directory/oauth.ts";
import { type TokenScope, tokenScopes } from "../../contract/account.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { parseId } from "../../engine/id.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "../auth/principals.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";

/** The command line has no secret, so it may only request what a person approves. */
const publicClient = { id: "klieg-cli", name: "klieg command line" } as const;

/** The client that calls; `confidential` is undefined for the public client. */
export interface OAuthCaller {
  readonly id: string;
  readonly name: string;
  readonly confidential: OAuthClient | undefined;
}

interface Named {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** Throws `RefusalError` with `invalid_client`. */
export function oauthCaller({ service, request, body }: Call<Named>): OAuthCaller {
  const basic = parseBasic(request.headers["authorization"]);
  if (basic !== undefined && body.client_secret !== undefined)
    throw invalidRequest("Authenticate the client in only one way.");
  const { id, secret } = basic ?? { id: body.client_id, secret: body.client_secret };
  if (id === publicClient.id && (secret ?? "") === "")
    return { ...publicClient, confidential: undefined };
  const client = clientWith(service.gateway, id ?? "", secret ?? "");
  if (client === undefined)
    throw new RefusalError({
      code: "oauth",
      error: "invalid_client",
      detail: "The client is unknown or its secret is wrong.",
    });
  return { id: client.id, name: client.name, confidential: client };
}

function clientWith(gateway: Gateway, id: string, secret: string): OAuthClient | undefined {
  const known = parseId(id);
  const client = known === undefined ? undefined : gateway.read(oauthClientKey(known));
  const given = Buffer.from(computeDigest(secret), "latin1");
  const right = Buffer.from(client?.secretDigest ?? "00".repeat(given.length), "hex");
  return timingSafeEqual(given, right) ? client : undefined;
}

/** Returns undefined for other schemes; both parts are form-encoded. */
function parseBasic(authorization = ""): { id: string; secret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  if (colon < 0) throw invalidRequest("The Basic credentials are malformed.");
  return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
}

function decode(text: string): string {
  return new URLSearchParams(`part=${text.replaceAll("&", "%26")}`).get("part") ?? "";
}

/** Undefined when no scope was requested. Throws `RefusalError` with `invalid_scope`. */
export function parseScopes(scope: string | undefined): readonly TokenScope[] | undefined {
  if (scope === undefined || scope.trim() === "") return undefined;
  const names = new Set(scope.trim().split(/ +/));
  const known = tokenScopes.filter((name) => names.has(name));
  if (known.length === names.size) return known;
  throw new RefusalError({
    code: "oauth",
    error: "invalid_scope",
    detail: `The scopes are ${tokenScopes.join(" ")}.`,
  });
}

export function invalidRequest(detail: string): RefusalError {
  return new RefusalError({ code: "oauth", error: "invalid_request", detail });
}

/** Draws a secret whose prefix names its kind. */
export function drawSecret(entropy: Entropy, prefix: string): string {
  return prefix + Buffer.from(entropy.bytes(32)).toString("base64url");
}
