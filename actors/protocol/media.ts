/** Stored media: what a probe found in the bytes of an object. */

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
  readonly frameRate?: number;
  readonly thumbnailKey?: string;
}

/** Bytes that are stored and not looked into yet. */
export type StoredBytes = Pick<Media, "objectKey" | "mimeType" | "sizeBytes" | "sha256">;

/** What stored media count for. Simulated media are one object for all. */
export function countBytes({
  objectKey,
  sizeBytes,
}: Pick<Media, "objectKey" | "sizeBytes">): number {
  return isShared(objectKey) ? 0 : sizeBytes;
}

export function isShared(objectKey: string): boolean {
  return objectKey.startsWith("sim/");
}
