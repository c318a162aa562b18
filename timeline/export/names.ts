import type { MediaSource } from "../bundle.ts";
import type { Clip } from "../model.ts";

const slugMax = 40;

/** Keeps lower-case letters, digits and hyphens, which every editor and file system takes. */
export function getSlug(text: string, otherwise: string): string {
  const plain = text.normalize("NFKD").toLowerCase();
  const slug = plain
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugMax)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? otherwise : slug;
}

/** Makes a path such as `media/0001-sea.mp4`; numbers begin with 1. */
export function createNumberedPath(
  folder: string,
  number: number,
  slug: string,
  extension: string,
): string {
  return `${folder}/${String(number).padStart(4, "0")}-${slug}.${extension}`;
}

/** Returns the name of a source in a measurement and a manifest. */
export function getRef(source: MediaSource): string {
  return source.kind === "file" ? source.path : `asset:${source.assetId}`;
}

/** Returns the name of a clip in warnings. */
export function getName({ kind, id, key }: Pick<Clip, "kind" | "id" | "key">): string {
  const tag = kind === "image" ? "img" : kind;
  return id === "" ? `${tag} at ${key}` : `${tag}#${id.slice(0, 80)}`;
}
