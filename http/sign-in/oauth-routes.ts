/** OAuth for machines (RFC 6749, 7009, 8414): issuing, refreshing and revoking tokens. */

import type { RedeemDevice } from "../../actors/directory/devices.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import type { IssueAccess, NewPair, Refresh, Revoke } from "../../actors/directory/oauth.ts";
import { limits } from "../../config/limits.ts";
import { type TokenScope, tokenScopes } from "../../contract/account.ts";
import {
  AccessToken,
  AuthorizationServer,
  OAuthError,
  RevokeForm,
  TokenForm,
} from "../../contract/oauth.ts";
import { computeDigest } from "../auth/principals.ts";
import { type Answer, constantHeader, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { type Call, formBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import {
  drawSecret,
  invalidRequest,
  type OAuthCaller,
  oauthCaller,
  parseScopes,
} from "./oauth-caller.ts";

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";

export const oauthRoutes: readonly Route[] = [
  route("GET", "/.well-known/oauth-authorization-server", {
    summary: "Where and how OAuth tokens are issued",
    answers: { 200: AuthorizationServer },
    access: "open",
    run: ({ service }) => json(200, metadata(service)),
  }),
  route("POST", "/v1/oauth/token", {
    summary: "Obtain an access token",
    answers: { 200: AccessToken, 400: OAuthError, 401: OAuthError },
    access: "open",
    body: formBody<TokenForm>(TokenForm),
    run: giveToken,
  }),
  route("POST", "/v1/oauth/revoke", {
    summary: "Revoke a token",
    answers: { 200: null, 400: OAuthError, 401: OAuthError },
    access: "open",
    body: formBody<RevokeForm>(RevokeForm),
    run: revoke,
  }),
];

function metadata({ baseUrl }: Service) {
  return {
    issuer: new URL(baseUrl).origin,
    token_endpoint: `${baseUrl}/oauth/token`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    response_types_supported: [],
    grant_types_supported: ["client_credentials", "refresh_token", deviceGrant],
    scopes_supported: [...tokenScopes],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    revocation_endpoint_auth_methods_supported: [
      "client_secret_basic",
      "client_secret_post",
      "none",
    ],
  };
}

/** Throws `RefusalError` with 429. Clients count by account, the public one by address. */
function countCaller({ service, request }: Call<unknown>, { confidential }: OAuthCaller): void {
  const rate =
    confidential === undefined
      ? service.rates?.countAddress(request.address)
      : service.rates?.count("write", confidential.user);
  if (rate?.isOver === true)
    throw new RefusalError({ code: "rate_limit", retryAfterSeconds: rate.resetSeconds });
}

async function giveToken(call: Call<TokenForm>): Promise<Answer> {
  const { grant_type: grant } = call.body;
  if (grant === undefined) throw invalidRequest("The field grant_type is required.");
  const client = oauthCaller(call);
  switch (grant) {
    case "client_credentials":
      if (client.confidential !== undefined) countCaller(call, client);
      return byClient(call, client);
    case "refresh_token":
      return byRefresh(call, client);
    case deviceGrant:
      return byDevice(call, client);
    default: {
      const detail = "grant_type must be client_credentials, refresh_token or the device code's.";
      throw new RefusalError({ code: "oauth", error: "unsupported_grant_type", detail });
    }
  }
}

/** Issues a token for the user who created the client, in the context of its creation. */
async function byClient(
  { service, body }: Call<TokenForm>,
  { confidential: client }: OAuthCaller,
): Promise<Answer> {
  if (client === undefined)
    throw new RefusalError({
      code: "oauth",
      error: "unauthorized_client",
      detail: "A client without a secret cannot use the grant client_credentials.",
    });
  const scopes = parseScopes(body.scope) ?? client.scopes;
  if (!scopes.every((scope) => client.scopes.includes(scope)))
    throw new RefusalError({
      code: "oauth",
      error: "invalid_scope",
      detail: `This client's scopes are ${client.scopes.join(" ")}.`,
    });
  const access = drawAccess(service);
  const nowMs = service.clock.nowMs();
  const credential = {
    id: access.id,
    name: client.name,
    user: client.user,
    scopes,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + limits.oauth.accessTokenSeconds * 1000,
    organization: client.organization,
    client: client.id,
  };
  const message: IssueAccess = {
    kind: "issue_access",
    token: { digest: computeDigest(access.token), credential },
  };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  return show(access.token, expectReply(reply, "granted").scopes, undefined);
}

async function byRefresh(call: Call<TokenForm>, client: OAuthCaller): Promise<Answer> {
  const { refresh_token: token, scope } = call.body;
  if (token === undefined) throw invalidRequest("The field refresh_token is required.");
  const scopes = parseScopes(scope);
  return givePair(call.service, client, (client, pair) => {
    return { kind: "refresh", digest: computeDigest(token), scopes, client, pair };
  });
}

async function byDevice(call: Call<TokenForm>, client: OAuthCaller): Promise<Answer> {
  const { device_code: code } = call.body;
  if (code === undefined) throw invalidRequest("The field device_code is required.");
  const family = call.service.ids.under(0);
  return givePair(call.service, client, (client, pair) => {
    return { kind: "redeem_device", digest: computeDigest(code), family, client, pair };
  });
}

async function givePair(
  service: Service,
  client: OAuthCaller,
  buildMessage: (client: string, pair: NewPair) => Refresh | RedeemDevice,
): Promise<Answer> {
  const access = drawAccess(service);
  const refresh = drawSecret(service.entropy, "ort_");
  const pair: NewPair = {
    accessId: access.id,
    accessDigest: computeDigest(access.token),
    refreshDigest: computeDigest(refresh),
  };
  const message = buildMessage(client.id, pair);
  const reply = await service.gateway.ask(directoryKey, message, "work");
  return show(access.token, expectReply(reply, "granted").scopes, refresh);
}

function drawAccess({ entropy }: Service): { readonly id: string; readonly token: string } {
  const id = Buffer.from(entropy.bytes(4)).toString("hex");
  return { id, token: drawSecret(entropy, "oat_") };
}

const noStore = constantHeader("Cache-Control", "no-store");

function show(token: string, scopes: readonly TokenScope[], refresh: string | undefined): Answer {
  const view: AccessToken = {
    access_token: token,
    token_type: "Bearer",
    expires_in: limits.oauth.accessTokenSeconds,
    scope: scopes.join(" "),
  };
  if (refresh !== undefined) view.refresh_token = refresh;
  return json(200, view, [noStore]);
}

/** A client can revoke only tokens that were issued to it. */
async function revoke(call: Call<RevokeForm>): Promise<Answer> {
  const { service, body } = call;
  const client = oauthCaller(call);
  countCaller(call, client);
  if (body.token === undefined) throw invalidRequest("The field token is required.");
  const message: Revoke = { kind: "revoke", digest: computeDigest(body.token), client: client.id };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "revoked");
  return { status: 200, headers: [], body: "" };
}
