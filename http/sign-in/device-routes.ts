/** The device grant (RFC 8628): a device asks, and a person answers on the page `/device`. */

import type { DecideDevice, OpenDevice } from "../../actors/directory/devices.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { limits } from "../../config/limits.ts";
import {
  ApproveRequest,
  type DeviceAuthorization as AuthorizationView,
  DeviceAuthorization,
  DeviceForm,
  OAuthError,
} from "../../contract/oauth.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import { computeDigest } from "../auth/principals.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { optionalText } from "../request/query.ts";
import { anywhere, type Call, formBody, jsonBody, type Route, route } from "../route.ts";
import { findBounds, findClient } from "../transport/clients.ts";
import { auditNote } from "./audit-note.ts";
import { devicePage } from "./device-page.ts";
import { drawSecret, oauthCaller, parseScopes } from "./oauth-caller.ts";

export const deviceRoutes: readonly Route[] = [
  route("POST", "/v1/oauth/device_authorization", {
    summary: "Begin a device's authorization",
    answers: { 200: DeviceAuthorization, 400: OAuthError, 401: OAuthError },
    access: "open",
    body: formBody<DeviceForm>(DeviceForm),
    run: begin,
  }),
  route("POST", "/v1/oauth/device/approve", {
    summary: "Approve or deny a device by its user code",
    answers: { 204: null },
    access: "tokens",
    getPartition: anywhere,
    rate: "write",
    body: jsonBody<ApproveRequest>(ApproveRequest),
    run: approve,
  }),
  route("GET", "/device", {
    summary: "The page on which a person approves a device",
    answers: { 200: "text/html" },
    access: "open",
    query: { user_code: optionalText(32) },
    run: ({ service }) => devicePage(service.entropy),
  }),
];

/** Counted by address, like requests without a valid bearer, as it needs no credential. */
async function begin(call: Call<DeviceForm>): Promise<Answer> {
  const { service, request, body } = call;
  const client = oauthCaller(call);
  const rate = service.rates?.countAddress(request.address);
  if (rate?.isOver === true)
    throw new RefusalError({ code: "rate_limit", retryAfterSeconds: rate.resetSeconds });
  const deviceCode = drawSecret(service.entropy, "");
  const userCode = drawUserCode(service.entropy);
  const message: OpenDevice = {
    kind: "open_device",
    digest: computeDigest(deviceCode),
    userCodeDigest: computeDigest(plain(userCode)),
    client: { id: client.id, name: client.name },
    scopes: parseScopes(body.scope),
    counters: findCounters(call),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "opened");
  const uri = `${new URL(service.baseUrl).origin}/device`;
  const view: AuthorizationView = {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: uri,
    verification_uri_complete: `${uri}?user_code=${userCode}`,
    expires_in: limits.oauth.deviceSeconds,
    interval: limits.oauth.devicePollSeconds,
  };
  return json(200, view);
}

/** Counters of the client's address; trusted proxies are not counted. */
function findCounters({ service, request }: Call<DeviceForm>): OpenDevice["counters"] {
  const { address } = request;
  if (service.proxies.has(address)) return [];
  return findBounds(findClient(address), limits.oauth.devicesPerClientMax);
}

/** No vowels, so that no words form, and no ambiguous characters (RFC 8628, section 6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** Draws eight of twenty letters, each equally likely. */
function drawUserCode(entropy: Entropy): string {
  let code = "";
  while (code.length < 8)
    for (const byte of entropy.bytes(16))
      if (code.length < 8 && byte < 240) code += letters[byte % letters.length];
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** The code as it is compared, however a person types it. */
function plain(userCode: string): string {
  return userCode.toUpperCase().replace(/[^A-Z]/g, "");
}

/** The device gets at most the scopes of the credential that approves. */
async function approve(call: Call<ApproveRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const { user, credential } = principal;
  const { organization, scopes } = credential;
  const message: DecideDevice = {
    kind: "decide_device",
    userCodeDigest: computeDigest(plain(body.user_code)),
    grant: body.approve ? { user: user.id, organization, scopes } : undefined,
    audit: auditNote(call, body.approve ? "device.approve" : "device.deny", user.id),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "decided");
  return noContent();
}
