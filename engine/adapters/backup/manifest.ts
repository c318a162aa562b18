/** What a backup says of itself, in a file that is written last: without it, it is none. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, Type } from "../../../config/schema.ts";
import type { Snapshot } from "../../ports/snapshots.ts";
import { DataDirectoryError, formatVersion } from "../data-directory.ts";

export interface Manifest {
  readonly kind: "klieg-backup";
  readonly formatVersion: number;
  /** The store's id. */
  readonly store: string;
  /** Of the instant that the backup shows. */
  readonly atMs: number;
  /** In their order, the directory last. */
  readonly shards: readonly Snapshot[];
  readonly objects: BackedObjects;
}

/** Those in a bucket are not in the backup. */
export type BackedObjects =
  | { readonly place: "s3" }
  | { readonly place: "disk"; readonly count: number; readonly bytes: number };

export const manifestName = "backup.json";
/** Below the backup's folder. */
export const objectsFolder = "objects";
export const tokenName = "admin-token";

const size = Type.Integer({ minimum: 0 });
const text = Type.String({ minLength: 1, maxLength: 512 });
const isManifest = check<Manifest>(
  Type.Object({
    kind: Type.Literal("klieg-backup"),
    formatVersion: Type.Literal(formatVersion),
    store: text,
    atMs: size,
    shards: Type.Array(
      Type.Object({
        store: text,
        epoch: size,
        objectKey: text,
        sizeBytes: size,
        sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
      }),
      { minItems: 2, maxItems: 129 },
    ),
    objects: Type.Union([
      Type.Object({ place: Type.Literal("s3") }),
      Type.Object({ place: Type.Literal("disk"), count: size, bytes: size }),
    ]),
  }),
);

/** Throws `DataDirectoryError`. */
export function readManifest(folder: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), "utf8"));
  } catch (error) {
    throw new DataDirectoryError(
      `${folder} holds no whole backup; name a folder that klieg backup has finished.`,
      { cause: error },
    );
  }
  if (isManifest(manifest)) return manifest;
  throw new DataDirectoryError(
    `${folder} is no backup of this version of Klieg; restore it with the version that made it.`,
  );
}
