/** Renders: the calls of the contract, waiting for a film, and following a render's events. */
import { type CallOptions, segment } from "./caller.ts";
import { follow } from "./follow.ts";
import type { ReconnectFrame, Render, RenderFrame } from "./generated/models.ts";
import { RendersCalls } from "./generated/renders-calls.ts";
import { KliegError } from "./problem.ts";
import { pause } from "./retry.ts";

/** A change of a render; the last one is `complete`. */
export type RenderEvent = Exclude<RenderFrame, ReconnectFrame>;

/** Delay between two reads of a render whose stream is not available. */
const betweenReadsMs = 1_000;

export class Renders extends RendersCalls {
  /** Returns the render once it has succeeded; a failed one throws `job_failed`. */
  async wait(id: string, options: CallOptions = {}): Promise<Render> {
    for await (const event of this.stream(id, options)) if (event.event === "complete") break;
    const render = await this.get(id, options);
    if (render.status === "succeeded") return render;
    throw new KliegError(render.error ?? "The render failed.", {
      status: 502,
      code: "job_failed",
      problem: { render_id: id },
    });
  }

  /** Yields the render's events, from its current state to its end. */
  stream(id: string, options: CallOptions = {}): AsyncGenerator<RenderEvent> {
    const lookAgain = async (hasStream: boolean) => {
      if (!hasStream) await pause(betweenReadsMs, options.signal);
      return toEvent(await this.get(id, options));
    };
    return follow<RenderEvent>({
      caller: this.caller,
      ticketPath: `/renders/${segment(id)}/sse-ticket`,
      streamPath: `/renders/${segment(id)}/sse`,
      lookAgain,
      signal: options.signal,
    });
  }
}

/** Converts a render that was read to the event that a stream would have sent. */
function toEvent({ status, progress, warnings, error }: Render): RenderEvent {
  if (status === "succeeded" || status === "failed")
    return { event: "complete", data: { status, warnings, ...(error && { error }) } };
  return { event: "status", data: { status, ...(typeof progress === "number" && { progress }) } };
}
