/**
 * Shards of a process that stand still together: each has in its tables what it has decided, and
 * commits nothing. So what a shard has of another was told before, and what it was told and has
 * acknowledged it has: no tell is lost or doubled in what is seen of all of them meanwhile.
 *
 * A shard by itself goes on after twice `holdMs`, whatever becomes of who held it.
 */
import { limits } from "../config/limits.ts";
import type { Clock } from "./ports/clock.ts";
import { PortError } from "./ports/port-error.ts";
import type { ToShardThread } from "./wire.ts";

/** Position of a paused shard's tables: the epoch and sequence number of their last record. */
export interface HeldShard {
  readonly shard: number;
  readonly epoch: number;
  readonly seq: number;
}

/** A shard's thread that can be paused. */
export interface HoldableShard {
  readonly shard: number;
  readonly link: { send(message: ToShardThread): void };
}

interface Hold {
  readonly name: string;
  readonly shards: readonly HoldableShard[];
  readonly beganMs: number;
  isWhole: boolean;
  cancel(): void;
}

interface Wait {
  readonly missing: Set<HoldableShard>;
  readonly held: HeldShard[];
  resolve(held: readonly HeldShard[]): void;
}

export class ShardHolds {
  private readonly clock: Clock;
  private readonly waits = new Map<number, Wait>();
  private numbers = 0;
  private hold: Hold | undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Pauses the shards until `end`, or at most for twice `holdMs`; resolves to their positions when
   * all are paused. Rejects with a retryable `PortError` while another hold is active, or when
   * pausing took too long.
   */
  async begin(name: string, shards: readonly HoldableShard[]): Promise<readonly HeldShard[]> {
    if (this.hold !== undefined) throw new PortError("the shards are being held already", true);
    const cancel = this.clock.after(2 * limits.engine.holdMs, () => this.end(name));
    this.hold = { name, shards, beganMs: this.clock.monotonicMs(), isWhole: true, cancel };
    try {
      return await this.ask(shards, (number) => ({ kind: "hold", number }));
    } catch (error) {
      this.end(name);
      throw error;
    }
  }

  /** Ends the hold; returns whether all shards have been paused until now. */
  end(name: string): boolean {
    const { hold } = this;
    if (hold?.name !== name) return false;
    this.hold = undefined;
    hold.cancel();
    for (const { link } of hold.shards) link.send({ kind: "resume" });
    const heldMs = this.clock.monotonicMs() - hold.beganMs;
    return hold.isWhole && heldMs < 2 * limits.engine.holdMs;
  }

  /**
   * Resolves when the tables of these standbys equal those of the paused owners. Rejects with a
   * retryable `PortError`.
   */
  async reach(standbys: readonly HoldableShard[], owners: readonly HeldShard[]): Promise<void> {
    const bySeq = new Map(owners.map((owner) => [owner.shard, owner]));
    const reached = await this.ask(standbys, (number, { shard }) => ({
      kind: "reach",
      number,
      seq: bySeq.get(shard)?.seq ?? 0,
    }));
    for (const { shard, epoch, seq } of reached) {
      const owner = bySeq.get(shard);
      if (owner?.epoch !== epoch || owner.seq !== seq)
        throw new PortError(`shard ${shard} went on while it was held`, true);
    }
  }

  /** Notes that a shard is paused, or has caught up with a paused owner. */
  confirmHeld(shard: HoldableShard, number: number, position: Omit<HeldShard, "shard">): void {
    const wait = this.waits.get(number);
    if (wait?.missing.delete(shard) !== true) return;
    const { epoch, seq } = position;
    wait.held.push({ shard: shard.shard, epoch, seq });
    if (wait.missing.size === 0) wait.resolve(wait.held);
  }

  /** Notes that a shard's thread is gone, which breaks the hold. */
  onLoss(shard: HoldableShard): void {
    if (this.hold?.shards.includes(shard) === true) this.hold.isWhole = false;
  }

  private ask(
    shards: readonly HoldableShard[],
    question: (number: number, shard: HoldableShard) => ToShardThread,
  ): Promise<readonly HeldShard[]> {
    if (shards.length === 0) return Promise.resolve([]);
    const number = ++this.numbers;
    return new Promise((resolve, reject) => {
      const cancel = this.clock.after(limits.engine.holdMs, () => {
        this.waits.delete(number);
        reject(new PortError("the shards could not be held at one time", true));
      });
      this.waits.set(number, {
        missing: new Set(shards),
        held: [],
        resolve: (held) => {
          this.waits.delete(number);
          cancel();
          resolve(held);
        },
      });
      for (const shard of shards) shard.link.send(question(number, shard));
    });
  }
}
