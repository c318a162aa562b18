import { realpath } from "node:fs/promises";
import type { Test } from "tap";
import { checkTexts } from "../../cli/preview/check-texts.ts";
import { LiveFolder, type Ports } from "../../cli/preview/live-folder.ts";
import { openPreviewServer } from "../../cli/preview/preview-server.ts";
import { previewPage } from "../../film/preview/preview-page.ts";

/** Ports that do all work in the calling thread. */
export const ports: Ports = { check: async (texts) => checkTexts(texts), writePage: previewPage };

export const root = (inner: string) =>
  `<div data-composition-id="m" data-width="320" data-height="180" data-duration="2"
    style="background:#fff">${inner}</div>`;

/** Opens a folder as `klieg preview` serves it, and collects faults of the process. */
export async function openFolder(t: Test, path: string) {
  const faults: string[] = [];
  const folder = await LiveFolder.open(await realpath(path), ports);
  const server = await openPreviewServer(folder, 0, (fault) => faults.push(fault));
  t.teardown(() => {
    server.close();
    folder.close();
  });
  const { origin, port } = new URL(server.url);
  return { folder, url: server.url, origin, port: Number(port), faults };
}

export interface Told {
  readonly name: string;
  readonly revision: number;
  readonly preview: string | null;
  readonly faults: readonly string[];
}

/** Events that the page receives, in order. */
export class Events {
  private readonly told: Told[] = [];
  private wake = () => {};

  static async open(t: Test, url: string): Promise<Events> {
    const events = new Events();
    const ending = new AbortController();
    t.teardown(() => ending.abort());
    const { body } = await fetch(`${url}events`, { signal: ending.signal });
    if (body !== null) events.read(body).catch(() => events.wake());
    return events;
  }

  /** Returns the first event that matches and drops those before it. */
  async next(isWanted: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const found = this.told.shift();
      if (found !== undefined && isWanted(found)) return found;
      if (found === undefined)
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }

  /** Events received but not yet looked at. */
  get left(): readonly Told[] {
    return this.told;
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = "";
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames)
        if (frame.startsWith("data: ")) this.told.push(JSON.parse(frame.slice(6)));
      this.wake();
    }
  }
}
