/**
 * An asset: stored media and what is known of it. What was asked for stands with the job that made
 * it.
 */
import type { Actor, Turn } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";

export interface Asset {
  readonly id: Id;
  readonly scope: Id;
  readonly job: Id;
  readonly media: Media;
  readonly createdAtMs: number;
}

/** What a probe found in the stored bytes. */
export interface Media {
  readonly objectKey: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  readonly hasAudio?: boolean;
  readonly thumbnailKey?: string;
}

export interface CreateAsset {
  readonly kind: "create";
  readonly asset: Asset;
}

export const assetActor: Actor<Asset, CreateAsset, never> = {
  kind: "asset",
  decide(head, message): Turn<Asset, never> {
    return { head: head ?? message.asset, rows: [], replies: [], effects: [] };
  },
  dueAt: () => undefined,
};
