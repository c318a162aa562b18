/** The blocks of a request, with the metadata of their assets. */

import { omitUndefined } from "../../config/defined.ts";
import type { Block as BlockRequest } from "../../contract/render.ts";
import type { Block, Narration } from "../../timeline/blocks/block-timing.ts";
import { readyAsset } from "../assets/ready-asset.ts";
import type { Call } from "../route.ts";

export class AskedBlock {
  private readonly call: Call<unknown>;
  private readonly asked: BlockRequest;
  private readonly fault: (member: keyof BlockRequest, detail: string) => void;

  constructor(call: Call<unknown>, asked: BlockRequest, fault: AskedBlock["fault"]) {
    this.call = call;
    this.asked = asked;
    this.fault = fault;
  }

  block(): Block {
    const narration = this.narration();
    const clip = this.clip(narration);
    return { clip, gap: this.asked.gap_seconds ?? 0, ...omitUndefined({ narration }) };
  }

  private narration(): Narration | undefined {
    const { narration_asset_id: id } = this.asked;
    if (id === undefined) return undefined;
    const media = this.media("narration_asset_id", id, ["audio"]);
    return { assetId: id, seconds: media?.durationSeconds ?? 0 };
  }

  private clip(narration: Narration | undefined): Block["clip"] {
    const {
      clip_asset_id: assetId,
      start_seconds: start = 0,
      duration_seconds: length,
    } = this.asked;
    const media = this.media("clip_asset_id", assetId, ["video", "image"]);
    const size = { width: media?.width ?? 0, height: media?.height ?? 0 };
    const shown = { assetId, ...size, ...omitUndefined({ seconds: length }) };
    if (media?.mimeType.startsWith("image/") === true) {
      if (start > 0) this.fault("start_seconds", "is only for a video");
      if (length === undefined && narration === undefined)
        this.fault("duration_seconds", "is needed for an image without a narration");
      return { kind: "image", ...shown };
    }
    const left = (media?.durationSeconds ?? 0) - start;
    if (media !== undefined && left <= 0)
      this.fault(
        "start_seconds",
        `must be before the clip's end at ${media.durationSeconds ?? 0} s`,
      );
    const volume = this.asked.clip_volume ?? (narration === undefined ? 1 : 0.25);
    return { kind: "video", ...shown, start, left, volume };
  }

  /** The media of an asset that exists, is ready, and is of one of the kinds. */
  private media(member: keyof BlockRequest, id: string, kinds: readonly string[]) {
    const { service, principal } = this.call;
    const media = readyAsset(service, principal.scope, id)?.media;
    const kind = media?.mimeType.split("/")[0];
    if (kind !== undefined && kinds.includes(kind)) return media;
    const says = media === undefined ? "is not an asset that is ready" : `is ${media.mimeType}`;
    this.fault(member, `${says}; it must be ${kinds.join(" or ")}`);
    return undefined;
  }
}
