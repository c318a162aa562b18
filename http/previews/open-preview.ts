/** An open preview: the files of a composition, and what is computed once from them. */
import { isMarkup } from "../../actors/protocol/bundle-file.ts";
import { limits } from "../../config/limits.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { FontGates } from "../../film/markup/font-gate.ts";
import { isMoving } from "../../film/markup/moving-pictures.ts";
import { type PreviewFilm, previewFilm } from "../../film/preview/preview-film.ts";
import type { PageTask } from "../../film/preview/preview-page.ts";
import { type Bundle, entryPath } from "../../timeline/bundle.ts";
import type { Timeline } from "../../timeline/model.ts";
import { requireFound } from "../exchange/refusal-error.ts";

/** Throws `PortError`, which is not retryable when the markup takes too long. */
export type WritePage = (task: PageTask) => Promise<string>;

/** One state of a composition's files. Adapters: a stored bundle, a folder on this machine. */
export interface PreviewFiles {
  readonly files: readonly PreviewFile[];
  /** Store of the bytes of these files and of assets. */
  readonly objects: Pick<Objects, "read">;
  /** Throws `RefusalError` with 413 when the markup is too large for one timeline. */
  timeline(): Promise<Timeline>;
  /** The asset, or undefined when it does not exist or is not ready. */
  asset(id: string): Promise<PreviewObject | undefined>;
}

export interface PreviewObject {
  readonly key: string;
  readonly size: number;
  readonly mime: string;
}

/** A file, by its path in the bundle. */
export interface PreviewFile extends PreviewObject {
  readonly path: string;
}

export class OpenPreview {
  /** Path below which the preview is served, with a slash at its end. */
  readonly base: string;
  readonly source: PreviewFiles;
  readonly gates = new FontGates();
  private readonly writePage: WritePage;
  private readonly filesByPath: ReadonlyMap<string, PreviewFile>;
  private film: Promise<PreviewFilm> | undefined;
  private entry: Promise<string> | undefined;

  constructor(source: PreviewFiles, base: string, writePage: WritePage) {
    this.source = source;
    this.base = base;
    this.writePage = writePage;
    this.filesByPath = new Map(source.files.map((file) => [file.path, file]));
  }

  /** The bundle, for resolving addresses in its files. */
  get bundle(): Bundle {
    const { filesByPath } = this;
    return { entry: entryPath, has: (path) => filesByPath.has(path), read: () => undefined };
  }

  fileAt(path: string): PreviewFile | undefined {
    return this.filesByPath.get(path);
  }

  /** Throws `RefusalError` with 413 when the markup is too large for one timeline. */
  prepareFilm(): Promise<PreviewFilm> {
    this.film ??= this.source.timeline().then((timeline) => previewFilm(timeline, this.base));
    // A passing failure is forgotten, so that it can be retried.
    this.film.catch(() => {
      this.film = undefined;
    });
    return this.film;
  }

  async variables(): Promise<object> {
    const { plan } = await this.prepareFilm();
    return plan.compositions[0]?.variables ?? {};
  }

  async page(path: string, isFrame: boolean): Promise<string> {
    const { base, writePage } = this;
    const text = await this.text(requireFound(this.filesByPath.get(path)));
    if (path !== entryPath) return writePage({ text, base, entry: undefined, isFrame });
    this.entry ??= this.listStyledTexts().then((styled) => {
      const paths = [...this.filesByPath.keys()];
      const hasScripts = paths.some((one) => /\.m?js$/.test(one) && !library.test(one));
      const mayNameFaces =
        hasScripts || [text, ...styled].some((one) => one.includes("@font-face"));
      return writePage({ text, base, entry: { styled, mayNameFaces }, isFrame });
    });
    return this.entry;
  }

  /** Lists the addresses of animated pictures. */
  async listMoving(origin: string): Promise<readonly string[]> {
    const urls: string[] = [];
    for (const file of this.filesByPath.values()) {
      const { path, size } = file;
      if (!mayMove.test(path) || size > limits.media.wholeBytesMax) continue;
      if (isMoving(await this.bytes(file)))
        urls.push(new URL(this.base + encodeURI(path), origin).href);
    }
    return urls;
  }

  /** Texts that may name fonts: markup, styles and scripts, except libraries. */
  private async listStyledTexts(): Promise<readonly string[]> {
    const texts: string[] = [];
    let bytes = 0;
    for (const file of this.filesByPath.values()) {
      const isStyled = /\.(css|m?js)$/i.test(file.path) && !library.test(file.path);
      if (!isStyled && !isMarkup(file)) continue;
      bytes += file.size;
      if (bytes > limits.compositions.timelineBytesMax) break;
      texts.push(await this.text(file));
    }
    return texts;
  }

  private async text(file: PreviewFile): Promise<string> {
    return (await this.bytes(file)).toString("utf8");
  }

  private async bytes({ key, size }: PreviewFile): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: size };
    for await (const chunk of this.source.objects.read(key, range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

const mayMove = /\.(gif|webp|a?png|avif|svg)$/i;

/** Library scripts, which are skipped because they mention many font names. */
const library = /(^|\/)(gsap|three|anime|lottie|d3)[^/]*$|\.min\.m?js$/i;

declare module "../service.ts" {
  interface Service {
    readonly writePage: WritePage;
  }
}
