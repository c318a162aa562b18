import type { MediaSource } from "../bundle.ts";
import type { Clip } from "../model.ts";

const slugMax = 40;

/** Lower-case letters, digits and hyphens, so that every editor and file system takes it. */
export function getSlug(text: string, otherwise: string): string {
  const plain = text.normalize("NFKD").toLowerCase();
  const slug = plain
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugMax)
    .replace(/^-+|-+$/g, "");
  return slug === "" ? otherwise : slug;
}

/** `media/0001-sea.mp4`; numbers begin with 1. */
export function createNumberedPath(
  folder: string,
  number: number,
  slug: string,
  extension: string,
): string {
  return `${folder}/${String(number).padStart(4, "0")}-${slug}.${extension}`;
}

/** How a source is called in a measurement and a manifest. */
export function getRef(source: MediaSource): string {
  return source.kind === "file" ? source.path : `asset:${source.assetId}`;
}

/** As warnings name a clip. */
export function getName({ kind, id, key }: Pick<Clip, "kind" | "id" | "key">): string {
  const tag = kind === "image" ? "img" : kind;
  return id === "" ? `${tag} at ${key}` : `${tag}#${id.slice(0, 80)}`;
}
