/**
 * Previews of compositions: strangers' pages, which run in a sandbox that reaches nothing but the
 * files of its own bundle. They have an opaque origin, so these answers are open to any.
 */
import { join } from "node:path";
import type { Asset } from "../../actors/asset/asset.ts";
import { Preview } from "../../actors/contract/composition.ts";
import { parseId, partitionOfId } from "../../engine/id.ts";
import { timestamp } from "../../engine/timestamp.ts";
import { typeOf } from "../../film/markup/file-types.ts";
import { gatePath } from "../../film/markup/font-gate.ts";
import { faceFile, facesPath } from "../../film/markup/web-fonts.ts";
import { PageScripts } from "../../film/page-scripts.ts";
import { assetFolder, pathAsked, playedMark } from "../../film/preview/preview-film.ts";
import { storedBytes } from "../assets/ranged-bytes.ts";
import { readyAsset } from "../compositions/composition-urls.ts";
import { findComposition } from "../compositions/compositions.ts";
import { found, RefusalError } from "../problems/refusal-error.ts";
import { anyParameters } from "../request/query.ts";
import { type Call, type PartitionOf, type Route, route } from "../route.ts";
import { type Answer, constantHeader, type Header, json, nothing } from "../transport/answer.ts";
import { currentOf, type OpenPreview } from "./open-previews.ts";
import type { PreviewTicket } from "./preview-tickets.ts";

/** Where the composition of a ticket is kept. */
const atTicket: PartitionOf = ({ ids: [text = ""] }) => {
  const scope = parseId(text.slice(0, text.indexOf(".")));
  return scope === undefined ? undefined : partitionOfId(scope);
};

export const previewRoutes: readonly Route[] = [
  route("POST", "/v1/compositions/{id}/preview", {
    summary: "Mint a link to the preview of a composition's current revision",
    answers: { 201: Preview },
    access: "compositions",
    needs: "read",
    rate: "read",
    run: mintPreview,
  }),
  route("GET", "/preview/{ticket}/{rest}", {
    summary: "A file of a composition's preview",
    answers: { 200: "*/*", 204: null, 206: "*/*", 416: null },
    access: "open",
    anyOrigin: true,
    query: anyParameters,
    partitionOf: atTicket,
    run: readPreview,
  }),
];

function mintPreview(call: Call): Answer {
  const { service, principal } = call;
  const { id, scope, revision } = findComposition(call);
  const subject = { scope, user: principal.user.id, composition: id, revision };
  const [text, ticket] = service.previewTickets.mint(subject, service.clock.nowMs());
  const url = `${new URL(service.baseUrl).origin}/preview/${text}/index.html`;
  return json(201, { url, revision, expires_at: timestamp(ticket.expiresAtMs) });
}

interface Asked {
  readonly call: Call;
  readonly ticket: PreviewTicket;
  readonly preview: OpenPreview;
  readonly query: URLSearchParams;
}

async function readPreview(call: Call): Promise<Answer> {
  const { service, request, ids } = call;
  const [text = "", rest = ""] = ids;
  const ticket = service.previewTickets.read(text, service.clock.nowMs());
  if (ticket === undefined)
    throw new RefusalError({ code: "forbidden", detail: "This link is not valid or has expired." });
  currentOf(service, ticket);
  const preview = await service.previews.of(service, text, ticket);
  const asked = { call, ticket, preview, query: new URLSearchParams(request.query) };
  const isOwn = rest.startsWith(ownFolder);
  try {
    return await (isOwn ? ownFile(asked, rest.slice(ownFolder.length)) : bundleFile(asked, rest));
  } catch (error) {
    // A file that was replaced while it was read went with its revision.
    currentOf(service, ticket);
    throw error;
  }
}

const ownFolder = ".klieg/";

async function bundleFile({ call, preview, query }: Asked, rest: string): Promise<Answer> {
  const { service, request } = call;
  const written = query.get("klieg-as") ?? rest;
  const from = query.get("klieg-from") ?? "index.html";
  const path = found(pathAsked(preview.bundle, written, from));
  const { file, objectKey } = found(preview.fileAt(path));
  const contentType = typeOf(path, file.mime);
  if (contentType.startsWith("text/html")) {
    const isFrame = request.headers["sec-fetch-dest"] === "iframe";
    return pageAnswer(call, preview.base, await preview.page(path, isFrame));
  }
  if (isOfElement(call, query)) return nothing();
  const stored = { key: objectKey, sizeBytes: file.size };
  return storedBytes(service, request, stored, [["Content-Type", contentType], privately]);
}

/** Media that the page's own elements ask for: a preview plays them outside of the page. */
function isOfElement({ request }: Call, query: URLSearchParams): boolean {
  const isMedia = /^(audio|video)$/.test(request.headers["sec-fetch-dest"] ?? "");
  return isMedia && !query.has(playedMark);
}

async function ownFile({ call, ticket, preview }: Asked, path: string): Promise<Answer> {
  const { service, request } = call;
  if (path === "film") return json(200, await preview.filmed());
  if (path === "preview.js") return script(await scripts.preview());
  if (path === "opening.js") return script(await scripts.opening(await preview.variables()));
  if (path === "moving") return json(200, await preview.moving(originOf(call)));
  if (path.startsWith(gatePath))
    return script((await preview.gates.answer(path.slice(gatePath.length))).toString());
  if (path.startsWith(facesPath)) {
    const face = found(await faceFile(path.slice(facesPath.length)));
    return bytesAnswer(face, "font/woff2");
  }
  const name = path.startsWith(assetFolder) ? path.slice(assetFolder.length) : "";
  const asset: Asset | undefined = readyAsset(service, ticket.scope, name);
  if (asset?.phase !== "ready") throw new RefusalError({ code: "not_found" });
  const { objectKey, mimeType } = asset.media;
  const { sizeBytes } = found(await service.objects.stat(objectKey));
  const headers: Header[] = [["Content-Type", mimeType], privately];
  return storedBytes(service, request, { key: objectKey, sizeBytes }, headers);
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

function pageAnswer(call: Call, base: string, body: string): Answer {
  const headers: Header[] = [
    ["Content-Type", "text/html; charset=utf-8"],
    ["Content-Security-Policy", policyOf(new URL(originOf(call)).host, base)],
    ["Referrer-Policy", "no-referrer"],
    ["X-DNS-Prefetch-Control", "off"],
  ];
  return { status: 200, headers, body };
}

/** As the browser knows it; behind a proxy its scheme may be another. */
function originOf({ service, request }: Call): string {
  const host = request.headers["host"] ?? "";
  const isHost = /^([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:\d{1,5})?$/i.test(host);
  return isHost ? `http://${host}` : new URL(service.baseUrl).origin;
}

/** Only what lies below `base` may be asked for, by either scheme. */
function policyOf(host: string, base: string): string {
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
    "frame-ancestors 'self'",
  ].join("; ");
}
