/**
 * A folder that is followed while it is worked on.
 *
 * 1. Each folder in it is watched; what a watcher says only makes the folder be read again, and a
 *    preview is made anew only when the files that were found are others.
 * 2. Editors write in several steps, so a change counts when two readings agree.
 * 3. Some file systems tell of no change, so the folder is also read every so often while a
 *    page listens.
 * 4. A folder that cannot be shown is a state like others, and is left as soon as it can.
 */
import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { OpenPreview, type WritePage } from "../../http/previews/open-preview.ts";
import { type CheckFolder, FolderSource } from "./folder-source.ts";
import { type FolderFiles, readFolder, type WatchedFolder } from "./read-folder.ts";

const settleMs = 60;
/** Number of differing readings after which a change counts even if two never agree. */
const readingsMax = 20;
const pollMs = 2_000;
/** Number of latest previews whose media can still be read. */
const keptMax = 3;

/** Functions that the folder needs from the program that shows it. */
export interface Ports {
  readonly check: CheckFolder;
  readonly writePage: WritePage;
}

export type Shown =
  | { readonly kind: "preview"; readonly preview: OpenPreview; readonly source: FolderSource }
  | { readonly kind: "fault"; readonly fault: string };

export class LiveFolder {
  readonly root: string;
  private readonly ports: Ports;
  private readonly listeners = new Set<() => void>();
  /** Watchers by folder; undefined for a folder that cannot be watched. */
  private readonly watchers = new Map<string, FSWatcher | undefined>();
  private readonly kept: OpenPreview[] = [];
  private fingerprint: string | undefined;
  private revisions = 0;
  private current: Shown = { kind: "fault", fault: "The folder has not been read yet." };
  private settling: NodeJS.Timeout | undefined;
  private polling: NodeJS.Timeout | undefined;
  /** The last reading; each reading starts after the one before it. */
  private reading: Promise<void> = Promise.resolve();
  private isClosed = false;

  private constructor(root: string, ports: Ports) {
    this.root = root;
    this.ports = ports;
  }

  /** Opens a folder; `root` as in `readFolder`. */
  static async open(root: string, ports: Ports): Promise<LiveFolder> {
    const folder = new LiveFolder(root, ports);
    await folder.refresh();
    return folder;
  }

  /** Number of the folder's revision, which changes when its files do. */
  get revision(): number {
    return this.revisions;
  }

  get shown(): Shown {
    return this.current;
  }

  /** Returns a preview that is shown, or was until recently, by its base path. */
  previewAt(base: string): OpenPreview | undefined {
    return this.kept.find((preview) => preview.base === base);
  }

  /** Calls `listener` after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    this.polling ??= setInterval(() => this.look(), pollMs);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.polling);
      this.polling = undefined;
    };
  }

  /** Reads the folder at once, and shows what it contains. */
  refresh(): Promise<void> {
    this.reading = this.reading.then(async () => this.show(await readFolder(this.root)));
    return this.reading;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.settling);
    clearInterval(this.polling);
    for (const watcher of this.watchers.values()) watcher?.close();
    this.watchers.clear();
  }

  /** Called when something may have changed. */
  private look(): void {
    if (this.isClosed || this.settling !== undefined) return;
    this.settle(undefined, readingsMax);
  }

  private settle(before: string | undefined, left: number): void {
    this.settling = setTimeout(() => {
      this.reading = this.reading.then(async () => {
        const found = await readFolder(this.root);
        this.settling = undefined;
        const isCalm = found.fingerprint === this.fingerprint || found.fingerprint === before;
        if (isCalm || left === 0) this.show(found);
        else if (!this.isClosed) this.settle(found.fingerprint, left - 1);
      });
    }, settleMs);
  }

  private show(found: FolderFiles): void {
    if (this.isClosed) return;
    this.follow(found.folders);
    if (found.fingerprint === this.fingerprint) return;
    this.fingerprint = found.fingerprint;
    this.revisions += 1;
    this.current = this.listShown(found);
    for (const listener of this.listeners) listener();
  }

  private listShown(found: FolderFiles): Shown {
    if (found.fault !== undefined) return { kind: "fault", fault: found.fault };
    const source = new FolderSource(this.root, found, this.ports.check);
    const base = `/preview/${randomBytes(24).toString("base64url")}/`;
    const preview = new OpenPreview(source, base, this.ports.writePage);
    this.kept.unshift(preview);
    this.kept.length = Math.min(this.kept.length, keptMax);
    return { kind: "preview", preview, source };
  }

  private follow(folders: readonly WatchedFolder[]): void {
    const wanted = new Map(folders.map(({ place, inode }) => [`${inode} ${place}`, place]));
    for (const [name, watcher] of this.watchers)
      if (!wanted.has(name)) {
        watcher?.close();
        this.watchers.delete(name);
      }
    for (const [name, place] of wanted)
      if (!this.watchers.has(name)) this.watchers.set(name, this.watch(place));
  }

  /** Where watching is not possible, the regular reading has to do. */
  private watch(place: string): FSWatcher | undefined {
    try {
      const watcher = watch(place, () => this.look());
      watcher.on("error", () => watcher.close());
      return watcher;
    } catch (error) {
      if (error instanceof Error && "syscall" in error) return undefined;
      throw error;
    }
  }
}
