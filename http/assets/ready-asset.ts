import { type Asset, assetKey } from "../../actors/protocol/asset.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, parseId } from "../../engine/id.ts";

interface Reads {
  readonly gateway: Gateway;
}

/** The asset, or undefined when it is unknown, not ready, or of another scope. */
export function readyAsset({ gateway }: Reads, scope: Id, name: string) {
  const id = parseId(name);
  const asset: Asset | undefined = id === undefined ? undefined : gateway.read(assetKey(scope, id));
  return asset?.phase === "ready" ? asset : undefined;
}
