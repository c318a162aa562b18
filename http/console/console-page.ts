/** The console's page. All of its scripts carry the policy's nonce, also those loaded later. */

import type { Answer } from "../exchange/answer.ts";
import type { Service } from "../service.ts";
import { appPage } from "./app-page.ts";
import { consoleFiles } from "./console-files.ts";

export function consolePage({ baseUrl, entropy }: Service): Answer {
  // The origin of signed links. Previews of compositions are frames of this service.
  const store = new URL(baseUrl).origin;
  return appPage({
    title: "Klieg",
    id: "console",
    script: consoleFiles.path("main.js"),
    nonce: Buffer.from(entropy.bytes(16)).toString("base64url"),
    withoutScripts: "The console needs JavaScript; without it, use the klieg command.",
    policy: [
      `connect-src 'self' ${store}`,
      `img-src 'self' ${store} blob:`,
      `media-src 'self' ${store} blob:`,
      "frame-src 'self'",
    ],
  });
}
