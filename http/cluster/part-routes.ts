/**
 * Routes that other nodes call to answer a request that spans shards. Only their signed requests
 * get here.
 */
import { Type } from "../../config/schema.ts";
import { parseId } from "../../engine/id.ts";
import { lookAtAccount } from "../accounts/account-look.ts";
import { auditPartPath } from "../accounts/admin-invariant-routes.ts";
import { reloadHere, reloadPartPath } from "../accounts/admin-routes.ts";
import { type Answer, json } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import { type JobWish, jobPartPath, listPart, partitionsIn } from "../jobs/admin-job-routes.ts";
import { figuresPartPath, ownFigures } from "../operations/overview-routes.ts";
import { ownTasks, ownThumbnail, taskPartPath } from "../operations/task-routes.ts";
import { ownStates, providerPartPath } from "../providers/provider-routes.ts";
import { atNamedId, type Call, type Route, route } from "../route.ts";
import { drainHere, nodePartPath, ownFarmNodes } from "./node-routes.ts";
import { holdHere, holdPartPath } from "./one-instant.ts";

const part = { answers: { 200: Type.Unknown() }, access: "open" } as const;

export const partRoutes: readonly Route[] = [
  route("GET", providerPartPath, {
    ...part,
    summary: "Provider states on this node",
    run: async ({ service }) => json(200, await ownStates(service)),
  }),
  route("POST", reloadPartPath, {
    ...part,
    summary: "Reload the model catalogue and the providers",
    run({ service }) {
      reloadHere(service);
      return json(200, {});
    },
  }),
  route("GET", nodePartPath, {
    ...part,
    summary: "The farm nodes that take tasks from this node",
    run: async ({ service }) => json(200, await ownFarmNodes(service)),
  }),
  route("POST", `${nodePartPath}/{id}:drain`, {
    ...part,
    summary: "Drain a node, if it is this one or takes tasks from it",
    run: async ({ service, id }) => json(200, { isDrained: await drainHere(service, id) }),
  }),
  route("POST", `${holdPartPath}/{id}`, {
    ...part,
    summary: "Hold commits on this node's shards while another node takes a backup",
    run: async ({ service, id }) => json(200, await holdHere(service, id)),
  }),
  route("POST", `${holdPartPath}/{id}:end`, {
    ...part,
    summary: "End the hold and report whether it lasted until now",
    run: ({ service, id }) => json(200, service.cluster?.resume(id) === true),
  }),
  route("GET", figuresPartPath, {
    ...part,
    summary: "What this node did in each minute of the last hour",
    run: async ({ service }) => json(200, await ownFigures(service)),
  }),
  route("GET", taskPartPath, {
    ...part,
    summary: "The tasks that farm nodes hold from this node",
    run: async ({ service }) => json(200, await ownTasks(service)),
  }),
  route("GET", `${taskPartPath}/{id}/thumbnail`, {
    ...part,
    summary: "A picture of what a farm node is making for this node",
    run: async ({ service, id }) =>
      json(200, await ownThumbnail(service, requireFound(parseId(id)))),
  }),
  route("GET", `${jobPartPath}{shard}/{wish}`, {
    ...part,
    summary: "The jobs of one shard",
    run: listJobs,
  }),
  route("GET", `${auditPartPath}{account}`, {
    ...part,
    summary: "The findings on an account's rows",
    getPartition: atNamedId,
    run: async ({ service, id }) =>
      json(200, await lookAtAccount(service.gateway, requireFound(parseId(id)))),
  }),
];

/** Answers 503 while this node does not read the shard. */
async function listJobs({ service, ids: [shard = "", wish = ""] }: Call): Promise<Answer> {
  const read = JSON.parse(Buffer.from(wish, "base64url").toString("utf8")) as JobWish;
  return json(200, await listPart(service, partitionsIn(service.gateway, Number(shard)), read));
}
