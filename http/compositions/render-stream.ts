/** Streams the states of a render as server-sent events. */
import { assetKey } from "../../actors/protocol/asset.ts";
import { type Render, renderKey } from "../../actors/protocol/render.ts";
import type { Reader } from "../../actors/protocol/ticket.ts";
import type { Render as RenderView } from "../../contract/render.ts";
import type { Id } from "../../engine/id.ts";
import type { Answer } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import { eventStream } from "../streams/sse-connection.ts";
import { type StreamedState, streamStates } from "../streams/state-stream.ts";
import { renderText } from "./renders.ts";

/** Throws `RefusalError`: 404 when there is no render, 503 when too many streams are open. */
export function renderStream(
  call: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const { service } = call;
  const { scope } = requireFound(service.gateway.read(renderKey(id)));
  return eventStream(call, scope, reader, (frames) =>
    streamStates(service, streamRender(service, id), frames),
  );
}

function streamRender(service: Service, id: Id): StreamedState<Render> {
  return {
    key: renderKey(id),
    getVersion: ({ version }) => version,
    compare: (render, shown) =>
      render.phase === shown.phase && !isOver(render) ? "progress" : "change",
    view(render) {
      const { view } = renderText(service, render);
      return {
        place: `${id}:${render.version}`,
        status: { status: view.status, progress: view.progress ?? undefined },
        outcome: isOver(render) ? buildOutcomeFrame(service, render, view) : undefined,
      };
    },
  };
}

/** Builds the data of the stream's only terminal frame. */
function buildOutcomeFrame(
  service: Service,
  render: Render,
  { status, error, warnings }: RenderView,
) {
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
