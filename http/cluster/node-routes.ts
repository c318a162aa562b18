/**
 * Operator routes: the serving nodes and those of the farm, and draining them. A node drains until
 * its process ends. The directory's number is the number of shards.
 */

import { directoryKey, type NoteAudit } from "../../actors/directory/directory-messages.ts";
import { limits } from "../../config/limits.ts";
import { AdminNode, AdminNodeList } from "../../contract/admin.ts";
import { strict } from "../../contract/common.ts";
import type { FarmNodeState } from "../../effects/effects-messages.ts";
import type { KnownNode } from "../../engine/cluster/cluster-nodes.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { RefusalError, requireFound } from "../exchange/refusal-error.ts";
import { expectReply } from "../problems/replies.ts";
import { anywhere, type Call, jsonBody, type Route, route } from "../route.ts";
import type { Service } from "../service.ts";
import { auditNote } from "../sign-in/audit-note.ts";
import type { NodeAnswer } from "./forwarder.ts";
import { ownPresence } from "./own-presence.ts";
import { describeClock } from "./warnings.ts";

export const nodeRoutes: readonly Route[] = [
  route("GET", "/v1/admin/nodes", {
    summary: "List the nodes, with their shards and tasks",
    answers: { 200: AdminNodeList },
    access: "admin",
    getPartition: anywhere,
    rate: "read",
    run: async ({ service }) => json(200, { items: await listNodes(service) }),
  }),
  route("POST", "/v1/admin/nodes/{id}:drain", {
    summary: "Let a node hand over its shards, or take no more tasks",
    answers: { 200: AdminNode },
    access: "admin",
    getPartition: anywhere,
    rate: "write",
    body: jsonBody(strict({})),
    run: drainNode,
  }),
];

export const nodePartPath = "/parts/nodes";

async function listNodes(service: Service): Promise<readonly AdminNode[]> {
  const { cluster, self, clock } = service;
  const [own, others] = await Promise.all([
    ownFarmNodes(service),
    cluster?.forwarder.askNodes("GET", nodePartPath) ?? [],
  ]);
  const answers: readonly NodeAnswer[] = [{ node: self.id, answer: own }, ...others];
  const farmByNode = new Map(
    answers.map(({ node, answer }) => [node, (answer as FarmNodeState[] | undefined) ?? []]),
  );
  const nowMs = clock.nowMs();
  const alone = { ...ownPresence(service), lastSeenMs: nowMs, clockAheadMs: 0 };
  const known = cluster?.nodes.list() ?? [alone];
  const engines = known.map((node) => engineView(node, farmByNode.get(node.node) ?? []));
  const byId = (a: AdminNode, b: AdminNode) => (a.id < b.id ? -1 : 1);
  return [...engines.sort(byId), ...farmViews([...farmByNode.values()].flat(), nowMs).sort(byId)];
}

/** This node's farm nodes; none while the thread that knows them is not running. */
export async function ownFarmNodes({
  line,
}: Pick<Service, "line">): Promise<readonly FarmNodeState[]> {
  try {
    return await line.farmNodes();
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  }
}

/** The tasks in the view are those that the node has given to farm nodes. */
function engineView(node: KnownNode, farm: readonly FarmNodeState[]): AdminNode {
  const { name, address, version, status, shards } = node;
  return {
    id: node.node,
    name: name ?? address,
    kind: "engine",
    address,
    version,
    status,
    shards: [...shards],
    tasks: farm.reduce((sum, { tasks }) => sum + tasks, 0),
    slots: 0,
    warnings: [...node.warnings, describeClock(node) ?? []].flat(),
    started_at: timestamp(node.startedAtMs),
    last_seen_at: timestamp(node.lastSeenMs),
  };
}

/** A farm node takes tasks from several nodes; one that stops reporting leaves the list. */
function farmViews(states: readonly FarmNodeState[], nowMs: number): AdminNode[] {
  const names = [...new Set(states.map(({ name }) => name))];
  return names.map((name): AdminNode => {
    const same = states.filter((state) => state.name === name);
    return {
      id: name,
      name,
      kind: "farm",
      address: name.replace(/-\d+$/, ""),
      shards: [],
      version: same[0]?.version ?? null,
      status: same.some(({ isDraining }) => isDraining) ? "draining" : "live",
      tasks: same.reduce((sum, { tasks }) => sum + tasks, 0),
      slots: Math.max(...same.map(({ slots }) => slots)),
      warnings: [],
      started_at: timestamp(Math.min(...same.map(({ joinedAtMs }) => joinedAtMs))),
      last_seen_at: timestamp(nowMs),
    };
  });
}

/** The audit row is written before the drain begins, since the directory itself may move. */
async function drainNode(call: Call): Promise<Answer> {
  const { service, id } = call;
  const nodes = await listNodes(service);
  const node = requireFound(nodes.find((known) => known.id === id));
  checkDrainable(node, nodes);
  const note: NoteAudit = { kind: "note", audit: auditNote(call, "node.drain", id) };
  expectReply(await service.gateway.ask(directoryKey, note, "work"), "noted");
  const others = service.cluster?.forwarder.askNodes("POST", `${nodePartPath}/${id}:drain`) ?? [];
  const answers = (await others).map(({ answer }) => answer as DrainAnswer | undefined);
  const isHere = await drainHere(service, id);
  const isDrained = isHere || answers.some((answer) => answer?.isDrained);
  // Each node grants its leases to a farm node on its own, so all of them must answer.
  if (!isDrained || (node.kind === "farm" && answers.includes(undefined)))
    throw new RefusalError({
      code: "unavailable",
      retryAfterSeconds: limits.http.retryAfterSeconds,
    });
  return json(200, { ...node, status: "draining" });
}

interface DrainAnswer {
  readonly isDrained: boolean;
}

/** Throws `RefusalError` when no other node could take over the work. */
function checkDrainable({ id, kind, status }: AdminNode, nodes: readonly AdminNode[]): void {
  if (status === "gone")
    throw new RefusalError({ code: "conflict", detail: `Node ${id} is gone.` });
  const isLeft = nodes.some(
    (other) => other.kind === "engine" && other.status === "live" && other.id !== id,
  );
  if (kind === "engine" && !isLeft)
    throw new RefusalError({
      code: "conflict",
      detail: "No other live node can take over its shards.",
    });
}

/** Returns false for an id that is neither this node nor a farm node that takes its tasks. */
export async function drainHere(service: Service, id: string): Promise<boolean> {
  const { cluster, self, line } = service;
  if (id !== self.id) return line.drainFarmNode(id);
  cluster?.drain();
  return cluster !== undefined;
}
