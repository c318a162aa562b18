/** The console's page. Its scripts carry the nonce of its policy, those that they load too. */
import { lookFiles } from "../look/look-files.ts";
import { html } from "../look/markup.ts";
import { styleLinks } from "../look/page.ts";
import type { Service } from "../service.ts";
import { type Answer, constantHeader } from "../transport/answer.ts";
import { consoleFiles } from "./console-files.ts";

const htmlType = constantHeader("Content-Type", "text/html; charset=utf-8");
const noReferrer = constantHeader("Referrer-Policy", "no-referrer");

export function consolePage({ baseUrl, entropy }: Service): Answer {
  const nonce = Buffer.from(entropy.bytes(16)).toString("base64url");
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f7f5f1">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#131211">
<title>Klieg</title>
${styleLinks([lookFiles.path("look.css"), consoleFiles.path("console.css")])}
<link rel="icon" type="image/svg+xml" href="${lookFiles.path("mark.svg")}">
<script type="module" nonce="${nonce}" src="${consoleFiles.path("main.js")}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs scripts; the same can be done with the klieg command.</p></noscript>
</body>
</html>
`;
  const policy = policyOf(nonce, new URL(baseUrl).origin);
  const headers = [htmlType, noReferrer, ["Content-Security-Policy", policy]] as const;
  return { status: 200, headers, body: text.markup };
}

/** `store` is the origin of signed links. Previews of compositions are frames of this service. */
function policyOf(nonce: string, store: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    `connect-src 'self' ${store}`,
    `img-src 'self' ${store} blob:`,
    `media-src 'self' ${store} blob:`,
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
