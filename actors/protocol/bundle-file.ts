/**
 * A file of a composition: its path, kind and size limit. The bytes are a separate object that is
 * never overwritten, so a render reads them as they were when it was requested.
 */

import { hash } from "node:crypto";
import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import { createKey, getPartition, type Key } from "../../engine/key.ts";
import { editsPath, entryPath } from "../../timeline/bundle.ts";
import { codes } from "../table-codes.ts";

export interface BundleFile {
  readonly path: string;
  readonly size: number;
  readonly mime: string;
  /** SHA-256 of the bytes, in base64url. */
  readonly sha256: string;
  /** Last segment of the file's object key. */
  readonly object: string;
  readonly atMs: number;
}

export type FileRole = "entry" | "composition" | "media" | "edits" | "other";

/** Object key prefix of all objects of a composition. */
export function listObjects(composition: Id): string {
  return `compositions/${composition}`;
}

export function objectKeyFor(composition: Id, { object }: Pick<BundleFile, "object">): string {
  return `${listObjects(composition)}/${object}`;
}

/** Returns a strong entity tag (RFC 9110, section 8.8.3). */
export function getEtag({ sha256 }: BundleFile): string {
  return `"${sha256}"`;
}

/** Digest of a path for use in `bundleFileKey`. */
export function pathDigest(path: string): string {
  return hash("sha256", path, "binary").slice(0, 16);
}

/** Bytes that a path takes when all paths of a bundle are written together as JSON. */
export function pathBytes(path: string): number {
  return Buffer.byteLength(JSON.stringify(path));
}

/** Returns what is wrong with a path, or undefined if nothing is. */
export function pathFault(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (/\p{Cs}|\ufffd/u.test(path)) return "must be UTF-8";
  if (Buffer.byteLength(path) > limits.compositions.filePathBytesMax)
    return `has more than ${limits.compositions.filePathBytesMax} bytes`;
  if (path.startsWith("/")) return "must be relative";
  if (/\p{Cc}/u.test(path)) return "must not contain control characters";
  if (path.includes("\\")) return "must use / between its segments";
  if (path !== path.normalize("NFC")) return "must be in Unicode normal form NFC";
  const isOdd = path.split("/").some((part) => part === "" || part === "." || part === "..");
  return isOdd ? "must not contain segments that are empty, . or .." : undefined;
}

const typeByExtension: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  css: "text/css",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  avif: "image/avif",
  mp4: "video/mp4",
  m4v: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  mp3: "audio/mpeg",
  wav: "audio/wav",
  m4a: "audio/mp4",
  aac: "audio/aac",
  ogg: "audio/ogg",
  oga: "audio/ogg",
  flac: "audio/flac",
  woff: "font/woff",
  woff2: "font/woff2",
  ttf: "font/ttf",
  otf: "font/otf",
  glb: "model/gltf-binary",
  gltf: "model/gltf+json",
  wasm: "application/wasm",
  cube: "text/plain",
  txt: "text/plain",
  md: "text/markdown",
  srt: "application/x-subrip",
  vtt: "text/vtt",
};

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,20}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** Media type by the file's extension, or the type that the client declared if it is unknown. */
export function getMimeType(path: string, declared: string | undefined): string {
  const known = typeByExtension[getExtension(path)];
  if (known !== undefined) return known;
  const plain = declared?.split(";")[0]?.trim().toLowerCase() ?? "";
  return mediaType.test(plain) ? plain : "application/octet-stream";
}

/** Extension in lower case without the dot; empty when there is none. */
export function getExtension(path: string): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? "";
}

/** Whether the timeline may be written in this file. */
export function isMarkup({ path, mime }: Pick<BundleFile, "path" | "mime">): boolean {
  return mime === "text/html" || ["json", "cube"].includes(getExtension(path));
}

const texts = ["text/html", "text/css", "text/javascript", "application/json"];

export function getBytesMax(mime: string): number {
  const { textBytesMax, mediaBytesMax } = limits.compositions;
  return texts.includes(mime) ? textBytesMax : mediaBytesMax;
}

export function getRole({ path, mime }: BundleFile): FileRole {
  if (path === entryPath) return "entry";
  if (path === editsPath) return "edits";
  if (mime === "text/html") return "composition";
  return /^(image|video|audio)\//.test(mime) ? "media" : "other";
}

/** Key of a composition's file by its path's digest (16 bytes); with "", the prefix of all. */
export function bundleFileKey(composition: Key, digest: string): Key<BundleFile> {
  return createKey(getPartition(composition), codes.bundleFile, composition.slice(2) + digest);
}
