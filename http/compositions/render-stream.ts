/**
 * A render's life as server-sent events, as a job's: `status` at once and at every change, one
 * `complete`, then the end (I11).
 */
import { assetKey } from "../../actors/asset/asset.ts";
import type { Render as RenderView } from "../../actors/contract/render.ts";
import { type Render, renderKey } from "../../actors/render/render.ts";
import type { Reader } from "../../actors/ticket/ticket.ts";
import { limits } from "../../config/limits.ts";
import type { Id } from "../../engine/id.ts";
import { found } from "../problems/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import type { Answer } from "../transport/answer.ts";
import { eventStream, type Frames } from "../transport/sse-connection.ts";
import { renderText } from "./renders.ts";

/** Throws `RefusalError`: 404 when there is none, 503 when too many streams are open. */
export function renderStream(
  call: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const { service } = call;
  const { scope } = found(service.gateway.read(renderKey(id)));
  return eventStream(call, scope, reader, (frames) => new RenderStream(service, id, frames).open());
}

class RenderStream {
  private readonly service: Service;
  private readonly frames: Frames;
  private readonly id: Id;
  private shown: Render | undefined;
  private stopProgress: (() => void) | undefined;

  constructor(service: Service, id: Id, frames: Frames) {
    this.service = service;
    this.id = id;
    this.frames = frames;
  }

  open(): void {
    const look = () => this.look();
    const { gateway } = this.service;
    this.frames.until(gateway.watch(renderKey(this.id), look));
    this.frames.until(() => this.stopProgress?.());
    gateway.look(look);
  }

  /** All rows are read before anything is sent, so that an interrupted look can be repeated. */
  private look(isProgressDue = false): void {
    const { frames, shown, service } = this;
    if (frames.isClosed) return;
    const render = service.gateway.read(renderKey(this.id));
    if (render === undefined) {
      frames.end();
      return;
    }
    if (shown !== undefined && render.version <= shown.version) return;
    const isProgress = shown !== undefined && render.phase === shown.phase && !isOver(render);
    if (isProgress && !isProgressDue) {
      this.later();
      return;
    }
    const { view } = renderText(service, render);
    const outcome = isOver(render) ? outcomeOf(service, render, view) : undefined;
    this.shown = render;
    const place = `${render.id}:${render.version}`;
    if (shown === undefined || outcome === undefined)
      frames.say("status", { status: view.status, progress: view.progress ?? undefined }, place);
    if (outcome !== undefined) frames.last("complete", outcome, place);
  }

  /** Progress alone: one frame for all that comes within the interval. */
  private later(): void {
    const { clock, gateway } = this.service;
    this.stopProgress ??= clock.after(limits.http.progressFrameMs, () => {
      this.stopProgress = undefined;
      gateway.look(() => this.look(true));
    });
  }
}

/** The data of the one terminal frame. */
function outcomeOf(service: Service, render: Render, { status, error, warnings }: RenderView) {
  const asset =
    render.phase === "succeeded"
      ? service.gateway.read(assetKey(render.scope, render.asset))
      : undefined;
  const url = asset && service.jobs.assetView(asset).signed_url;
  return { status, asset_url: url, error: error ?? undefined, warnings };
}

function isOver({ phase }: Render): boolean {
  return phase === "succeeded" || phase === "failed";
}
