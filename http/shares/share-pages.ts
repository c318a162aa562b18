/**
 * The pages of share links. They load nothing but the media and this service's stylesheets, run no
 * script but the 3D viewer's, and reveal nothing about locked media.
 */

import type { Refusal } from "../../actors/refusal.ts";
import type { ShareResolution } from "../../contract/share.ts";
import type { Entropy } from "../../engine/ports/entropy.ts";
import type { Answer, Header } from "../exchange/answer.ts";
import { lookFiles } from "../look/look-files.ts";
import { html, type Markup } from "../look/markup.ts";
import { styleLinks } from "../look/page.ts";
import { buildProblem } from "../problems/problems.ts";
import { listFacts, modelType, playerStyle, writePlayer, writePreview } from "./share-player.ts";

export const viewerPath = "/share-viewer.js";

interface Page {
  readonly status: number;
  readonly title: string;
  /** Metadata for the preview that messengers show of the link. */
  readonly preview?: Markup;
  readonly body: Markup;
  readonly style?: string;
  /** Origin of the media; `isModel` says whether a script shows them. */
  readonly store?: string;
  readonly isModel?: boolean;
  readonly headers?: readonly Header[];
}

/** The page that shows a link's media in a player. */
export function mediaPage(entropy: Entropy, shared: ShareResolution): Answer {
  const { name, download_url: download } = shared;
  const save =
    download === undefined ? "" : html`<a class="button" href="${download}">Download</a>`;
  return page(entropy, {
    status: 200,
    title: name,
    preview: writePreview(shared),
    style: playerStyle(shared),
    store: new URL(shared.media_url).origin,
    isModel: shared.mime_type === modelType,
    body: html`<div class="piece">
${writePlayer(shared)}
<div class="about">
<div>
<h1>${name}</h1>
<p class="facts">${listFacts(shared)}</p>
</div>
${save}
</div>
</div>`,
  });
}

/** Page for a link that shows nothing, or not yet. `headers` are those of the problem. */
export function refusalPage(
  entropy: Entropy,
  refusal: Refusal,
  headers: readonly Header[],
): Answer {
  const { status, title, detail = "" } = buildProblem(refusal);
  if (refusal.code === "share_password_required")
    return page(entropy, { status, title, body: writeLockedCard(refusal.isWrong), headers });
  const [heading, text] = explainRefusal(refusal) ?? [title, detail];
  const body = html`<div class="card"><h1>${heading}</h1><p>${text}</p></div>`;
  return page(entropy, { status, title: heading, body, headers });
}

function explainRefusal(refusal: Refusal): readonly [heading: string, text: string] | undefined {
  switch (refusal.code) {
    case "not_found":
      return ["Nothing here", "This link does not exist. Check that you copied all of it."];
    case "rate_limit":
      return ["Too many requests", "Wait a minute and try again."];
    case "gone":
      return [goneHeadings[refusal.reason], goneWords[refusal.reason]];
    default:
      return undefined;
  }
}

const goneHeadings = {
  expired: "This link has expired",
  revoked: "This link was withdrawn",
  media_unavailable: "No longer available",
} as const;

const askAgain = "Ask the person who sent it to you for a new one.";
const goneWords = {
  expired: askAgain,
  revoked: askAgain,
  media_unavailable: "What this link led to was removed by its owner.",
} as const;

/** The form posts to the page's own address. */
function writeLockedCard(isWrong: boolean): Markup {
  const word = isWrong
    ? html`<p class="wrong" role="alert">The password is wrong. Try again.</p>`
    : html`<p>Enter it to see what was shared with you.</p>`;
  return html`<div class="card">
<h1>This link needs a password</h1>
${word}
<form method="post">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required autofocus>
<button>Open</button>
</form>
</div>`;
}

function page(entropy: Entropy, page: Page): Answer {
  const { status, title, preview = "", body, ...parts } = page;
  const nonce = Buffer.from(entropy.bytes(16)).toString("base64url");
  const script = html`<script nonce="${nonce}" src="${viewerPath}" defer></script>`;
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${preview}
${styleLinks([lookFiles.path("look.css"), lookFiles.path("pages.css")], nonce)}
${parts.style === undefined ? "" : html`<style nonce="${nonce}">${{ markup: parts.style }}</style>`}
${parts.isModel === true ? script : ""}
</head>
<body>
<main>
${body}
</main>
<footer>Shared with Klieg</footer>
</body>
</html>
`;
  const headers: Header[] = [
    ["Content-Type", "text/html; charset=utf-8"],
    ["Content-Security-Policy", writePolicy(nonce, parts)],
    ...(parts.headers ?? []),
  ];
  return { status, headers, body: text.markup };
}

/** Other sites may frame these pages, as they act on behalf of no user. */
function writePolicy(nonce: string, { store, isModel }: Pick<Page, "store" | "isModel">): string {
  const media = store === undefined ? [] : [`media-src ${store}`, `img-src ${store}`];
  const model = [`script-src 'nonce-${nonce}'`, `connect-src ${store}`, `img-src ${store} blob:`];
  return [
    "default-src 'none'",
    ...(isModel === true ? [`media-src ${store}`, ...model] : media),
    `style-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "frame-ancestors *",
  ].join("; ");
}
