import { limits } from "../../../config/limits.ts";
import { entryPage } from "../../../film/markup/entry-page.ts";
import { getType } from "../../../film/markup/file-types.ts";
import { FontGates, gatePath } from "../../../film/markup/font-gate.ts";
import { isMoving } from "../../../film/markup/moving-pictures.ts";
import { openRoots } from "../../../film/markup/open-roots.ts";
import { faceFile, facesPath } from "../../../film/markup/web-fonts.ts";
import { findTarget } from "../../../timeline/bundle.ts";
import { stampTags } from "../../../timeline/markup.ts";
import type { StageAnswer } from "../../browser/stage.ts";
import type { Warnings } from "../render-error.ts";
import type { StoredBundle } from "./stored-bundle.ts";

/**
 * Everything that a film's page can access: the bundle, and pictures made for the page. Requests
 * for anything else are named in the warnings.
 */
export const filmOrigin = "https://bundle.invalid";
export const entryUrl = `${filmOrigin}/index.html`;
const ownFolder = "/.klieg/";

export interface MadePicture {
  readonly contentType: string;
  readonly bytes: () => Promise<Buffer>;
}

/** Answers the requests of a page; a frame is complete when no request is pending. */
export class PageFiles {
  private readonly bundle: StoredBundle;
  private readonly warnings: Warnings;
  private readonly madeByName = new Map<string, MadePicture>();
  private readonly gates = new FontGates();
  /** URLs of animated pictures. */
  private readonly moving = new Set<string>();
  private readonly bodies = new Map<string, Promise<StageAnswer | undefined>>();

  constructor(bundle: StoredBundle, warnings: Warnings) {
    this.bundle = bundle;
    this.warnings = warnings;
  }

  /** Returns a URL for a picture that is made only when the page requests it. */
  offer(name: string, picture: MadePicture): string {
    this.madeByName.set(name, picture);
    return `${filmOrigin}${ownFolder}made/${name}`;
  }

  /** Returns files for another page of the same film, or nothing if pictures were made for it. */
  anew(warnings: Warnings): PageFiles | undefined {
    return this.madeByName.size === 0 ? new PageFiles(this.bundle, warnings) : undefined;
  }

  async answer(url: string, kind: string): Promise<StageAnswer | undefined> {
    const { origin, pathname, searchParams } = new URL(url);
    if (origin !== filmOrigin) {
      this.warnings.add(`${url.slice(0, 300)} is not in the bundle and was not fetched`);
      return undefined;
    }
    if (pathname.startsWith(ownFolder)) {
      const made = await this.own(pathname.slice(ownFolder.length));
      return this.notice(url, kind, made);
    }
    // Videos and sounds do not play in the page.
    if (kind === "media" || pathname === "/favicon.ico") return undefined;
    const from = searchParams.get("klieg-from") ?? "index.html";
    const written = searchParams.get("klieg-as") ?? pathname.slice(1);
    const key = `${written}?${from}`;
    const known = this.bodies.get(key);
    if (known !== undefined) return this.notice(url, kind, await known);
    const body = this.file(written, from);
    this.bodies.set(key, body);
    // Large files are read again rather than kept.
    const answer = await body;
    if ((answer?.body.length ?? 0) > limits.capture.keptFileBytesMax) this.bodies.delete(key);
    return this.notice(url, kind, answer);
  }

  /** Number of animated pictures that pages have requested. */
  get movingPictures(): number {
    return this.moving.size;
  }

  private notice(
    url: string,
    kind: string,
    answer: StageAnswer | undefined,
  ): StageAnswer | undefined {
    // Like a browser, decides by the file's bytes, whatever its name says.
    if (answer !== undefined && kind === "image" && isMoving(answer.body)) this.moving.add(url);
    return answer;
  }

  private async own(path: string): Promise<StageAnswer | undefined> {
    if (path.startsWith("made/")) {
      const made = this.madeByName.get(path.slice("made/".length));
      return made && { contentType: made.contentType, body: await made.bytes() };
    }
    if (path === "moving")
      return {
        contentType: "application/json",
        body: Buffer.from(JSON.stringify([...this.moving])),
      };
    if (path.startsWith(facesPath)) {
      const face = await faceFile(path.slice(facesPath.length));
      return face && { contentType: "font/woff2", body: face };
    }
    if (path.startsWith(gatePath))
      return {
        contentType: "text/javascript",
        body: await this.gates.answer(path.slice(gatePath.length)),
      };
    return undefined;
  }

  private async file(written: string, from: string): Promise<StageAnswer | undefined> {
    const view = this.bundle.view(() => undefined);
    const target = findTarget(view, written, from);
    const path = target.kind === "file" ? target.path : "";
    const source = this.bundle.findSource({ kind: "file", path });
    if (source === undefined) {
      this.warnings.add(`${path} is not in the bundle`);
      return undefined;
    }
    const contentType = getType(path, source.mimeType);
    const text = this.bundle.text(path);
    if (text !== undefined && contentType.startsWith("text/html")) {
      const page =
        path === view.entry
          ? await entryPage({
              text,
              styled: await this.bundle.listStyledTexts(),
              mayNameFaces: this.bundle.mentions(/@font-face/),
              ownFolder,
            })
          : openRoots(stampTags(text));
      return { contentType: `${contentType}; charset=utf-8`, body: Buffer.from(page) };
    }
    return { contentType, body: await this.bundle.bytes(source) };
  }
}
