/** Operators: providers, how they are, and whether they are given work. */

import { AdminProvider, AdminProviderList, ReadRequeued } from "../../actors/contract/admin.ts";
import { strict } from "../../actors/contract/common.ts";
import { directoryKey, type NoteAudit } from "../../actors/directory/directory-messages.ts";
import type { PauseProvider } from "../../actors/directory/paused-providers.ts";
import type { ProviderState } from "../../actors/effects/effects-messages.ts";
import { jobKey } from "../../actors/job/job.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { auditNote } from "../auth/audit-note.ts";
import { found, RefusalError } from "../problems/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, atNamedId, type Call, jsonBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { type Answer, json } from "../transport/answer.ts";
import { providerView } from "./provider-views.ts";

const access = "admin";
const body = jsonBody(strict({}));

export const providerRoutes: readonly Route[] = [
  route("GET", "/v1/admin/providers", {
    summary: "List the providers, with their state and work",
    answers: { 200: AdminProviderList },
    access,
    partitionOf: anywhere,
    rate: "read",
    run: listProviders,
  }),
  route("POST", "/v1/admin/providers/{name}:pause", {
    summary: "Let the jobs of a provider wait",
    answers: { 200: AdminProvider },
    access,
    partitionOf: anywhere,
    rate: "write",
    body,
    run: (call) => setPaused(call, true),
  }),
  route("POST", "/v1/admin/providers/{name}:resume", {
    summary: "Give a paused provider work again",
    answers: { 200: AdminProvider },
    access,
    partitionOf: anywhere,
    rate: "write",
    body,
    run: (call) => setPaused(call, false),
  }),
  route("POST", "/v1/admin/jobs/{id}/requeue-read", {
    summary: "Read a job's state at its provider now",
    answers: { 200: ReadRequeued },
    access,
    partitionOf: atNamedId,
    rate: "write",
    body,
    run: requeueRead,
  }),
];

async function listProviders({ service }: Call): Promise<Answer> {
  const states = await statesOf(service);
  const items = service.providers.map((config) => {
    const state = states.find(({ name }) => name === config.name);
    return providerView(config, state, service);
  });
  return json(200, { items });
}

/** None while the thread that asks providers is away. */
async function statesOf({ line }: Service): Promise<readonly ProviderState[]> {
  try {
    return await line.states();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  }
}

async function setPaused(call: Call, isPaused: boolean): Promise<Answer> {
  const { service, id } = call;
  const config = found(service.providers.find(({ name }) => name === id));
  const message: PauseProvider = {
    kind: "pause_provider",
    provider: config.name,
    isPaused,
    audit: auditNote(call, isPaused ? "provider.pause" : "provider.resume", config.name),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "provider_paused");
  service.line.refresh();
  const states = await statesOf(service);
  const state = states.find(({ name }) => name === config.name);
  return json(200, providerView(config, state, service));
}

async function requeueRead(call: Call): Promise<Answer> {
  const { service } = call;
  const job = found(parseId(call.id));
  found(service.gateway.read(jobKey(job)));
  if (!(await readNow(service, job)))
    throw new RefusalError({ code: "conflict", detail: "No provider has this job." });
  const note: NoteAudit = { kind: "note", audit: auditNote(call, "job.requeue_read", job) };
  expectReply(await service.gateway.ask(directoryKey, note, "work"), "noted");
  return json(200, { status: "accepted" });
}

async function readNow({ line }: Service, job: Id): Promise<boolean> {
  try {
    return await line.read(job);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    throw new RefusalError({ code: "unavailable", retryAfterSeconds: 5 });
  }
}
