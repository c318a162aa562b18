/**
 * An agent's session as server-sent events: its running turn, the jobs of that turn and what they
 * cost, until the turn ends.
 */

import { type LastTurn, type Session, sessionKey } from "../actors/agent/session.ts";
import { jobKey } from "../actors/job/job.ts";
import type { Reader } from "../actors/ticket/ticket.ts";
import { limits } from "../config/limits.ts";
import type { Id } from "../engine/id.ts";
import type { Answer, Sink } from "./answer.ts";
import { Frames, frameHeaders } from "./frames.ts";
import { RefusalError } from "./refusal-error.ts";
import type { Call } from "./route.ts";
import type { Service } from "./service.ts";

/** Throws `RefusalError` with 503 when the account has too many streams open. */
export function sessionStream(
  { service, request }: Call<unknown, unknown>,
  id: Id,
  reader: Reader | undefined,
): Answer {
  const session = service.gateway.read(sessionKey(id));
  if (session === undefined || request.isGone()) throw new RefusalError({ code: "not_found" });
  if (!service.following.enter("stream", session.scope, limits.jobs.streamsMax))
    throw new RefusalError({
      code: "unavailable",
      retryAfterSeconds: limits.http.retryAfterSeconds,
      detail: `At most ${limits.jobs.streamsMax} streams of one account are open at once.`,
    });
  const start = (sink: Sink) => new SessionStream(service, session, sink).open(reader);
  return { status: 200, headers: frameHeaders, body: { length: undefined, start } };
}

class SessionStream {
  private readonly service: Service;
  private readonly session: Session;
  private readonly frames: Frames;
  private readonly followed = new Set<Id>();
  private shown: LastTurn | undefined;

  constructor(service: Service, session: Session, sink: Sink) {
    this.service = service;
    this.session = session;
    this.frames = new Frames(sink);
  }

  /** Returns what to call when the client has gone. */
  open(reader: Reader | undefined): () => void {
    const { following, gateway, clock } = this.service;
    const { frames, session } = this;
    const look = () => this.look();
    frames.open(following, clock);
    frames.whileReadable(following, reader);
    frames.until(() => following.leave("stream", session.scope));
    frames.until(gateway.watch(sessionKey(session.id), look));
    gateway.look(look);
    return () => frames.close();
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
