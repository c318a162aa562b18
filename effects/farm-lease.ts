/** A task's lease and the farm node that has it. */
import type { NodeConnection } from "../engine/ports/tasks.ts";
import type { WaitingTask } from "./farm-queue.ts";
import type { TaskObjects } from "./task-objects.ts";

export interface Lease extends WaitingTask {
  readonly token: string;
  readonly node: Node;
  readonly objects: TaskObjects;
  /** Wall-clock time at which the lease was claimed. */
  readonly claimedAtMs: number;
  lastSeenMs: number;
  notifiedMs: number;
  isDurable: boolean;
  progress: number;
  /** Latest preview of the task's result: a JPEG in base64. */
  thumbnail: string | undefined;
}

export interface Node {
  readonly connection: NodeConnection;
  readonly joinedAtMs: number;
  /** Name of the node, unknown until its hello. */
  name: string | undefined;
  version: string | undefined;
  kinds: readonly string[];
  slots: number;
  /** Maximum leases of the node; below its slots when other services use some of them. */
  capacity: number;
  /** Capacity without a lease; below 0 while the node has more leases than capacity. */
  free: number;
}
