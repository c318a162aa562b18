/**
 * Builds a page about one subject in the common design: its head, its logo, its policy. It loads
 * stylesheets, scripts and the logo from this service, and runs no other script than one that
 * carries the policy's nonce.
 */
import { type Answer, constantHeader, type Header } from "../exchange/answer.ts";
import { lookFiles } from "./look-files.ts";
import { html, type Markup } from "./markup.ts";

export interface Page {
  readonly status?: number;
  readonly title: string;
  readonly body: Markup;
  readonly footer?: Markup;
  /** Stylesheets in addition to those of all pages. */
  readonly styles?: readonly string[];
  /** Nonce that the page's own script carries. */
  readonly nonce?: string;
  /** Paths of scripts that this service serves. */
  readonly scripts?: readonly string[];
  /** Whether the page may send requests, which may go to this service only. */
  readonly isAsking?: boolean;
  readonly headers?: readonly Header[];
}

const htmlType = constantHeader("Content-Type", "text/html; charset=utf-8");
const noReferrer = constantHeader("Referrer-Policy", "no-referrer");

export function page(page: Page): Answer {
  const { status = 200, title, body, footer = html``, styles = [], headers = [] } = page;
  const scripts = (page.scripts ?? []).map((path) => html`<script defer src="${path}"></script>`);
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${styleLinks(["look.css", "pages.css"].map((name) => lookFiles.path(name)))}${styleLinks(styles)}
<link rel="icon" type="image/svg+xml" href="${lookFiles.path("mark.svg")}">
${{ markup: scripts.map(({ markup }) => markup).join("\n") }}
</head>
<body>
<header><a class="brand" href="/">${mark()}Klieg</a></header>
<main>
${body}
</main>
<footer>${footer}</footer>
</body>
</html>
`;
  const all = [htmlType, ["Content-Security-Policy", writePolicy(page)], noReferrer, ...headers];
  return { status, headers: all as readonly Header[], body: text.markup };
}

function mark(): Markup {
  return html`<img class="mark" src="${lookFiles.path("mark.svg")}" alt="">`;
}

/** Links the stylesheets, with `nonce` where the policy requires one. */
export function styleLinks(paths: readonly string[], nonce?: string): Markup {
  const more = nonce === undefined ? "" : html` nonce="${nonce}"`;
  const links = paths.map((path) => html`<link rel="stylesheet"${more} href="${path}">`.markup);
  return { markup: links.join("\n") };
}

function writePolicy({ nonce, scripts, isAsking = false }: Page): string {
  return [
    "default-src 'none'",
    ...(nonce === undefined ? [] : [`script-src 'nonce-${nonce}'`]),
    ...(scripts === undefined ? [] : ["script-src 'self'"]),
    "style-src 'self'",
    "img-src 'self'",
    ...(isAsking ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
