/**
 * Followers of jobs: waits and event streams, counted by account. Both watch the job's row, so they
 * are notified in the tick in which the shard released a change; for members of organizations they
 * watch the membership too.
 */
import { membershipsKey, organizationKey } from "../../actors/directory/organization.ts";
import { type Job, jobKey } from "../../actors/protocol/job.ts";
import type { Reader } from "../../actors/protocol/ticket.ts";
import type { Gateway } from "../../engine/gateway.ts";
import { type Id, partitionOfId } from "../../engine/id.ts";
import { placeIn } from "../auth/contexts.ts";
import { isPermitted } from "../auth/permissions.ts";

export type FollowKind = "wait" | "stream";

export class Following {
  private readonly gateway: Gateway;
  private readonly openByAccount = new Map<string, number>();
  /** Scope of each follower, by the function that ends it. */
  private readonly endings = new Map<() => void, Id>();

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  /** Returns false when the account has `max` open; otherwise call `leave` once at the end. */
  enter(kind: FollowKind, account: Id, max: number): boolean {
    const name = `${kind} ${account}`;
    const open = this.openByAccount.get(name) ?? 0;
    if (open >= max) return false;
    this.openByAccount.set(name, open + 1);
    return true;
  }

  leave(kind: FollowKind, account: Id): void {
    const name = `${kind} ${account}`;
    const open = (this.openByAccount.get(name) ?? 1) - 1;
    if (open === 0) this.openByAccount.delete(name);
    else this.openByAccount.set(name, open);
  }

  /** Returns the number of open followers of that kind. */
  open(kind: FollowKind): number {
    let open = 0;
    for (const [name, count] of this.openByAccount) if (name.startsWith(`${kind} `)) open += count;
    return open;
  }

  /** Calls `changed` at each change of the job, until the returned function is called. */
  watch(job: Id, changed: (job: Job) => void): () => void {
    const key = jobKey(job);
    return this.gateway.watch(key, () => {
      const head = this.gateway.read(key);
      if (head !== undefined) changed(head);
    });
  }

  /**
   * Calls `end` when the service drains or another node takes over the scope, unless the returned
   * function is called first.
   */
  atDrain(scope: Id, end: () => void): () => void {
    this.endings.set(end, scope);
    return () => this.endings.delete(end);
  }

  mayRead({ user, scope }: Reader): boolean {
    const place = placeIn(this.gateway, user, scope);
    return place !== undefined && isPermitted(place.role, "read");
  }

  /** Calls `end` when the reader is no longer a member, or loses the permission to read. */
  atRemoval(reader: Reader, end: () => void): () => void {
    const look = () => {
      if (!this.mayRead(reader)) end();
    };
    const keys = [membershipsKey(reader.user), organizationKey(reader.scope)];
    const stops = keys.map((key) => this.gateway.watch(key, look));
    return () => {
      for (const stop of stops) stop();
    };
  }

  drain(): void {
    for (const end of [...this.endings.keys()]) end();
  }

  /** Called when another node takes over the shard. */
  drainShard(shard: number): void {
    for (const [end, scope] of [...this.endings])
      if (this.gateway.shardOfPartition(partitionOfId(scope)) === shard) end();
  }
}

/** Whether a job no longer changes: a canceled one once its provider is no longer awaited. */
export function hasEnded(job: Job): boolean {
  return isTerminal(job) && !(job.phase === "canceled" && job.awaits !== undefined);
}

export function isTerminal(job: Job): boolean {
  return job.phase !== "queued" && job.phase !== "running";
}

declare module "../service.ts" {
  interface Service {
    readonly following: Following;
  }
}
