/**
 * Public routes that need no account: the target of a share link, as JSON for programs and as a
 * page for browsers, and the script of the page's 3D viewer.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { limits } from "../../config/limits.ts";
import { SharePassword, SharePasswordForm, ShareResolution } from "../../contract/share.ts";
import { type Answer, type Header, json } from "../exchange/answer.ts";
import { RefusalError } from "../exchange/refusal-error.ts";
import { problem } from "../problems/problems.ts";
import { answerNotModified, isKnown } from "../request/etag.ts";
import { choosePreferredType } from "../request/negotiation.ts";
import { type Asked, type Call, type Route, route } from "../route.ts";
import { readPassword } from "./share-form.ts";
import { mediaPage, refusalPage, viewerPath } from "./share-pages.ts";
import { isToken, tokenPlace } from "./share-token.ts";
import { countResolution, findShared, noteVisit, resolve, unlockShared } from "./shared-media.ts";

const open = {
  access: "open",
  anyOrigin: true,
  getPartition: ({ ids: [token = ""] }: Asked) =>
    isToken(token) ? tokenPlace(token).partition : undefined,
} as const;

export const publicShareRoutes: readonly Route[] = [
  route("GET", "/v1/share/{token}", {
    ...open,
    summary: "Show what a share link leads to; a page for browsers",
    answers: { 200: ShareResolution },
    run: (call) => answerShare(call, () => readShare(call)),
  }),
  route("POST", "/v1/share/{token}", {
    ...open,
    summary: "Submit the password of a share link",
    answers: { 200: ShareResolution, 303: null },
    streamBytesMax: limits.shares.formBytesMax,
    streamBody: {
      "application/json": SharePassword,
      "application/x-www-form-urlencoded": SharePasswordForm,
    },
    run: (call) => answerShare(call, () => unlockShare(call)),
  }),
  viewerRoute(),
];

const forStrangers: readonly Header[] = [
  ["Referrer-Policy", "no-referrer"],
  ["X-Robots-Tag", "noindex"],
  ["Vary", "Accept"],
];

/** Answers a share link; browsers get refusals as pages too. */
async function answerShare(call: Call, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return withHeaders(await run());
  } catch (error) {
    if (!(error instanceof RefusalError) || !wantsPage(call)) throw error;
    const { service, requestId } = call;
    const { headers } = problem(error.refusal, requestId, `${service.baseUrl}/problems`);
    const more = headers.filter(([name]) => name !== "Content-Type");
    return withHeaders(refusalPage(service.entropy, error.refusal, more));
  }
}

function withHeaders(answer: Answer): Answer {
  return { ...answer, headers: [...answer.headers, ...forStrangers] };
}

function wantsPage({ request }: Call): boolean {
  const accept = request.headers["accept"];
  return choosePreferredType(accept, ["application/json", "text/html"]) === "text/html";
}

async function readShare(call: Call): Promise<Answer> {
  const { service, request } = call;
  countResolution(call);
  const shared = await unlockShared(call, request.headers["x-share-password"]);
  if (request.method === "GET") await noteVisit(call, shared);
  const resolution = resolve(call, shared);
  return wantsPage(call) ? mediaPage(service.entropy, resolution) : json(200, resolution);
}

/** Sends a browser back to the page with a cookie, and a program the data that it asked for. */
async function unlockShare(call: Call): Promise<Answer> {
  const { service, request } = call;
  countResolution(call);
  // Checked first, so that no body is awaited for a link that shows nothing.
  findShared(call);
  const { password, isForm } = await readPassword(request);
  const shared = await unlockShared(call, password);
  if (!isForm) return json(200, resolve(call, shared));
  const cookie = service.shares.cookies.make(shared.link, request.path, service.clock.nowMs());
  return { status: 303, headers: [["Location", request.path], cookie], body: "" };
}

/** The script is built from `model-viewer.ts` and is the same for all, so browsers may cache it. */
function viewerRoute(): Route {
  let loaded: Promise<{ readonly text: string; readonly etag: string }> | undefined;
  const load = async () => {
    const text = await readFile(new URL("./model-viewer.bundle.js", import.meta.url), "utf8");
    const digest = createHash("sha256").update(text).digest("base64url");
    return { text, etag: `"${digest.slice(0, 22)}"` };
  };
  return route("GET", viewerPath, {
    summary: "The script that draws a shared 3D model",
    answers: { 200: "text/javascript", 304: null },
    access: "open",
    run: async ({ request }) => {
      loaded ??= load().catch((error: unknown) => {
        loaded = undefined;
        throw error;
      });
      const { text, etag } = await loaded;
      if (isKnown(request, etag)) return answerNotModified(etag);
      const type: Header = ["Content-Type", "text/javascript; charset=utf-8"];
      return { status: 200, headers: [type, ["ETag", etag]], body: text };
    },
  });
}
