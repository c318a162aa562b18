import { Asset } from "../../actors/contract/asset.ts";
import { askedKey, assetKey } from "../../actors/tables.ts";
import { parseId } from "../../engine/id.ts";
import { type Answer, json } from "../answer.ts";
import { requirePermission } from "../permissions.ts";
import { RefusalError } from "../refusal-error.ts";
import { type Call, type Route, route } from "../route.ts";

export const assetRoutes: readonly Route[] = [
  route("GET", "/v1/assets/{id}", {
    summary: "Read an asset, with a fresh link",
    answers: { 200: Asset },
    access: "assets:read",
    rate: "read",
    run: readAsset,
  }),
];

/** With a fresh link each time; the asset is the job's, so it is read with what was asked. */
function readAsset({ service, principal, id }: Call): Answer {
  requirePermission(principal, "read");
  const asset = service.gateway.read(assetKey(parseId(id) ?? unknown()));
  const asked = asset === undefined ? undefined : service.gateway.read(askedKey(asset.job));
  if (asset?.scope !== principal.scope || asked === undefined) return unknown();
  return json(200, service.jobs.assetView(asset, asked));
}

function unknown(): never {
  throw new RefusalError({ code: "not_found" });
}
