/**
 * The files of a folder that is previewed, as they are at one moment.
 *
 * 1. What the service would not take of a bundle gets no preview: the reason is a sentence.
 * 2. A link that leads out of the folder is not followed.
 * 3. The walk ends at the bounds of a bundle, however large the folder is.
 */
import { sep } from "node:path";
import {
  getBytesMax,
  getMimeType,
  pathBytes,
  pathFault,
} from "../../actors/protocol/bundle-file.ts";
import { limits } from "../../config/limits.ts";
import type { PreviewFile } from "../../http/previews/open-preview.ts";
import { entryPath } from "../../timeline/bundle.ts";
import { CommandError } from "../command.ts";
import { type Walked, walkFolder } from "../folder-files.ts";

export interface FolderFiles {
  readonly files: readonly FolderFile[];
  /** All folders that were read, the root included. */
  readonly folders: readonly WatchedFolder[];
  /** Paths of links that lead out of the folder. */
  readonly leftOut: readonly string[];
  /** Why the folder cannot be previewed, as a sentence; undefined if it can. */
  readonly fault: string | undefined;
  /** Fingerprint of the files, which stays equal as long as no file changes. */
  readonly fingerprint: string;
}

export interface FolderFile extends PreviewFile {
  /** Path of the file's bytes, with links followed. */
  readonly place: string;
}

export interface WatchedFolder {
  readonly place: string;
  /** Distinguishes a folder from another one that has replaced it. */
  readonly inode: number;
}

/** Reads a folder; `root` is its real path, with links followed. */
export async function readFolder(root: string): Promise<FolderFiles> {
  const reading = new Reading(root);
  try {
    for await (const walked of walkFolder(root, (place) => isInside(root, place)))
      if (!reading.add(walked)) break;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    reading.fault = error.message;
  }
  return reading.end();
}

/** Whether `place` is the folder itself or anything in it. */
export function isInside(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

class Reading {
  fault: string | undefined;
  private readonly root: string;
  private readonly files: FolderFile[] = [];
  private readonly folders: WatchedFolder[] = [];
  private readonly leftOut: string[] = [];
  private readonly marks: string[] = [];
  private bytes = 0;
  private pathBytes = 0;

  constructor(root: string) {
    this.root = root;
  }

  /** Adds a file or folder; returns false when no more is needed. */
  add({ path, place, stats }: Walked): boolean {
    if (!isInside(this.root, place)) this.leftOut.push(path);
    else if (stats.isDirectory()) this.folders.push({ place, inode: stats.ino });
    else {
      const mime = getMimeType(path, undefined);
      this.files.push({ path, key: path, size: stats.size, mime, place });
      this.marks.push(`${path} ${stats.size} ${stats.mtimeMs} ${stats.ino}`);
      this.bytes += stats.size;
      this.pathBytes += pathBytes(path);
      this.fault ??= findFault(path, stats.size, mime);
    }
    const { filesMax } = limits.compositions;
    const entries = this.files.length + this.folders.length + this.leftOut.length;
    if (this.files.length <= filesMax && entries <= 2 * filesMax) return true;
    this.fault = `The folder has more than the ${filesMax} files that a composition may have.`;
    return false;
  }

  end(): FolderFiles {
    const { files, folders, leftOut, marks } = this;
    const { bytesMax, pathBytesMax } = limits.compositions;
    if (this.bytes > bytesMax)
      this.fault ??= `The folder has ${this.bytes} bytes; a composition has at most ${bytesMax}.`;
    if (this.pathBytes > pathBytesMax)
      this.fault ??= `The paths of a composition may have at most ${pathBytesMax} bytes together.`;
    if (!files.some(({ path }) => path === entryPath))
      this.fault ??= `The folder has no ${entryPath}.`;
    const fingerprint = [this.fault ?? "", ...marks, ...leftOut].join("\n");
    return { files, folders, leftOut, fault: this.fault, fingerprint };
  }
}

function findFault(path: string, size: number, mime: string): string | undefined {
  const fault = pathFault(path);
  if (fault !== undefined) return `The path ${JSON.stringify(path)} ${fault}.`;
  const most = getBytesMax(mime);
  if (size <= most) return undefined;
  return `${path} has ${size} bytes; a file of a composition may have at most ${most}.`;
}
