/** The manifest of a backup. It is written last: a folder without a manifest is not a backup. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { check, Type } from "../../../config/schema.ts";
import type { Snapshot } from "../../ports/snapshots.ts";
import { DataDirectoryError, formatVersion } from "../data-directory.ts";

export interface Manifest {
  readonly kind: "klieg-backup";
  readonly formatVersion: number;
  /** Id of the backed-up store. */
  readonly store: string;
  /** Time of the state that the backup contains. */
  readonly atMs: number;
  /** Snapshots of the shards in order, the directory last. */
  readonly shards: readonly Snapshot[];
  readonly objects: BackedObjects;
}

/** Where the objects were; objects in a bucket are not part of the backup. */
export type BackedObjects =
  | { readonly place: "s3" }
  | { readonly place: "disk"; readonly count: number; readonly bytes: number };

export const manifestName = "backup.json";
/** Folder of the objects, relative to the backup's folder. */
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

/** Reads the manifest; throws `DataDirectoryError`. */
export function readManifest(folder: string): Manifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), "utf8"));
  } catch (error) {
    throw new DataDirectoryError(
      `${folder} does not contain a complete backup; name a folder that klieg backup has finished.`,
      { cause: error },
    );
  }
  if (isManifest(manifest)) return manifest;
  throw new DataDirectoryError(
    `The backup in ${folder} was made by another version of Klieg; restore it with that version.`,
  );
}
