import { type CallOptions, segment } from "./caller.ts";
import { follow } from "./follow.ts";
import { AgentsCalls } from "./generated/agents-calls.ts";
import type { ReconnectFrame, SessionFrame } from "./generated/models.ts";
import { pause } from "./retry.ts";

/** An event of a session; the last one is `complete`. */
export type SessionEvent = Exclude<SessionFrame, ReconnectFrame>;

/** Pause between reads of a session whose stream is not available. */
const betweenReadsMs = 1_000;

/** Agents' sessions and turns, and a way to follow a running turn. */
export class Agents extends AgentsCalls {
  /** Yields the events of the session's running turn, until its end. */
  stream(id: string, options: CallOptions = {}): AsyncGenerator<SessionEvent> {
    return follow<SessionEvent>({
      caller: this.caller,
      ticketPath: `/agent/sessions/${segment(id)}/events-ticket`,
      streamPath: `/agent/sessions/${segment(id)}/events`,
      lookAgain: async (hasStream) => {
        if (!hasStream) await pause(betweenReadsMs, options.signal);
        const { current_turn: running, turns = [] } = await this.getSession(id, options);
        const turn = running ?? turns[0];
        if (turn === undefined) return { event: "complete", data: { status: "finished" } };
        const data = { turn_id: turn.id, status: turn.status };
        return { event: turn.status === "running" ? "turn" : "complete", data };
      },
      signal: options.signal,
    });
  }
}
