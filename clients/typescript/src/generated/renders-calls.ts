/** Written by clients/generator from the published contract; do not edit it. */
import { segment, type CallOptions, type Caller, type SubmitOptions } from "../caller.ts";
import type { BlocksRequest, Render, SseTicket } from "./models.ts";

export class RendersCalls {
  protected readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  /** Read a render. */
  get(id: string, options: CallOptions = {}): Promise<Render> {
    return this.caller.json<Render>(
      { method: "GET", path: `/renders/${segment(id)}`, isRepeatable: true },
      options,
    );
  }

  /** Cancel a render. */
  cancel(id: string, options: CallOptions = {}): Promise<Render> {
    return this.caller.json<Render>(
      { method: "POST", path: `/renders/${segment(id)}/cancel`, isRepeatable: true },
      options,
    );
  }

  /** Put clips and narrations one after the other into a film. */
  blocks(request: BlocksRequest, options: SubmitOptions = {}): Promise<Render> {
    return this.caller.json<Render>(
      {
        method: "POST",
        path: "/renders/blocks",
        body: request,
        isRepeatable: true,
        earlier: "renders",
      },
      options,
    );
  }

  /** Mint a ticket for one event stream of a render. */
  ticket(id: string, options: CallOptions = {}): Promise<SseTicket> {
    return this.caller.json<SseTicket>(
      { method: "POST", path: `/renders/${segment(id)}/sse-ticket`, isRepeatable: true },
      options,
    );
  }
}
