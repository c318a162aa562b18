import { createHash } from "node:crypto";
import { limits } from "../../../config/limits.ts";
import type { Objects } from "../../../engine/ports/objects.ts";
import type { Bundle, MediaSource } from "../../../timeline/bundle.ts";
import { overlayPath } from "../../../timeline/overlay.ts";
import type { Source } from "../../node/workspace.ts";
import { RenderError } from "../render-error.ts";
import { isManifest } from "../render-input.ts";

/**
 * A composition's files in the object store. Markup and edits are read at once, because the
 * timeline is computed from them; other files are read when a page requests them.
 */
export class StoredBundle {
  /** Digest of the bundle, which is equal for equal files and assets. */
  readonly digest: string;
  private readonly objects: Objects;
  private readonly sourcesByPath: ReadonlyMap<string, Source>;
  private readonly texts = new Map<string, string>();
  private styled: Promise<readonly string[]> | undefined;
  private readonly assets: Readonly<Record<string, Source>>;

  private constructor(
    digest: string,
    objects: Objects,
    sourcesByPath: ReadonlyMap<string, Source>,
    assets: Readonly<Record<string, Source>>,
  ) {
    this.digest = digest;
    this.objects = objects;
    this.sourcesByPath = sourcesByPath;
    this.assets = assets;
  }

  /** Opens a stored bundle. Throws `RenderError`. */
  static async open(
    objects: Objects,
    manifestKey: string,
    assets: Readonly<Record<string, Source>>,
  ): Promise<StoredBundle> {
    const list = await whole(objects, manifestKey);
    const manifest = parse(list.toString("utf8"));
    const hash = createHash("sha256").update(list).update(JSON.stringify(assets));
    if (!isManifest(manifest) || manifest.files.length > limits.capture.filesMax)
      throw new RenderError("internal", "the composition's list of files cannot be read");
    const sources = manifest.files.map(
      ({ path, objectKey, mimeType }) => [path.normalize("NFC"), { objectKey, mimeType }] as const,
    );
    const bundle = new StoredBundle(hash.digest("hex"), objects, new Map(sources), assets);
    for (const [path, source] of sources)
      if (/\.html?$/i.test(path) || source.mimeType === "text/html" || path === overlayPath)
        bundle.texts.set(path, (await whole(objects, source.objectKey)).toString("utf8"));
    return bundle;
  }

  /** The bundle in the form that the timeline needs, with the durations of media known so far. */
  view(getSeconds: (source: Source) => number | undefined): Bundle {
    return {
      entry: "index.html",
      has: (path) => this.sourcesByPath.has(path),
      read: (path) => this.texts.get(path),
      mediaSeconds: (media) => {
        const source = this.findSource(media);
        return source && getSeconds(source);
      },
    };
  }

  findSource(media: MediaSource): Source | undefined {
    if (media.kind === "file") return this.sourcesByPath.get(media.path);
    return Object.hasOwn(this.assets, media.assetId) ? this.assets[media.assetId] : undefined;
  }

  text(path: string): string | undefined {
    return this.texts.get(path);
  }

  /** Texts that may name fonts: markup, styles and scripts, without libraries. */
  listStyledTexts(): Promise<readonly string[]> {
    this.styled ??= this.readStyled();
    return this.styled;
  }

  private async readStyled(): Promise<readonly string[]> {
    const texts = [...this.texts.values()];
    for (const [path, source] of this.sourcesByPath)
      if (/\.(css|m?js)$/i.test(path) && !library.test(path)) {
        const found = await this.objects.stat(source.objectKey);
        if (found !== undefined && found.sizeBytes <= limits.capture.styledBytesMax)
          texts.push((await whole(this.objects, source.objectKey)).toString("utf8"));
      }
    return texts;
  }

  /** Whether the author's scripts may mention `words`; libraries mention all and do not count. */
  mentions(words: RegExp): boolean {
    const isOwn = (path: string): boolean => /\.m?js$/.test(path) && !library.test(path);
    const isSpoken = [...this.texts.values()].some((text) => words.test(text));
    return isSpoken || [...this.sourcesByPath.keys()].some(isOwn);
  }

  /** Whether any of the author's pages holds `text`. */
  holds(text: string): boolean {
    return [...this.texts.values()].some((one) => one.includes(text));
  }

  async bytes(source: Source): Promise<Buffer> {
    return whole(this.objects, source.objectKey, limits.media.wholeBytesMax);
  }
}

const library = /(^|\/)(gsap|three|anime|lottie|d3)[^/]*$|\.min\.m?js$/i;

async function whole(
  objects: Objects,
  key: string,
  bytesMax: number = limits.capture.textBytesMax,
): Promise<Buffer> {
  const found = await objects.stat(key);
  if (found === undefined) throw new RenderError("media_unavailable", "a file no longer exists");
  if (found.sizeBytes > bytesMax)
    throw new RenderError("invalid_composition", `a file has more than ${bytesMax} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(key, { start: 0, end: found.sizeBytes }))
    chunks.push(chunk);
  return Buffer.concat(chunks);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new RenderError(
      "internal",
      "the composition's list of files is not valid JSON",
      false,
      failure,
    );
  }
}
