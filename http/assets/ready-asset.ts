import { type Asset, assetKey } from "../../actors/protocol/asset.ts";
import { limits } from "../../config/limits.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, parseId } from "../../engine/id.ts";
import type { Clock } from "../../engine/ports/clock.ts";

interface Reads {
  readonly gateway: Gateway;
}

/** The asset, or undefined when it is unknown, not ready, or of another scope. */
export function readyAsset({ gateway }: Reads, scope: Id, name: string) {
  const id = parseId(name);
  const asset: Asset | undefined = id === undefined ? undefined : gateway.read(assetKey(scope, id));
  return asset?.phase === "ready" ? asset : undefined;
}

/**
 * Waits for an asset that is still being processed, for `limits.assets.soonReadyMs` at most;
 * returns it if it is ready then.
 */
export async function findSoonReadyAsset(
  { gateway, clock }: Reads & { readonly clock: Clock },
  scope: Id,
  name: string,
) {
  const id = parseId(name);
  if (id === undefined) return undefined;
  const key = assetKey(scope, id);
  const isProcessing = () => gateway.read<Asset>(key)?.phase === "processing";
  if (isProcessing())
    await new Promise<void>((resolve) => {
      const end = () => {
        stopWatching();
        stopClock();
        resolve();
      };
      const stopClock = clock.after(limits.assets.soonReadyMs, end);
      const stopWatching = gateway.watch(key, () => {
        if (!isProcessing()) end();
      });
    });
  return readyAsset({ gateway }, scope, name);
}
