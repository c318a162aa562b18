/**
 * What an owner of a shard in quorum mode knows of copies: a record is safe when one other member
 * has it on its disk, so that it is on two.
 *
 * Who puts a lost log together again asks all members but one, and at least most of them; of two
 * copies one is then among those asked. Members only ever come, and a new one counts from the
 * moment when as many of those before know of it as could not be left out of such a question.
 */
import type { Owner } from "./flush.ts";
import { Members } from "./members.ts";
import { countMembersNeeded } from "./standbys.ts";

export class Quorum extends Members {
  /** The members who must learn of `members`, until enough of them have. */
  private before: { readonly members: readonly string[]; readonly seq: number } | undefined;

  override wrote(owner: Owner, seq: number): void {
    const before = this.areKnown() ? this.members : (this.before?.members ?? []);
    this.before = { members: before, seq };
    super.wrote(owner, seq);
  }

  override isSafe(seq: number): boolean {
    const { node } = this.owner;
    const { copies } = this;
    if (!this.areKnown()) return false;
    return this.members.some((member) => member !== node && (copies.get(member) ?? 0) >= seq);
  }

  override isReadable(seq: number): boolean {
    const { members } = this;
    const isEachAsked = countMembersNeeded({ members, isQuorum: true }) >= members.length;
    return isEachAsked || this.isSafe(seq);
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
}
