/** Previews that are open on this node: a composition's files, and what is made of them once. */
import {
  type BundleFile,
  bundleFileKey,
  entryPath,
  isMarkup,
  objectKeyOf,
} from "../../actors/composition/bundle-file.ts";
import { type Composition, compositionKey } from "../../actors/composition/composition.ts";
import type { Bundle } from "../../actors/timeline/bundle.ts";
import { limits } from "../../config/limits.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { rangeOf } from "../../engine/key.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { FontGates } from "../../film/markup/font-gate.ts";
import { isMoving } from "../../film/markup/moving-pictures.ts";
import { type PreviewFilm, previewFilm } from "../../film/preview/preview-film.ts";
import type { PageTask } from "../../film/preview/preview-page.ts";
import type { CompositionTimelines } from "../compositions/composition-timelines.ts";
import { found } from "../problems/refusal-error.ts";
import type { PreviewTicket } from "./preview-tickets.ts";

/** Throws `PortError`, not retryable when the markup takes too long. */
export type WritePage = (task: PageTask) => Promise<string>;

/** Of the service, what a preview is made with. */
export interface PreviewSources {
  readonly gateway: Gateway;
  readonly objects: Objects;
  readonly timelines: CompositionTimelines;
  readonly writePage: WritePage;
}

export class OpenPreview {
  readonly base: string;
  readonly gates = new FontGates();
  private readonly service: PreviewSources;
  private readonly composition: Composition;
  private readonly filesByPath: ReadonlyMap<string, BundleFile>;
  private film: Promise<PreviewFilm> | undefined;
  private entry: Promise<string> | undefined;

  private constructor(
    service: PreviewSources,
    composition: Composition,
    files: readonly BundleFile[],
    base: string,
  ) {
    this.service = service;
    this.composition = composition;
    this.filesByPath = new Map(files.map((file) => [file.path, file]));
    this.base = base;
  }

  /** Throws `RefusalError` with 404 when that revision is no longer there. */
  static async open(
    service: PreviewSources,
    ticket: PreviewTicket,
    base: string,
  ): Promise<OpenPreview> {
    const { gateway } = service;
    const key = compositionKey(ticket.scope, ticket.composition);
    const range = rangeOf(bundleFileKey(key, ""));
    const rows = await gateway.range(range, limits.compositions.filesMax + 1, false);
    const composition = currentOf(service, ticket);
    const files = rows.map((row) => gateway.row<BundleFile>(row));
    files.sort((one, other) => (one.path < other.path ? -1 : 1));
    return new OpenPreview(service, composition, files, base);
  }

  /** The bundle as addresses are read in it. */
  get bundle(): Bundle {
    const { filesByPath } = this;
    return { entry: entryPath, has: (path) => filesByPath.has(path), read: () => undefined };
  }

  fileAt(path: string): { readonly file: BundleFile; readonly objectKey: string } | undefined {
    const file = this.filesByPath.get(path);
    return file && { file, objectKey: objectKeyOf(this.composition.id, file) };
  }

  /** Throws `RefusalError` with 413 for markup that is too much for one timeline. */
  filmed(): Promise<PreviewFilm> {
    this.film ??= this.timeline().then((timeline) => previewFilm(timeline, this.base));
    return this.film;
  }

  async variables(): Promise<object> {
    const { plan } = await this.filmed();
    return plan.compositions[0]?.variables ?? {};
  }

  async page(path: string, isFrame: boolean): Promise<string> {
    const { base } = this;
    const file = found(this.filesByPath.get(path));
    const text = await this.text(file);
    const { writePage } = this.service;
    if (path !== entryPath) return writePage({ text, base, entry: undefined, isFrame });
    this.entry ??= this.styledTexts().then((styled) => {
      const paths = [...this.filesByPath.keys()];
      const hasScripts = paths.some((one) => /\.m?js$/.test(one) && !library.test(one));
      const mayNameFaces =
        hasScripts || [text, ...styled].some((one) => one.includes("@font-face"));
      return writePage({ text, base, entry: { styled, mayNameFaces }, isFrame });
    });
    return this.entry;
  }

  /** Addresses of pictures that move by themselves. */
  async moving(origin: string): Promise<readonly string[]> {
    const urls: string[] = [];
    for (const { path, size } of this.filesByPath.values()) {
      if (!/\.(gif|webp|a?png)$/i.test(path) || size > limits.media.wholeBytesMax) continue;
      const file = this.filesByPath.get(path);
      const isFound = file !== undefined && isMoving(await this.bytes(file));
      if (isFound) urls.push(new URL(this.base + encodeURI(path), origin).href);
    }
    return urls;
  }

  private timeline() {
    const files = [...this.filesByPath.values()];
    return this.service.timelines.of(this.composition, files);
  }

  /** What may name fonts: markup, styles and scripts, without libraries. */
  private async styledTexts(): Promise<readonly string[]> {
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

  private async text(file: BundleFile): Promise<string> {
    return this.service.timelines.text(this.composition.id, file);
  }

  private async bytes(file: BundleFile): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    const range = { start: 0, end: file.size };
    const key = objectKeyOf(this.composition.id, file);
    for await (const chunk of this.service.objects.read(key, range)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

/** Scripts that speak of every font. */
const library = /(^|\/)(gsap|three|anime|lottie|d3)[^/]*$|\.min\.m?js$/i;

/** Throws `RefusalError` with 404 unless the revision is the current one. */
export function currentOf({ gateway }: PreviewSources, ticket: PreviewTicket): Composition {
  const composition = found(gateway.read(compositionKey(ticket.scope, ticket.composition)));
  return found(composition.revision === ticket.revision ? composition : undefined);
}

export class OpenPreviews {
  private readonly byTicket = new Map<string, Promise<OpenPreview>>();

  /** The one that was opened first goes when there are too many. */
  of(service: PreviewSources, text: string, ticket: PreviewTicket): Promise<OpenPreview> {
    const known = this.byTicket.get(text);
    if (known !== undefined) return known;
    const opening = OpenPreview.open(service, ticket, `/preview/${text}/`);
    this.byTicket.set(text, opening);
    opening.catch(() => this.byTicket.delete(text));
    const [oldest] = this.byTicket.keys();
    if (this.byTicket.size > limits.compositions.previewsKept && oldest !== undefined)
      this.byTicket.delete(oldest);
    return opening;
  }
}
