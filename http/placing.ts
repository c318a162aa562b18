/** Finds the partition that a request concerns; the partition's owner answers it. */
import { partitionOfId } from "../engine/id.ts";
import { partitionOfTurn } from "./auth/agent-turn-principal.ts";
import type { Principal } from "./auth/principal.ts";
import type { HttpRequest } from "./exchange/answer.ts";
import type { Route } from "./route.ts";

/** The partition, or undefined when any node can answer. */
export function findPartition(
  { access, partitionOf }: Route,
  ids: readonly string[],
  request: HttpRequest,
  principal: Principal | undefined,
): number | undefined {
  if (partitionOf !== undefined) return partitionOf({ ids, query: request.query });
  if (access === "open") return undefined;
  return principal === undefined
    ? partitionOfTurn(getBearer(request))
    : partitionOfId(principal.scope);
}

export function getBearer(request: HttpRequest): string {
  return (request.headers["authorization"] ?? "").replace(/^bearer +/i, "").trim();
}
