/** Operator routes: providers, their health, and pausing them. */

import { directoryKey, type NoteAudit } from "../../actors/directory/directory-messages.ts";
import type { PauseProvider } from "../../actors/directory/paused-providers.ts";
import { jobKey } from "../../actors/protocol/job.ts";
import { AdminProvider, AdminProviderList, ReadRequeued } from "../../contract/admin.ts";
import { strict } from "../../contract/common.ts";
import type { ProviderState } from "../../effects/effects-messages.ts";
import { type Id, parseId } from "../../engine/id.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import type { Health } from "../../providers/provider.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, atNamedId, type Call, jsonBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import { providerView } from "./provider-views.ts";

const access = "admin";
const body = jsonBody(strict({}));

export const providerRoutes: readonly Route[] = [
  route("GET", "/v1/admin/providers", {
    summary: "List the providers, with their state and work",
    answers: { 200: AdminProviderList },
    access,
    getPartition: anywhere,
    rate: "read",
    run: listProviders,
  }),
  route("POST", "/v1/admin/providers/{name}:pause", {
    summary: "Pause a provider, so that its jobs wait",
    answers: { 200: AdminProvider },
    access,
    getPartition: anywhere,
    rate: "write",
    body,
    run: (call) => setPaused(call, true),
  }),
  route("POST", "/v1/admin/providers/{name}:resume", {
    summary: "Resume a paused provider",
    answers: { 200: AdminProvider },
    access,
    getPartition: anywhere,
    rate: "write",
    body,
    run: (call) => setPaused(call, false),
  }),
  route("POST", "/v1/admin/jobs/{id}/requeue-read", {
    summary: "Read a job's state from its provider now",
    answers: { 200: ReadRequeued },
    access,
    getPartition: atNamedId,
    rate: "write",
    body,
    run: requeueRead,
  }),
];

async function listProviders({ service }: Call): Promise<Answer> {
  const states = await listStates(service);
  const items = service.providers.map((config) => {
    const state = states.find(({ name }) => name === config.name);
    return providerView(config, state, service);
  });
  return json(200, { items });
}

export const providerPartPath = "/parts/providers";

/** Collects the states from all nodes that answer, since each submits work to the providers. */
async function listStates(service: Service): Promise<readonly ProviderState[]> {
  const [own, others] = await Promise.all([
    ownStates(service),
    service.cluster?.forwarder.askNodes("GET", providerPartPath) ?? [],
  ]);
  const answers = others.flatMap(({ answer }) => (answer as ProviderState[] | undefined) ?? []);
  return mergeStates([...own, ...answers]);
}

/** States at this node; none while the thread that calls providers is not running. */
export async function ownStates({
  line,
}: Pick<Service, "line">): Promise<readonly ProviderState[]> {
  try {
    return await line.states();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  }
}

const healths: readonly Health[] = ["up", "degraded", "down"];

/** Merges the states of several nodes: worst health, latest error, sum of the work. */
function mergeStates(states: readonly ProviderState[]): readonly ProviderState[] {
  const byName = new Map<string, ProviderState>();
  for (const state of states) {
    const before = byName.get(state.name);
    const merged = before === undefined ? state : mergeTwo(before, state);
    byName.set(state.name, merged);
  }
  return [...byName.values()];
}

function mergeTwo(a: ProviderState, b: ProviderState): ProviderState {
  const errors = [a, b].flatMap(({ lastErrorAtMs }) => lastErrorAtMs ?? []);
  return {
    ...a,
    health: healths.indexOf(a.health) > healths.indexOf(b.health) ? a.health : b.health,
    inFlight: a.inFlight + b.inFlight,
    waiting: a.waiting + b.waiting,
    lastErrorAtMs: errors.length === 0 ? undefined : Math.max(...errors),
  };
}

async function setPaused(call: Call, isPaused: boolean): Promise<Answer> {
  const { service, id } = call;
  const config = requireFound(service.providers.find(({ name }) => name === id));
  const message: PauseProvider = {
    kind: "pause_provider",
    provider: config.name,
    isPaused,
    audit: auditNote(call, isPaused ? "provider.pause" : "provider.resume", config.name),
  };
  expectReply(await service.gateway.ask(directoryKey, message, "work"), "provider_paused");
  const states = await listStates(service);
  const state = states.find(({ name }) => name === config.name);
  return json(200, providerView(config, state, service));
}

async function requeueRead(call: Call): Promise<Answer> {
  const { service } = call;
  const job = requireFound(parseId(call.id));
  requireFound(service.gateway.read(jobKey(job)));
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
