/**
 * The server of `klieg preview`, for one person on this machine.
 *
 * 1. Only requests to this machine's own names are answered: no page of another site can ask under
 *    a name of its own that leads here.
 * 2. The page and what it may do are below one path that cannot be guessed, the composition below
 *    another; neither leads to the other. Only the composition's answers are open to any origin,
 *    because its page, in a sandbox, has none.
 * 3. What changes anything is taken from the page itself alone.
 * 4. Nothing that is asked, and nothing that becomes of the folder, ends the process.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getPort, isForLoopback, loopbackHost } from "../../engine/network/loopback.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { consoleFiles, consoleFilesPath } from "../../http/console/console-files.ts";
import { type Answer, constantHeader, type Header, json } from "../../http/exchange/answer.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { lookFiles, lookPath } from "../../http/look/look-files.ts";
import type { StaticFiles } from "../../http/look/static-files.ts";
import { answerPreview } from "../../http/previews/preview-answers.ts";
import { buildProblem } from "../../http/problems/problems.ts";
import { closeNow, listenOnLoopback } from "../loopback/loopback.ts";
import { faultSentence } from "./faults.ts";
import type { LiveFolder } from "./live-folder.ts";
import { allow, appFiles, appFilesPath, ShellRoutes } from "./shell-routes.ts";
import { writeAnswer } from "./write-answer.ts";

const bounds = { connectionsMax: 256, requestMs: 60_000 } as const;

export interface PreviewServer {
  /** URL of the page. With it, one can see the folder and change its edits. */
  readonly url: string;
  close(): void;
}

/** Throws `CommandError` when the port is in use. */
export async function openPreviewServer(
  folder: LiveFolder,
  port: number,
  onFault: (sentence: string) => void,
): Promise<PreviewServer> {
  const secret = randomBytes(24).toString("base64url");
  const desk = new Desk(folder, secret, onFault);
  const server = createServer({ requestTimeout: bounds.requestMs }, (request, response) => {
    // A client that disconnects is no error.
    response.on("error", () => response.destroy());
    if (isForLoopback(request, server)) void desk.respond(request, response);
    else writeAnswer(response, refusal(foreignHost), closed);
  });
  server.maxConnections = bounds.connectionsMax;
  await listenOnLoopback(server, port);
  return {
    url: `http://${loopbackHost}:${getPort(server)}/${secret}/`,
    close: () => closeNow(server),
  };
}

const staticFiles: readonly (readonly [path: string, files: StaticFiles])[] = [
  [lookPath, lookFiles],
  [consoleFilesPath, consoleFiles],
  [appFilesPath, appFiles],
];

class Desk {
  private readonly folder: LiveFolder;
  private readonly secret: string;
  private readonly shell: ShellRoutes;
  private readonly onFault: (sentence: string) => void;

  constructor(folder: LiveFolder, secret: string, onFault: (sentence: string) => void) {
    this.folder = folder;
    this.secret = secret;
    this.shell = new ShellRoutes(folder);
    this.onFault = onFault;
  }

  /** Answers a request. Never rejects. */
  async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = "" } = request;
    const isPreview = url.startsWith(previewPath);
    try {
      const answer = await this.answer(request, url).catch((error) => this.onFailure(error));
      if (!response.destroyed) writeAnswer(response, answer, isPreview ? open : closed);
    } catch (error) {
      this.onFault(faultSentence(error));
      response.destroy();
    }
  }

  private async answer(request: IncomingMessage, url: string): Promise<Answer> {
    const [path = "", ...search] = url.split("?");
    const query = search.join("?");
    if (path.startsWith(previewPath)) return this.preview(request, path, query);
    for (const [prefix, files] of staticFiles)
      if (path.startsWith(prefix)) {
        allow(request, ["GET"]);
        return files.answer({ headers: readHeaders(request) }, path.slice(prefix.length));
      }
    const [, secret = "", ...rest] = path.split("/");
    if (rest.length === 0 || !isEqual(secret, this.secret))
      throw new RefusalError({ code: "not_found", detail: unknownPath });
    return this.shell.answer(request, rest.join("/"));
  }

  private async preview(request: IncomingMessage, path: string, query: string): Promise<Answer> {
    allow(request, ["GET"]);
    const end = path.indexOf("/", previewPath.length) + 1;
    const preview = this.folder.previewAt(path.slice(0, end));
    if (preview === undefined) throw new RefusalError({ code: "not_found" });
    const headers = readHeaders(request);
    return answerPreview({
      preview,
      request: { headers, query },
      rest: path.slice(end),
      origin: `http://${headers["host"]}`,
      onFault: (_place, error) => this.onFault(faultSentence(error)),
    });
  }

  private onFailure(error: unknown): Answer {
    if (error instanceof RefusalError) return refusal(error);
    const detail = faultSentence(error);
    if (error instanceof PortError)
      return refusal(new RefusalError({ code: "unavailable", retryAfterSeconds: 1, detail }));
    this.onFault(detail);
    return json(500, { title: "Internal Error", status: 500, detail });
  }
}

const previewPath = "/preview/";
const unknownPath = "Open the address that klieg preview printed.";
const foreignHost = new RefusalError({
  code: "forbidden",
  detail: "The Host header does not name this machine.",
});

const noSniff = constantHeader("X-Content-Type-Options", "nosniff");
const noStore = constantHeader("Cache-Control", "no-store");
const open: readonly Header[] = [
  noSniff,
  noStore,
  constantHeader("Access-Control-Allow-Origin", "*"),
];
const closed: readonly Header[] = [
  noSniff,
  noStore,
  constantHeader("Cross-Origin-Resource-Policy", "same-origin"),
  constantHeader("Cross-Origin-Opener-Policy", "same-origin"),
  constantHeader("X-Frame-Options", "DENY"),
];

function refusal({ refusal }: RefusalError): Answer {
  const { status, title, code, detail, headers } = buildProblem(refusal);
  return json(status, { title, status, code, detail }, headers);
}

/** Returns each header once, in the form in which routes read them. */
function readHeaders({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().at(-1)]),
  );
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
