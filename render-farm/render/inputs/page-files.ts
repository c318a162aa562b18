import { targetOf } from "../../../actors/timeline/bundle.ts";
import { parseMarkup, stampTags } from "../../../actors/timeline/markup.ts";
import { limits } from "../../../config/limits.ts";
import type { StageAnswer } from "../../browser/stage.ts";
import type { Warnings } from "../render-error.ts";
import { isMoving } from "../videos/moving-pictures.ts";
import { FontGates, gatePath, withFontGate } from "./font-gate.ts";
import { withLateScripts } from "./late-scripts.ts";
import type { StoredBundle } from "./stored-bundle.ts";
import { faceFile, facesFor, facesPath } from "./web-fonts.ts";

/**
 * All that a film's page can reach: the bundle and pictures made for it.
 * Whatever else it asks for is named in the warnings.
 */
export const filmOrigin = "https://bundle.invalid";
export const entryUrl = `${filmOrigin}/index.html`;
const ownFolder = "/.klieg/";

export interface MadePicture {
  readonly contentType: string;
  readonly bytes: () => Promise<Buffer>;
}

/** What is under way for a page; a frame is complete when nothing is. */
export class PageFiles {
  private readonly bundle: StoredBundle;
  private readonly warnings: Warnings;
  private readonly madeByName = new Map<string, MadePicture>();
  private readonly gates = new FontGates();
  /** Addresses of pictures that move by themselves. */
  private readonly moving = new Set<string>();
  private readonly bodies = new Map<string, Promise<StageAnswer | undefined>>();

  constructor(bundle: StoredBundle, warnings: Warnings) {
    this.bundle = bundle;
    this.warnings = warnings;
  }

  /** The address under which the page finds a picture that is made when it asks. */
  offer(name: string, picture: MadePicture): string {
    this.madeByName.set(name, picture);
    return `${filmOrigin}${ownFolder}made/${name}`;
  }

  /** For another page of the same film; nothing when pictures are made for it. */
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
      return this.noticed(url, made);
    }
    // Videos and sounds do not play in the page.
    if (kind === "media" || pathname === "/favicon.ico") return undefined;
    const from = searchParams.get("klieg-from") ?? "index.html";
    const written = searchParams.get("klieg-as") ?? pathname.slice(1);
    const key = `${written}?${from}`;
    const known = this.bodies.get(key);
    if (known !== undefined) return this.noticed(url, await known);
    const body = this.file(written, from);
    this.bodies.set(key, body);
    // Large files are read again rather than kept.
    const answer = await body;
    if ((answer?.body.length ?? 0) > limits.capture.keptFileBytesMax) this.bodies.delete(key);
    return this.noticed(url, answer);
  }

  private noticed(url: string, answer: StageAnswer | undefined): StageAnswer | undefined {
    if (answer?.contentType.startsWith("image/") === true && isMoving(answer.body))
      this.moving.add(url);
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
    const target = targetOf(view, written, from);
    const path = target.kind === "file" ? target.path : "";
    const source = this.bundle.sourceOf({ kind: "file", path });
    if (source === undefined) {
      this.warnings.add(`${path} is not in the bundle`);
      return undefined;
    }
    const contentType = typeOf(path, source.mimeType);
    const text = this.bundle.text(path);
    if (text !== undefined && contentType.startsWith("text/html")) {
      const page = path === view.entry ? await this.entry(text) : stampTags(text);
      return { contentType: `${contentType}; charset=utf-8`, body: Buffer.from(page) };
    }
    return { contentType, body: await this.bundle.bytes(source) };
  }

  private async entry(text: string): Promise<string> {
    const page = wholePage(withLateScripts(stampTags(text)));
    const texts = [page, ...(await this.bundle.styledTexts())];
    const { rules, areNamed } = await facesFor(texts, `${ownFolder}${facesPath}`);
    const dressed = withStyle(page, rules);
    return areNamed || this.bundle.mentions(/@font-face/) ? withFontGate(dressed) : dressed;
  }
}

/** Before every style of the author's. */
function withStyle(page: string, rules: string): string {
  const { key, children } = parseMarkup(page).html;
  const keys = [children.find(({ tag }) => tag === "head")?.key, key];
  const tag = keys.map(Number).find(Number.isInteger);
  const doctype = /^\s*<!doctype[^>]*>/i.exec(page)?.[0].length ?? 0;
  const at = tag === undefined ? doctype : page.indexOf(">", tag) + 1;
  return `${page.slice(0, at)}<style>${rules}</style>${page.slice(at)}`;
}

/** What is no page of its own gets one without margins around it, as in HyperFrames. */
function wholePage(text: string): string {
  if (/<(!doctype|html|head|body)[\s>]/i.test(text)) return text;
  const plain = "*{margin:0;padding:0;box-sizing:border-box}";
  const style = `<style>${plain}body{overflow:hidden;font-family:"Inter",sans-serif}</style>`;
  return `<!doctype html><html><head><meta charset="utf-8">${style}</head><body>${text}</body></html>`;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  htm: "text/html",
  js: "text/javascript",
  mjs: "text/javascript",
  css: "text/css",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  woff2: "font/woff2",
  woff: "font/woff",
  ttf: "font/ttf",
  otf: "font/otf",
  wasm: "application/wasm",
};

/** A page's own files by their names; the rest as it was uploaded. */
function typeOf(path: string, declared: string): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return types[extension] ?? declared;
}
