/**
 * A render's life as server-sent events, as a job's: `status` at once and at every change, one
 * `complete`, then the end (I11).
 */
import type { Render } from "../actors/render/render.ts";
import { assetKey, renderKey } from "../actors/tables.ts";
import type { Reader } from "../actors/ticket/ticket.ts";
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Answer, Sink } from "./answer.ts";
import { Frames, frameHeaders } from "./frames.ts";
import { RefusalError } from "./refusal-error.ts";
import { renderText } from "./renders.ts";
import type { Call } from "./route.ts";
import type { Service } from "./service.ts";

/** Throws `RefusalError` with 503 when the account has too many streams open. */
export function renderStream(
  { service, request }: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const render = service.gateway.read(renderKey(id));
  if (render === undefined || request.isGone()) throw new RefusalError({ code: "not_found" });
  if (!service.following.enter("stream", render.scope, limits.jobs.streamsMax))
    throw new RefusalError({
      code: "unavailable",
      retryAfterSeconds: limits.http.retryAfterSeconds,
      detail: `At most ${limits.jobs.streamsMax} streams of one account are open at once.`,
    });
  const start = (sink: Sink) => new RenderStream(service, render, sink).open(reader);
  return { status: 200, headers: frameHeaders, body: { length: undefined, start } };
}

class RenderStream {
  private readonly service: Service;
  private readonly frames: Frames;
  private shown: Render;
  private stopProgress: (() => void) | undefined;

  constructor(service: Service, render: Render, sink: Sink) {
    this.service = service;
    this.shown = render;
    this.frames = new Frames(sink);
  }

  /** Returns what to call when the client has gone. */
  open(reader: Reader | undefined): () => void {
    const { following, gateway, clock } = this.service;
    const { frames } = this;
    const { id, scope } = this.shown;
    frames.open(following, clock);
    frames.whileReadable(following, reader);
    frames.until(() => following.leave("stream", scope));
    frames.until(gateway.watch(renderKey(id), () => this.look()));
    frames.until(() => this.stopProgress?.());
    this.shown = gateway.read(renderKey(id)) ?? this.shown;
    this.status();
    if (isOver(this.shown)) this.complete();
    return () => frames.close();
  }

  private look(): void {
    const before = this.shown;
    const render = this.service.gateway.read(renderKey(before.id));
    if (this.frames.isClosed || render === undefined || render.version <= before.version) return;
    if (isOver(render)) {
      this.shown = render;
      this.complete();
    } else if (render.phase !== before.phase) {
      this.shown = render;
      this.status();
    } else this.later();
  }

  /** Progress alone: one frame for all that comes within the interval. */
  private later(): void {
    this.stopProgress ??= this.service.clock.after(limits.http.progressFrameMs, () => {
      this.stopProgress = undefined;
      const render = this.service.gateway.read(renderKey(this.shown.id));
      if (render === undefined || isOver(render) || this.frames.isClosed) return;
      this.shown = render;
      this.status();
    });
  }

  private status(): void {
    const { status, progress } = renderText(this.service, this.shown).view;
    this.frames.say("status", { status, progress: progress ?? undefined }, this.place);
  }

  private complete(): void {
    const { service, shown } = this;
    const { status, error, warnings } = renderText(service, shown).view;
    const asset =
      shown.phase === "succeeded"
        ? service.gateway.read(assetKey(shown.scope, shown.asset))
        : undefined;
    const url = asset && service.jobs.assetView(asset).signed_url;
    const outcome = { status, asset_url: url, error: error ?? undefined, warnings };
    this.frames.last("complete", outcome, this.place);
  }

  private get place(): string {
    return `${this.shown.id}:${this.shown.version}`;
  }
}

function isOver({ phase }: Render): boolean {
  return phase === "succeeded" || phase === "failed";
}
