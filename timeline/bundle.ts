/** The files that a composition's timeline is read from, and what their addresses lead to. */

/** The page that a film begins with, and the file that holds its edits. */
export const entryPath = "index.html";
export const editsPath = "klieg-edits.json";

/** A composition's files, as the timeline sees them. */
export interface Bundle {
  /** Path of the page, usually `index.html`. */
  readonly entry: string;
  /** Reads a text file; `undefined` when there is none under that path. */
  read(path: string): string | undefined;
  /** Whether a file exists under the path; if absent, `read` decides. */
  has?(path: string): boolean;
  /** Returns the length of a media file, where it is known. */
  mediaSeconds?(source: MediaSource): number | undefined;
  /** Edits that replace the bundle's `klieg-edits.json`. */
  readonly overlay?: string;
}

export type MediaSource =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "asset"; readonly assetId: string };

/** What an address written in a file leads to. */
export type Target =
  | { readonly kind: "file"; readonly path: string }
  /** `data:` and the like: the address contains the bytes. */
  | { readonly kind: "inline" }
  | { readonly kind: "remote"; readonly url: string }
  | { readonly kind: "none" };

/** Resolves an address from the bundle's root; a sub-composition's also from beside it. */
export function findTarget(bundle: Bundle, address: string, fromPath: string): Target {
  const text = address.trim();
  if (text === "" || text.startsWith("#")) return { kind: "none" };
  if (/^(data|blob|about|javascript):/i.test(text)) return { kind: "inline" };
  if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(text)) return { kind: "remote", url: text };
  const plain = decodeText(text.replace(/[?#].*$/s, ""));
  const entryFolder = getFolder(bundle.entry);
  const path = joinPath(entryFolder, plain);
  const beside = joinPath(getFolder(fromPath), plain);
  return { kind: "file", path: !has(bundle, path) && has(bundle, beside) ? beside : path };
}

export function has(bundle: Bundle, path: string): boolean {
  return bundle.has === undefined ? bundle.read(path) !== undefined : bundle.has(path);
}

function getFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text).normalize("NFC");
  } catch {
    return text;
  }
}

/** Joins paths as in a URL: `..` above the root stays at the root. */
function joinPath(folder: string, path: string): string {
  const from = path.startsWith("/") ? path : `${folder}${path}`;
  const parts: string[] = [];
  for (const part of from.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  return parts.join("/");
}
