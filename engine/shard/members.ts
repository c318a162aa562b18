/**
 * Members of a shard's epoch, as its owner keeps them in its row: the nodes that may own the shard
 * next. When there is no owner, enough of them have to be reached to find the last record.
 */
import type { Owner } from "./flush.ts";
import type { Standbys } from "./standbys.ts";

export class Members {
  protected readonly owner: Owner;
  protected members: readonly string[];
  private readonly standbys: Standbys;

  /** `members` are those of the previous epoch. */
  constructor(owner: Owner, members: readonly string[], standbys: Standbys) {
    this.owner = owner;
    this.members = members;
    this.standbys = standbys;
  }

  /** The owner's row, with new standbys as members; undefined when there are none. */
  get ownerWithNewcomers(): Owner | undefined {
    const newcomers = [...this.copies.keys()].filter((node) => !this.members.includes(node));
    if (newcomers.length === 0) return undefined;
    return { ...this.owner, members: [...this.members, ...newcomers].sort() };
  }

  /** Notes that the record `seq` names the owner with these members. */
  wrote({ members }: Owner, _seq: number): void {
    this.members = members;
  }

  /** Whether all up to `seq` are on as many members' disks as is promised, the owner's included. */
  isSafe(_seq: number): boolean {
    return true;
  }

  /**
   * Whether rows of the records up to `seq` may be read: no other node can own the shard without
   * these records.
   */
  isReadable(_seq: number): boolean {
    return true;
  }

  /** Resolves when a standby announces its position, or after `ms` at the latest. */
  next(ms: number): Promise<void> {
    return this.standbys.next(ms);
  }

  /** By node, how far each standby has followed this owner. */
  protected get copies(): ReadonlyMap<string, number> {
    return this.standbys.seqsIn(this.owner.nonce);
  }
}
