/** The page of an app of the folder `console`: an element to draw into, and the app's script. */

import { type Answer, constantHeader } from "../exchange/answer.ts";
import { lookFiles } from "../look/look-files.ts";
import { html, type Markup } from "../look/markup.ts";
import { styleLinks } from "../look/page.ts";
import { consoleFiles } from "./console-files.ts";

export interface AppPage {
  readonly title: string;
  /** Id of the element that the app is drawn into. */
  readonly id: string;
  /** Path of the app's script; `nonce` is the value that the script element carries. */
  readonly script: string;
  readonly nonce: string;
  /** Text shown where scripts are disabled. */
  readonly withoutScripts: string;
  /** What its policy says beyond the page's own files. */
  readonly policy: readonly string[];
}

const htmlType = constantHeader("Content-Type", "text/html; charset=utf-8");
const noReferrer = constantHeader("Referrer-Policy", "no-referrer");

export function appPage(page: AppPage): Answer {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${page.nonce}'`,
    "style-src 'self'",
    ...page.policy,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const headers = [htmlType, noReferrer, ["Content-Security-Policy", policy]] as const;
  return { status: 200, headers, body: writeMarkup(page).markup };
}

function writeMarkup({ title, id, script, nonce, withoutScripts }: AppPage): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5f1">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#131211">
<title>${title}</title>
${styleLinks([lookFiles.path("look.css"), consoleFiles.path("console.css")])}
<link rel="icon" type="image/svg+xml" href="${lookFiles.path("mark.svg")}">
<script type="module" nonce="${nonce}" src="${script}"></script>
</head>
<body>
<div id="${id}"></div>
<noscript><p>${withoutScripts}</p></noscript>
</body>
</html>
`;
}
