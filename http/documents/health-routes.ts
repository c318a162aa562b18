import { Alive, Readiness } from "../../actors/contract/health.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Call, type Route, route } from "../route.ts";
import type { CheckState, Health } from "../service.ts";
import { type Answer, json } from "../transport/answer.ts";

export const healthRoutes: readonly Route[] = [
  route("GET", "/healthz", {
    summary: "Whether the process serves",
    answers: { 200: Alive },
    access: "open",
    run: ({ service }) => json(200, { status: "ok", version: service.version }),
  }),
  route("GET", "/readyz", {
    summary: "Whether the service is fit to serve, part by part",
    answers: { 200: Readiness, 503: Readiness },
    access: "open",
    run: ready,
  }),
];

function ready({ service }: Call): Answer {
  const { gateway, health } = service;
  const checks: Readonly<Record<string, CheckState>> = {
    store: storeState(gateway),
    log: "ok",
    objects: objectsState(health),
    workers: gateway.isOpen ? "ok" : "down",
    renderers: health.renderers,
  };
  const isReady = gateway.isReadable && !health.isDraining;
  return json(isReady ? 200 : 503, { status: isReady ? "ok" : "down", checks });
}

/** Degraded: what is there can be read, but nothing written. */
function storeState({ isOpen, isReadable }: Gateway): CheckState {
  if (isOpen) return "ok";
  return isReadable ? "degraded" : "down";
}

function objectsState({ areObjectsAway, isDiskLow }: Health): CheckState {
  if (areObjectsAway) return "down";
  return isDiskLow ? "degraded" : "ok";
}
