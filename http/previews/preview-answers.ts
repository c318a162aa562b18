/**
 * What is answered below the path of a preview: the pages of a composition, which run in a sandbox
 * that reaches nothing but this path, its files, and the scripts that make a film of them. The
 * pages have an opaque origin, so these answers are sent as open to any origin.
 */
import { join } from "node:path";
import { getType } from "../../film/markup/file-types.ts";
import { gatePath } from "../../film/markup/font-gate.ts";
import { faceFile, facesPath } from "../../film/markup/web-fonts.ts";
import { PageScripts } from "../../film/page-scripts.ts";
import { assetFolder, findRequestedPath, playedMark } from "../../film/preview/preview-film.ts";
import { type ByteSource, sendStoredBytes } from "../assets/ranged-bytes.ts";
import {
  type Answer,
  constantHeader,
  type Header,
  type HttpRequest,
  json,
  noContent,
} from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import type { OpenPreview, PreviewObject } from "./open-preview.ts";

export interface PreviewRequest {
  readonly preview: OpenPreview;
  readonly request: Pick<HttpRequest, "headers" | "query">;
  /** Rest of the path below the preview's base, not decoded. */
  readonly rest: string;
  /** Origin of the preview, as the browser sees it. */
  readonly origin: string;
  readonly onFault: ByteSource["onFault"];
}

const ownFolder = ".klieg/";

/** Answers a request below a preview's base. Throws `RefusalError`. */
export function answerPreview(asked: PreviewRequest): Promise<Answer> {
  const { rest } = asked;
  if (rest.startsWith(ownFolder)) return ownFile(asked, rest.slice(ownFolder.length));
  return bundleFile(asked);
}

async function bundleFile(asked: PreviewRequest): Promise<Answer> {
  const { preview, request, rest } = asked;
  const query = new URLSearchParams(request.query);
  const written = query.get("klieg-as") ?? rest;
  const from = query.get("klieg-from") ?? "index.html";
  const path = requireFound(findRequestedPath(preview.bundle, written, from));
  const file = requireFound(preview.fileAt(path));
  const contentType = getType(path, file.mime);
  if (contentType.startsWith("text/html")) {
    const isFrame = request.headers["sec-fetch-dest"] === "iframe";
    return pageAnswer(asked, await preview.page(path, isFrame), path === preview.bundle.entry);
  }
  if (isOfElement(request, query)) return noContent();
  return objectAnswer(asked, file, contentType);
}

/** Whether an element of the page requests media that the preview plays outside of the page. */
function isOfElement({ headers }: Pick<HttpRequest, "headers">, query: URLSearchParams): boolean {
  return /^(audio|video)$/.test(headers["sec-fetch-dest"] ?? "") && !query.has(playedMark);
}

async function ownFile(asked: PreviewRequest, path: string): Promise<Answer> {
  const { preview, origin } = asked;
  if (path === "film") return json(200, await preview.prepareFilm());
  if (path === "preview.js") return script(await scripts.preview());
  if (path === "frame-page.js") return script(await scripts.framePage());
  if (path === "opening.js") return script(await scripts.readOpening(await preview.variables()));
  if (path === "moving") return json(200, await preview.listMoving(origin));
  if (path.startsWith(gatePath))
    return script((await preview.gates.answer(path.slice(gatePath.length))).toString());
  if (path.startsWith(facesPath)) {
    const face = requireFound(await faceFile(path.slice(facesPath.length)));
    return bytesAnswer(face, "font/woff2");
  }
  const name = path.startsWith(assetFolder) ? path.slice(assetFolder.length) : "";
  const asset = requireFound(await preview.source.asset(name));
  return objectAnswer(asked, asset, asset.mime);
}

function objectAnswer(
  { preview, request, onFault }: PreviewRequest,
  { key, size: sizeBytes }: PreviewObject,
  contentType: string,
): Answer {
  const source = { objects: preview.source.objects, onFault };
  const headers: Header[] = [["Content-Type", contentType], privately];
  return sendStoredBytes(source, request, { key, sizeBytes }, headers);
}

const scripts = new PageScripts(join(import.meta.dirname, "..", ".."));
const privately = constantHeader("Cache-Control", "private, no-cache");

function script(body: string): Answer {
  return { status: 200, headers: [["Content-Type", "text/javascript; charset=utf-8"]], body };
}

function bytesAnswer(bytes: Buffer, contentType: string): Answer {
  const headers: Header[] = [
    ["Content-Type", contentType],
    ["Cache-Control", "private, max-age=3600"],
  ];
  const start: Exclude<Answer["body"], string>["start"] = (sink) => {
    sink.write(bytes);
    sink.end();
    return () => {};
  };
  return { status: 200, headers, body: { length: bytes.length, start } };
}

function pageAnswer({ preview, origin }: PreviewRequest, body: string, isEntry: boolean): Answer {
  const policy = writePolicy(new URL(origin).host, preview.base);
  const headers: Header[] = [
    ["Content-Type", "text/html; charset=utf-8"],
    // The film's page has an opaque origin that no policy source matches, so a page that is meant
    // for frames in it can name no ancestor. Pages framed by another site have no rights there
    // either.
    ["Content-Security-Policy", isEntry ? `${policy}; frame-ancestors 'self'` : policy],
    ["Referrer-Policy", "no-referrer"],
    ["X-DNS-Prefetch-Control", "off"],
  ];
  return { status: 200, headers, body };
}

/** Allows only addresses below `base`, by either scheme. */
function writePolicy(host: string, base: string): string {
  const own = `http://${host}${base} https://${host}${base}`;
  return [
    "sandbox allow-scripts",
    "default-src 'none'",
    `script-src ${own} 'unsafe-inline' 'unsafe-eval' blob: data:`,
    `style-src ${own} 'unsafe-inline'`,
    ...["img-src", "media-src", "font-src", "connect-src"].map(
      (name) => `${name} ${own} blob: data:`,
    ),
    `frame-src ${own}`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
