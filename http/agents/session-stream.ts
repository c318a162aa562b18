/**
 * Streams an agent's session as server-sent events: its running turn, that turn's jobs and their
 * cost, until the turn ends.
 */

import { jobKey } from "../../actors/protocol/job.ts";
import { type LastTurn, type Session, sessionKey } from "../../actors/protocol/session.ts";
import type { Reader } from "../../actors/protocol/ticket.ts";
import type { Id } from "../../engine/id.ts";
import type { Answer } from "../exchange/answer.ts";
import { requireFound } from "../exchange/refusal-error.ts";
import type { Call } from "../route.ts";
import type { Service } from "../service.ts";
import { eventStream, type Frames } from "../streams/sse-connection.ts";

/** Throws `RefusalError`: 404 when there is no session, 503 when too many streams are open. */
export function sessionStream(
  call: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const { service } = call;
  const session = requireFound(service.gateway.read(sessionKey(id)));
  return eventStream(call, session.scope, reader, (frames) =>
    new SessionStream(service, session, frames).open(),
  );
}

class SessionStream {
  private readonly service: Service;
  private readonly session: Session;
  private readonly frames: Frames;
  private readonly followed = new Set<Id>();
  private shown: LastTurn | undefined;

  constructor(service: Service, session: Session, frames: Frames) {
    this.service = service;
    this.session = session;
    this.frames = frames;
  }

  open(): void {
    const look = () => this.look();
    const { gateway } = this.service;
    this.frames.until(gateway.watch(sessionKey(this.session.id), look));
    gateway.look(look);
  }

  private look(): void {
    const { frames } = this;
    if (frames.isClosed) return;
    const session = this.service.gateway.read(sessionKey(this.session.id));
    if (session === undefined) frames.last("complete", { status: "stopped" });
    const last = session?.last;
    if (last === undefined) return;
    const before = this.shown?.turn === last.turn ? this.shown : undefined;
    this.shown = last;
    const { turn, status, committed, ceiling } = last;
    if (before?.status !== status) frames.say("turn", { turn_id: turn, status });
    if (before?.committed !== committed || before.ceiling !== ceiling)
      frames.say("spend", { credits_committed: committed, credit_ceiling: ceiling });
    for (const job of last.recentJobs) this.follow(job);
    if (status !== "running") frames.last("complete", { turn_id: turn, status });
  }

  private follow(job: Id): void {
    if (this.followed.has(job)) return;
    this.followed.add(job);
    const { gateway } = this.service;
    let shown = "";
    const look = () => {
      const phase = gateway.read(jobKey(job))?.phase;
      if (phase === undefined || phase === shown || this.frames.isClosed) return;
      shown = phase;
      this.frames.say("job", { job_id: job, status: phase });
    };
    this.frames.until(gateway.watch(jobKey(job), look));
    gateway.look(look);
  }
}
