/** Stored media: what a probe found out about an object's bytes. */

/** What a probe found out about the stored bytes. */
export interface Media {
  readonly objectKey: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly width?: number;
  readonly height?: number;
  readonly durationSeconds?: number;
  readonly hasAudio?: boolean;
  readonly frameRate?: number;
  readonly thumbnailKey?: string;
}

/** Bytes that are stored but were not probed yet. */
export type StoredBytes = Pick<Media, "objectKey" | "mimeType" | "sizeBytes" | "sha256">;

/** Bytes that media count as. Simulated media count as none, since all share one object. */
export function countBytes({
  objectKey,
  sizeBytes,
}: Pick<Media, "objectKey" | "sizeBytes">): number {
  return isShared(objectKey) ? 0 : sizeBytes;
}

export function isShared(objectKey: string): boolean {
  return objectKey.startsWith("sim/");
}
