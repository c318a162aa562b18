/** Which partition a request is about: its owner answers. */
import { partitionOfId } from "../engine/id.ts";
import { partitionOfTurn } from "./auth/agent-turn-principal.ts";
import type { Principal } from "./auth/principal.ts";
import type { HttpRequest } from "./exchange/answer.ts";
import type { Route } from "./route.ts";

/** Undefined where it does not matter which node answers. */
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
