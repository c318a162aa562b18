/**
 * Requests of the page around a preview: the page itself, what is shown now, the timeline, and the
 * edits. All are below a path that only this page knows; the composition in its frame does not know
 * it.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { basename } from "node:path";
import { timelineView } from "../../actors/composition/composition-view.ts";
import { limits } from "../../config/limits.ts";
import { appPage } from "../../http/console/app-page.ts";
import { type Answer, json, noContent, type Sink } from "../../http/exchange/answer.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { StaticFiles } from "../../http/look/static-files.ts";
import { isOfOwnPage } from "../loopback/loopback.ts";
import { EditsFile } from "./edits-file.ts";
import { faultSentence } from "./faults.ts";
import type { FolderSource } from "./folder-source.ts";
import type { LiveFolder } from "./live-folder.ts";

export const appFilesPath = "/folder-files/";

/** Build output of `console/folder`. */
export const appFiles = new StaticFiles(
  new URL("../../console/folder/public/", import.meta.url),
  appFilesPath,
  "hashed",
);

/** State that is sent to the page whenever it changes. */
interface Told {
  readonly name: string;
  /** Revision of the folder, which changes when its files do. */
  readonly revision: number;
  /** Path of the preview's page, or null while there is none. */
  readonly preview: string | null;
  /** Why there is no preview, as sentences. */
  readonly faults: readonly string[];
}

/** Interval of keep-alive messages, by which a lost connection is noticed. */
const beatMs = 15_000;
const unreadBytesMax = 64 * 1024;

export class ShellRoutes {
  private readonly folder: LiveFolder;
  private readonly edits: EditsFile;

  constructor(folder: LiveFolder) {
    this.folder = folder;
    this.edits = new EditsFile(folder.root);
  }

  /** Answers a request; `path` is relative to the page's own. Throws `RefusalError`. */
  async answer(request: IncomingMessage, path: string): Promise<Answer> {
    switch (path) {
      case "":
        allow(request, ["GET"]);
        return this.page();
      case "events":
        allow(request, ["GET"]);
        return this.events();
      case "timeline":
        allow(request, ["GET"]);
        return this.timeline();
      case "edits":
        allow(request, ["GET", "PUT", "DELETE"]);
        return request.method === "GET" ? this.readEdits() : this.saveEdits(request);
      default:
        throw new RefusalError({ code: "not_found" });
    }
  }

  private page(): Answer {
    return appPage({
      title: `${basename(this.folder.root)} - Klieg`,
      id: "folder",
      script: appFiles.path("main.js"),
      nonce: randomBytes(16).toString("base64url"),
      withoutScripts: "The preview needs JavaScript; klieg render makes the film without it.",
      policy: ["connect-src 'self'", "img-src 'self'", "frame-src 'self'"],
    });
  }

  private events(): Answer {
    const headers = [["Content-Type", "text/event-stream; charset=utf-8"]] as const;
    return { status: 200, headers, body: { length: undefined, start: (sink) => this.tell(sink) } };
  }

  private tell(sink: Sink): () => void {
    const send = (text: string) => {
      if (sink.unsent() > unreadBytesMax) sink.abort();
      else sink.write(text);
    };
    const show = async () => send(`data: ${JSON.stringify(await this.readTold())}\n\n`);
    const stop = this.folder.onChange(() => void show());
    const beat = setInterval(() => send(":\n\n"), beatMs);
    // The folder may have changed before the first watcher was set up, so it is read again.
    void this.folder.refresh().then(show);
    return () => {
      clearInterval(beat);
      stop();
    };
  }

  private async readTold(): Promise<Told> {
    const { root, revision, shown } = this.folder;
    const known = { name: basename(root), revision };
    if (shown.kind === "fault") return { ...known, preview: null, faults: [shown.fault] };
    const faults = await listFaults(shown.source);
    const preview = faults.length === 0 ? `${shown.preview.base}index.html` : null;
    return { ...known, preview, faults };
  }

  private async timeline(): Promise<Answer> {
    const { shown } = this.folder;
    if (shown.kind === "fault") throw new RefusalError({ code: "not_found", detail: shown.fault });
    return json(200, timelineView(await shown.source.timeline()));
  }

  private async readEdits(): Promise<Answer> {
    const edits = await this.edits.read();
    return edits === undefined ? noContent() : json(200, edits);
  }

  /** Saves the edits; answers once the preview has them too. */
  private async saveEdits(request: IncomingMessage): Promise<Answer> {
    if (!isOfOwnPage(request))
      throw new RefusalError({
        code: "forbidden",
        detail: "The Origin header names another origin.",
      });
    const text = request.method === "PUT" ? await readBody(request) : undefined;
    const etag = await this.edits.save(text, {
      match: request.headers["if-match"],
      noneMatch: request.headers["if-none-match"],
    });
    await this.folder.refresh();
    return etag === undefined ? noContent() : json(200, { etag });
  }
}

/** Returns why the folder cannot be rendered, in the words of `klieg lint`. */
async function listFaults(source: FolderSource): Promise<readonly string[]> {
  try {
    const { diagnostics } = await source.timeline();
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    return errors.map(({ message }) => message);
  } catch (error) {
    return [faultSentence(error)];
  }
}

/** Throws `RefusalError` with status 405 unless the method is allowed. */
export function allow({ method = "" }: IncomingMessage, methods: readonly string[]): void {
  if (!methods.includes(method))
    throw new RefusalError({ code: "method_not_allowed", allow: methods.join(", ") });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const { textBytesMax } = limits.compositions;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > textBytesMax)
      throw new RefusalError({ code: "payload_too_large", limitBytes: textBytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
