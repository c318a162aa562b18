/**
 * Helper nodes: they make parts of a task which another node leads. All of it is volatile and ends
 * with the lead's lease; the task's job knows nothing of it. Called by the broker.
 *
 *   a part:    free --take--> taken --made--> made
 *                ^----------------'  its member is gone
 *   a member:  leased --finished, silent, a dead node, the lead's end--> gone
 *
 * 1. A part has one taker at a time, and is made once: messages of a member that is gone are
 *    ignored.
 * 2. A node helps with a task once, so one that fails is not asked again; the lead's own node
 *    never.
 * 3. A `take` is answered when a part is free or all are made; one of a member that is gone never.
 */
import { limits } from "../config/limits.ts";
import type { Clock } from "../engine/ports/clock.ts";
import { volatileRoot } from "../engine/ports/objects.ts";
import type { FromNode, HelperTask, NodeConnection } from "../engine/ports/tasks.ts";
import type { TaskObjects } from "./task-objects.ts";

export interface HelperPorts {
  readonly clock: Clock;
  readonly mintToken: () => string;
}

/** What this module needs to know of a farm node. */
export interface HelperNode {
  readonly connection: NodeConnection;
  readonly kinds: readonly string[];
  /** Leases that the node may still take. */
  free: number;
}

interface Split {
  /** Name and node of the member that split the task. */
  readonly lead: Pick<Member, "name" | "node">;
  readonly helpers: HelperTask;
  /** Objects that the helper nodes may access. */
  readonly objects: TaskObjects;
  readonly parts: number;
  /** Numbers of free parts, in the order in which they should be made. */
  readonly free: number[];
  readonly takersByPart: Map<number, Member>;
  /** Members that asked for a part and wait for a free one. */
  readonly waiting: Member[];
  /** Nodes that have joined, whether they are still members or not. */
  readonly asked: Set<HelperNode>;
  madeCount: number;
}

/** A maker of parts of a split task: the lead, or a node that was leased its helper task. */
interface Member {
  readonly name: string;
  readonly node: HelperNode;
  readonly split: Split;
  readonly isLead: boolean;
  lastSeenMs: number;
}

type SplitMessage = Extract<FromNode, { readonly kind: "split" }>;

export class FarmHelpers {
  private readonly ports: HelperPorts;
  private readonly splitsByToken = new Map<string, Split>();
  private readonly members = new Map<string, Member>();

  constructor(ports: HelperPorts) {
    this.ports = ports;
  }

  /**
   * Splits the task that `node` has under `token` into parts. Helper nodes may store their results
   * only where the lead may; a split that says otherwise is ignored.
   */
  split(
    node: HelperNode,
    { token, member, parts, helpers }: SplitMessage,
    leadObjects: TaskObjects,
  ): void {
    this.disband(token);
    const { outputPrefix } = helpers;
    if (!outputPrefix.startsWith(`${volatileRoot}/${leadObjects.outputPrefix}/`)) return;
    const split: Split = {
      objects: leadObjects.below(outputPrefix),
      lead: { name: member, node },
      helpers,
      parts,
      free: Array.from({ length: parts }, (_, part) => part),
      takersByPart: new Map(),
      waiting: [],
      asked: new Set([node]),
      madeCount: 0,
    };
    this.members.set(member, { name: member, node, split, isLead: true, lastSeenMs: 0 });
    this.splitsByToken.set(token, split);
  }

  /** Lets idle nodes join tasks that have free parts. */
  recruit(idle: Iterable<HelperNode>): void {
    for (const node of idle) {
      const split = [...this.splitsByToken.values()].find(
        ({ free, helpers, asked }) =>
          free.length > 0 && node.kinds.includes(helpers.kind) && !asked.has(node),
      );
      if (split === undefined) continue;
      const token = this.ports.mintToken();
      const lastSeenMs = this.ports.clock.monotonicMs();
      split.asked.add(node);
      node.free--;
      this.members.set(token, { name: token, node, split, isLead: false, lastSeenMs });
      node.connection.send({ kind: "lease", task: { ...split.helpers, token } });
    }
  }

  take(name: string): void {
    const member = this.members.get(name);
    if (member === undefined) return;
    member.split.waiting.push(member);
    this.hand(member.split);
  }

  onPart(name: string, part: number, result: unknown): void {
    const member = this.members.get(name);
    if (member === undefined) return;
    const { split, isLead } = member;
    if (split.takersByPart.get(part) !== member) return;
    split.takersByPart.delete(part);
    split.madeCount++;
    const { lead } = split;
    if (!isLead) lead.node.connection.send({ kind: "made", member: lead.name, part, result });
    this.hand(split);
  }

  /** Returns undefined unless a member of that name joined from this connection. */
  listObjects(name: string, connection: NodeConnection): TaskObjects | undefined {
    const member = this.members.get(name);
    const isTheirs = member?.isLead === false && member.node.connection === connection;
    return isTheirs ? member.split.objects : undefined;
  }

  /** Records that a member is alive. */
  heartbeat(token: string): void {
    const member = this.members.get(token);
    if (member !== undefined) member.lastSeenMs = this.ports.clock.monotonicMs();
  }

  /** Ends a helper task: the part that it took and did not make is free again. */
  finishPart(token: string): void {
    const member = this.members.get(token);
    if (member?.isLead === false) this.remove(member);
  }

  /** Ends a split when the lead's lease ends or its task is split anew. False without a split. */
  disband(token: string): boolean {
    const split = this.splitsByToken.get(token);
    if (split === undefined) return false;
    this.splitsByToken.delete(token);
    for (const member of this.members.values()) {
      if (member.split !== split) continue;
      this.members.delete(member.name);
      if (member.isLead) continue;
      member.node.free++;
      member.node.connection.send({ kind: "cancel", token: member.name });
    }
    return true;
  }

  /** Removes the members of a dead node; the broker ends the leases of tasks that it led. */
  lose(node: HelperNode): void {
    for (const member of this.members.values())
      if (member.node === node && !member.isLead) this.remove(member);
  }

  /** Removes members that were silent for too long. */
  watch(): void {
    const nowMs = this.ports.clock.monotonicMs();
    const oldestMs = nowMs - limits.farm.leaseMs;
    for (const member of this.members.values()) {
      if (!member.node.connection.isAudible()) member.lastSeenMs = nowMs;
      if (member.isLead || member.lastSeenMs >= oldestMs) continue;
      this.remove(member);
      member.node.connection.send({ kind: "cancel", token: member.name });
    }
  }

  private remove(member: Member): void {
    const { split, node, name } = member;
    this.members.delete(name);
    node.free++;
    split.waiting.splice(0, split.waiting.length, ...split.waiting.filter((one) => one !== member));
    for (const [part, taker] of split.takersByPart) {
      if (taker !== member) continue;
      split.takersByPart.delete(part);
      split.free.unshift(part);
    }
    this.hand(split);
  }

  /** Gives free parts to waiting members, or null once all parts are made. */
  private hand(split: Split): void {
    const { free, waiting, takersByPart } = split;
    const isMade = split.madeCount === split.parts;
    while (waiting.length > 0 && (isMade || free.length > 0)) {
      const member = waiting.shift();
      const part = free.shift();
      if (member === undefined) return;
      if (part !== undefined) takersByPart.set(part, member);
      const { name, node } = member;
      node.connection.send({ kind: "part", member: name, part: part ?? null });
    }
  }
}
