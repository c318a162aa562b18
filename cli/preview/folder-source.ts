/** Provides a folder on this machine as the files of a preview. */
import { constants, type FileHandle, open, realpath } from "node:fs/promises";
import { getExtension } from "../../actors/protocol/bundle-file.ts";
import { limits } from "../../config/limits.ts";
import type { ByteRange } from "../../engine/ports/objects.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import type { PreviewFiles } from "../../http/previews/open-preview.ts";
import type { Diagnostic } from "../../timeline/diagnostics.ts";
import type { Timeline } from "../../timeline/model.ts";
import type { FolderTexts } from "./check-texts.ts";
import { type FolderFile, type FolderFiles, isInside } from "./read-folder.ts";

/** Throws `PortError`, which is not retryable when the markup exceeds its limits. */
export type CheckFolder = (texts: FolderTexts) => Promise<Timeline>;

/** Extensions of files that are read as text to compute a timeline. */
const textual = ["html", "htm", "css", "js", "mjs", "json", "svg", "cube"];
const chunkBytes = 64 * 1024;

export class FolderSource implements PreviewFiles {
  readonly files: readonly FolderFile[];
  readonly objects = { read: (key: string, range: ByteRange) => this.read(key, range) };
  private readonly root: string;
  private readonly leftOut: readonly string[];
  private readonly check: CheckFolder;
  private computed: Promise<Timeline> | undefined;

  constructor(root: string, { files, leftOut }: FolderFiles, check: CheckFolder) {
    this.root = root;
    this.files = files;
    this.leftOut = leftOut;
    this.check = check;
  }

  timeline(): Promise<Timeline> {
    this.computed ??= this.compute();
    // The failure may be temporary, so the next call computes the timeline again.
    this.computed.catch(() => {
      this.computed = undefined;
    });
    return this.computed;
  }

  /** Returns undefined: assets are kept by the service, which this preview does not use. */
  async asset(): Promise<undefined> {
    return undefined;
  }

  private async compute(): Promise<Timeline> {
    const { files } = this;
    const texts = new Map<string, string>();
    let bytes = 0;
    for (const file of files) {
      if (!textual.includes(getExtension(file.path))) continue;
      bytes += file.size;
      if (bytes > limits.compositions.timelineBytesMax) throw tooMuch();
      texts.set(file.path, await this.text(file));
    }
    const paths = files.map(({ path }) => path);
    const timeline = await this.check({ paths, texts });
    const diagnostics = [...timeline.diagnostics, ...this.localWarnings(timeline)];
    return { ...timeline, diagnostics };
  }

  /** Warns of everything that a render would show and this preview lacks. */
  private localWarnings({ clips }: Timeline): readonly Diagnostic[] {
    const createWarning = (code: Diagnostic["code"], path: string, says: string): Diagnostic => ({
      severity: "warning",
      code,
      path,
      message: `${path}: ${says}`,
    });
    return [
      ...this.leftOut.map((path) =>
        createWarning(
          "missing_file",
          path,
          "is a link that leads out of the folder and is left out here",
        ),
      ),
      ...clips
        .filter(({ media }) => media?.source?.kind === "asset")
        .map(({ id, path }) =>
          createWarning(
            "remote",
            path,
            `${id ?? "a clip"} is an asset, which only the service can show`,
          ),
        ),
    ];
  }

  private async text({ key, size }: FolderFile): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.read(key, { start: 0, end: size })) chunks.push(chunk);
    return Buffer.concat(chunks).toString("utf8");
  }

  /** Throws `PortError` when the file is gone, has become shorter, or is outside the folder. */
  private async *read(key: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void> {
    const file = this.files.find(({ path }) => path === key);
    if (file === undefined) throw new PortError(`${key} is not in the folder`, false);
    const handle = await this.open(file.place).catch(asPortError);
    try {
      for (let at = start; at < end; ) {
        const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - at));
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, at).catch(asPortError);
        if (bytesRead === 0) throw new PortError(`${key} has become shorter`, true);
        at += bytesRead;
        yield chunk.subarray(0, bytesRead);
      }
    } finally {
      await handle.close();
    }
  }

  /** Since the folder was read, the file may have become a link, or something that never ends. */
  private async open(place: string): Promise<FileHandle> {
    const real = await realpath(place);
    if (!isInside(this.root, real)) throw new PortError("a link leads out of the folder", false);
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const handle = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new PortError("it is no file any more", false);
  }
}

function asPortError(error: unknown): never {
  if (error instanceof PortError) throw error;
  throw new PortError("a file of the folder cannot be read", true, error);
}

function tooMuch(): RefusalError {
  return new RefusalError({
    code: "payload_too_large",
    limitBytes: limits.compositions.timelineBytesMax,
    detail: "The texts of this folder are too large for one timeline.",
  });
}
