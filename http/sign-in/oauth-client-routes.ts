/** Routes of a context's OAuth clients, for owners and admins, or the user of a personal space. */

import { encodeHex } from "../../actors/directory/digest.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import {
  clientsOfScopeKey,
  type DeleteClient,
  type MakeClient,
  type OAuthClient,
  oauthClientKey,
} from "../../actors/directory/oauth.ts";
import {
  ClientList,
  type OAuthClient as ClientView,
  CreateClientRequest,
  CreatedClient,
} from "../../contract/oauth.ts";
import { parseId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { computeDigest } from "../auth/principals.ts";
import { type Answer, json, noContent } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, type Call, jsonBody, type Route, route } from "../route.ts";
import { auditNote } from "./audit-note.ts";
import { scopesWithin } from "./new-token.ts";
import { drawSecret } from "./oauth-caller.ts";

export const oauthClientRoutes: readonly Route[] = [
  route("GET", "/v1/oauth/clients", {
    summary: "List the OAuth clients of the context",
    answers: { 200: ClientList },
    access: "tokens",
    getPartition: anywhere,
    needs: "manage_clients",
    rate: "read",
    run: list,
  }),
  route("POST", "/v1/oauth/clients", {
    summary: "Create an OAuth client that acts as its creator in this context",
    answers: { 201: CreatedClient },
    access: "tokens",
    getPartition: anywhere,
    needs: "manage_clients",
    rate: "write",
    body: jsonBody<CreateClientRequest>(CreateClientRequest),
    run: create,
  }),
  route("DELETE", "/v1/oauth/clients/{id}", {
    summary: "Delete an OAuth client and its access tokens",
    answers: { 204: null },
    access: "tokens",
    getPartition: anywhere,
    needs: "manage_clients",
    rate: "write",
    run: remove,
  }),
];

function list({ service, principal }: Call): Answer {
  const { gateway } = service;
  const ids = gateway.read(clientsOfScopeKey(principal.scope)) ?? [];
  const items = ids.flatMap((id) => {
    const client = gateway.read(oauthClientKey(id));
    return client === undefined ? [] : [clientView(client)];
  });
  return json(200, { items: items.reverse() });
}

async function create(call: Call<CreateClientRequest>): Promise<Answer> {
  const { service, principal, body } = call;
  const secret = drawSecret(service.entropy, "ocs_");
  const id = service.ids.under(0);
  const client: OAuthClient = {
    id,
    name: body.name,
    scopes: scopesWithin(principal, body.scopes, []),
    secretDigest: encodeHex(computeDigest(secret)),
    user: principal.user.id,
    organization: principal.organization?.id ?? null,
    createdAtMs: service.clock.nowMs(),
  };
  const message: MakeClient = {
    kind: "make_client",
    client,
    audit: auditNote(call, "client.create", id),
  };
  const reply = await service.gateway.ask(directoryKey, message, "work");
  const made = expectReply(reply, "made").client;
  return json(201, { ...clientView(made), client_secret: secret });
}

async function remove(call: Call): Promise<Answer> {
  const { service, principal, id } = call;
  const client = requireFound(parseId(id));
  const audit = auditNote(call, "client.delete", client);
  const message: DeleteClient = { kind: "delete_client", client, scope: principal.scope, audit };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "deleted");
  return noContent();
}

function clientView(client: OAuthClient): ClientView {
  const { id, name, scopes, organization, user, createdAtMs } = client;
  return {
    client_id: id,
    name,
    scopes: [...scopes],
    organization_id: organization,
    user_id: user,
    created_at: timestamp(createdAtMs),
  };
}
