import { Alive, Readiness } from "../../contract/health.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { type Call, type Route, route } from "../route.ts";
import type { CheckState, Health, Service } from "../service.ts";

export const healthRoutes: readonly Route[] = [
  route("GET", "/healthz", {
    summary: "Whether the process serves",
    answers: { 200: Alive },
    access: "open",
    run: ({ service }) => json(200, { status: "ok", version: service.version }),
  }),
  route("GET", "/readyz", {
    summary: "Whether the service is ready, component by component",
    answers: { 200: Readiness, 503: Readiness },
    access: "open",
    run: ready,
  }),
];

function ready({ service }: Call): Answer {
  const { gateway, health } = service;
  const { isReadable, isOpen } = service.cluster === undefined ? gateway : getState(service);
  const isLogged = isLogReached(service);
  const checks: Readonly<Record<string, CheckState>> = {
    store: storeState({ isReadable, isOpen }),
    log: isLogged ? "ok" : "down",
    objects: objectsState(health),
    workers: isOpen ? "ok" : "down",
    renderers: health.renderers,
  };
  const isReady = isReadable && !health.isDraining;
  return json(isReady ? 200 : 503, {
    status: isReady ? "ok" : "down",
    checks,
    warnings: service.warnings.list(),
  });
}

/**
 * Whether records can be stored, as far as this node has to: in a cluster, the log renews the
 * leases of its shards, or brings the directory's records.
 */
function isLogReached({ gateway, cluster }: Service): boolean {
  const { shardCount } = gateway;
  for (let shard = 0; shard <= shardCount; shard++) {
    const isReached = gateway.owns(shard) ? gateway.reads(shard) : cluster !== undefined;
    if (!isReached) return false;
  }
  return gateway.reads(shardCount);
}

type StoreState = Pick<Gateway, "isOpen" | "isReadable">;

/** In a cluster: open when every shard has an owner, readable when this node has the log too. */
function getState(service: Service): StoreState {
  const { gateway, cluster } = service;
  const { shardCount } = gateway;
  let isOpen = true;
  for (let shard = 0; shard <= shardCount; shard++)
    isOpen &&= gateway.owns(shard) || cluster?.nodes.getOwner(shard) !== undefined;
  return { isOpen, isReadable: isOpen && isLogReached(service) };
}

/** The store is degraded when its data can be read but not written. */
function storeState({ isOpen, isReadable }: StoreState): CheckState {
  if (isOpen) return "ok";
  return isReadable ? "degraded" : "down";
}

function objectsState({ areObjectsAway, isDiskLow }: Health): CheckState {
  if (areObjectsAway) return "down";
  return isDiskLow ? "degraded" : "ok";
}
