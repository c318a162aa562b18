/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller } from "../caller.ts";
import type {
  Asset,
  AssetPage,
  AssetPatchRequest,
  AssetsDeleteQuery,
  AssetsListQuery,
} from "./models.ts";

export class AssetsCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read an asset, with a fresh link. */
  get(id: string, options: CallOptions = {}): Promise<Asset> {
    return this.caller.json<Asset>(
      { method: "GET", path: `/assets/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** List assets, newest first. */
  list(query: AssetsListQuery = {}, options: CallOptions = {}): Promise<AssetPage> {
    return this.caller.json<AssetPage>(
      { method: "GET", path: "/assets", query: { ...query }, isRepeatable: true },
      options,
    );
  }

  /** Rename, tag or favorite an asset. */
  update(id: string, request: AssetPatchRequest = {}, options: CallOptions = {}): Promise<Asset> {
    return this.caller.json<Asset>(
      { method: "PATCH", path: `/assets/${segment(id)}`, body: request, isRepeatable: false },
      options,
    );
  }

  /** Move an asset to the trash, or delete it for good. */
  delete(
    id: string,
    query: AssetsDeleteQuery = {},
    options: CallOptions = {},
  ): Promise<undefined> {
    return this.caller.end(
      {
        method: "DELETE",
        path: `/assets/${segment(id)}`,
        query: { ...query },
        isRepeatable: false,
      },
      options,
    );
  }

  /** Restore an asset from the trash. */
  restore(id: string, options: CallOptions = {}): Promise<Asset> {
    return this.caller.json<Asset>(
      { method: "POST", path: `/assets/${segment(id)}/restore`, isRepeatable: false },
      options,
    );
  }
}
