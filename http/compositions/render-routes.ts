/** Routes of renders: submitting, reading, listing, following and canceling them. */

import {
  type CancelRender,
  renderKey,
  renderOfCompositionKey,
} from "../../actors/protocol/render.ts";
import { limits } from "../../config/limits.ts";
import { strict } from "../../contract/common.ts";
import { SseTicket } from "../../contract/job.ts";
import { RenderList, RenderRequest, Render as RenderSchema } from "../../contract/render.ts";
import { RenderFrame } from "../../contract/stream.ts";
import { type Id, idOfBytes, parseId } from "../../engine/id.ts";
import { getRange } from "../../engine/key.ts";
import { requirePermission } from "../auth/permissions.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { withETag } from "../request/etag.ts";
import { ticketParameter } from "../request/query.ts";
import { type Call, jsonBody, type Route, route } from "../route.ts";
import { atTicket, mintTicket, redeemTicket } from "../sign-in/stream-tickets.ts";
import { findComposition } from "./compositions.ts";
import { renderStream } from "./render-stream.ts";
import { createTag, findRender, renderText, submitRender } from "./renders.ts";

export const renderRoutes: readonly Route[] = [
  route("POST", "/v1/compositions/{id}/render", {
    summary: "Render a composition to a film or a still",
    answers: { 202: RenderSchema },
    access: "renders",
    needs: "submit",
    rate: "submit",
    takesKey: true,
    body: jsonBody<RenderRequest>(RenderRequest),
    run: createRender,
  }),
  route("GET", "/v1/compositions/{id}/renders", {
    summary: "List the renders of a composition, newest first",
    answers: { 200: RenderList, 304: null },
    access: "renders",
    needs: "read",
    rate: "read",
    run: listRenders,
  }),
  route("GET", "/v1/renders/{id}", {
    summary: "Read a render",
    answers: { 200: RenderSchema, 304: null },
    access: "renders",
    needs: "read",
    rate: "read",
    run: readRender,
  }),
  route("POST", "/v1/renders/{id}/cancel", {
    summary: "Cancel a render",
    answers: { 200: RenderSchema },
    access: "renders",
    needs: "cancel_own",
    rate: "write",
    body: jsonBody(strict({})),
    run: cancelRender,
  }),
  route("POST", "/v1/renders/{id}/sse-ticket", {
    summary: "Mint a ticket for one event stream of a render",
    answers: { 201: SseTicket },
    access: "renders",
    needs: "read",
    rate: "read",
    run: (call) => mintTicket(call, findRender(call).id),
  }),
  route("GET", "/v1/renders/{id}/sse", {
    summary: "Follow a render as an event stream",
    answers: { 200: { frames: RenderFrame } },
    anyOrigin: true,
    access: "open",
    getPartition: atTicket,
    takesHead: false,
    query: { ticket: ticketParameter },
    run: openStream,
  }),
];

async function createRender(call: Call<RenderRequest>): Promise<Answer> {
  const { service } = call;
  findComposition(call);
  const id = await submitRender(call);
  const { view } = renderText(service, findRender({ ...call, id }));
  return json(202, view, [["Location", `${service.baseUrl}/renders/${id}`]]);
}

function readRender(call: Call): Answer {
  const { view, etag } = renderText(call.service, findRender(call));
  return withETag(call.request, etag, JSON.stringify(view));
}

async function listRenders(call: Call): Promise<Answer> {
  const { service, request } = call;
  const { id } = findComposition(call);
  const range = getRange(renderOfCompositionKey(id, ""));
  const rows = await service.gateway.range(range, limits.renders.listMax, true);
  const items = rows.flatMap(({ key }) => {
    const render = service.gateway.read(renderKey(idOfBytes(key, key.length - 16)));
    return render === undefined ? [] : [renderText(service, render).view];
  });
  const text = JSON.stringify({ items });
  return withETag(request, createTag(text), text);
}

async function cancelRender(call: Call): Promise<Answer> {
  const { service, principal } = call;
  const { id, user } = findRender(call);
  if (user !== principal.user.id) requirePermission(principal, "cancel_any");
  const message: CancelRender = { kind: "cancel", user: principal.user.id };
  expectReply(await service.gateway.ask(renderKey(id), message, "settle"), "canceled");
  return json(200, renderText(service, findRender(call)).view);
}

async function openStream(call: Call<unknown, { ticket: string | undefined }>): Promise<Answer> {
  const reader = await redeemTicket(call, call.query.ticket);
  return renderStream(call, getId(call), reader);
}

function getId({ id }: Call<unknown, unknown>): Id {
  return requireFound(parseId(id));
}
