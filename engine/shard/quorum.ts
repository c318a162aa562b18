/**
 * What an owner of a shard in quorum mode knows of copies: a record is safe when one other member
 * has it on its disk, so that it is on two.
 *
 * Who puts a lost log together again asks all members but one, and at least most of them; of two
 * copies one is then among those asked. Members only ever come, and a new one counts from the
 * moment when as many of those before know of it as could not be left out of such a question.
 */
import type { Owner } from "./flush.ts";
import { countMembersNeeded, type Standbys } from "./standbys.ts";

export class Quorum {
  private readonly owner: Owner;
  private readonly standbys: Standbys;
  private members: readonly string[];
  /** The members who must learn of `members`, until enough of them have. */
  private before: { readonly members: readonly string[]; readonly seq: number } | undefined;

  /** `members` are those of the previous epoch. */
  constructor(owner: Owner, members: readonly string[], standbys: Standbys) {
    this.owner = owner;
    this.standbys = standbys;
    this.members = members;
  }

  /** The owner's row, with new standbys as members; undefined when there are none. */
  get ownerWithNewcomers(): Owner | undefined {
    const newcomers = [...this.copies.keys()].filter((node) => !this.members.includes(node));
    if (newcomers.length === 0) return undefined;
    return { ...this.owner, members: [...this.members, ...newcomers].sort() };
  }

  /** Notes that the record `seq` names the owner with these members. */
  wrote({ members }: Owner, seq: number): void {
    const before = this.areKnown() ? this.members : (this.before?.members ?? []);
    this.before = { members: before, seq };
    this.members = members;
  }

  /** Whether all up to `seq` are on two members' disks, given that the owner has them. */
  isSafe(seq: number): boolean {
    const { node } = this.owner;
    const { copies } = this;
    if (!this.areKnown()) return false;
    return this.members.some((member) => member !== node && (copies.get(member) ?? 0) >= seq);
  }

  /** Whether enough of the previous members know the current ones. */
  private areKnown(): boolean {
    const { before, copies } = this;
    if (before === undefined) return true;
    const { members, seq } = before;
    const knowing = members.filter(
      (member) => member === this.owner.node || (copies.get(member) ?? 0) >= seq,
    );
    const ignorant = members.length - knowing.length;
    if (ignorant >= countMembersNeeded({ members, isQuorum: true })) return false;
    this.before = undefined;
    return true;
  }

  /** Resolves when a standby announces its position, or after `ms` at the latest. */
  next(ms: number): Promise<void> {
    return this.standbys.next(ms);
  }

  /** By node, how far each standby has followed this owner. */
  private get copies(): ReadonlyMap<string, number> {
    return this.standbys.seqsIn(this.owner.nonce);
  }
}
