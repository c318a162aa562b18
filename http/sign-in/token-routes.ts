/** Routes for the personal access tokens of the calling account. */

import { digestOfHex } from "../../actors/directory/digest.ts";
import { credentialKey } from "../../actors/directory/directory.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { type IssueToken, liveTokens, type RevokeToken } from "../../actors/directory/tokens.ts";
import { CreatedToken, CreateTokenRequest, TokenList } from "../../contract/token.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, type Call, jsonBodyWithNulls, type Route, route } from "../route.ts";
import { drawToken, tokenView, usualScopes, viewCreated } from "./new-token.ts";

export const tokenRoutes: readonly Route[] = [
  route("POST", "/v1/tokens", {
    summary: "Create a personal access token",
    answers: { 201: CreatedToken },
    access: "tokens",
    getPartition: anywhere,
    rate: "write",
    body: jsonBodyWithNulls<CreateTokenRequest>(CreateTokenRequest, ["expires_in_days"]),
    run: createToken,
  }),
  route("GET", "/v1/tokens", {
    summary: "List the account's active personal access tokens",
    answers: { 200: TokenList },
    access: "tokens",
    getPartition: anywhere,
    rate: "read",
    run: listTokens,
  }),
  route("DELETE", "/v1/tokens/{id}", {
    summary: "Revoke a personal access token",
    answers: { 204: null },
    access: "tokens",
    getPartition: anywhere,
    rate: "write",
    run: revokeToken,
  }),
];

async function createToken({
  service,
  principal,
  body,
}: Call<CreateTokenRequest>): Promise<Answer> {
  const made = drawToken(service, principal, principal.user.id, body, usualScopes);
  const message: IssueToken = { kind: "issue_token", token: made.drawn };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "issued");
  return json(201, viewCreated(service.gateway, made));
}

function listTokens({ service, principal }: Call): Answer {
  const { gateway, clock } = service;
  const get = gateway.read.bind(gateway);
  const items = liveTokens(principal.user.id, { get, atMs: clock.nowMs() }).flatMap((ref) => {
    const digest = digestOfHex(ref.digest);
    const credential = gateway.read(credentialKey(digest));
    return credential === undefined ? [] : [tokenView(gateway, { digest, credential })];
  });
  return json(200, { items: items.reverse() });
}

async function revokeToken({ service, principal, id }: Call): Promise<Answer> {
  const message: RevokeToken = { kind: "revoke_token", user: principal.user.id, id };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "revoked");
  return noContent();
}
