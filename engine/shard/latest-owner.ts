/**
 * The owner of the latest epoch that this node has heard of, kept among the shard's rows. Without a
 * quorum that owner may have released what is on its disk alone once the log has lost it, so a node
 * may not forget it when it starts again.
 */
import { createKey, type Key } from "../key.ts";
import type { Announcement } from "../ports/peers.ts";
import { PortError } from "../ports/port-error.ts";
import type { TableReader, Tables } from "../ports/tables.ts";

/** A node, and the last record that it or one of its followers had when it was heard of. */
export type HeardOwner = Pick<Announcement, "node" | "epoch" | "seq">;

const latestOwnerKey: Key<HeardOwner> = createKey(0, 0, "latest owner");

function readLatestOwner(tables: Pick<TableReader, "get">): HeardOwner | undefined {
  const text = tables.get(latestOwnerKey);
  return text === undefined ? undefined : JSON.parse(text);
}

export class LatestOwner {
  private readonly node: string;
  private readonly tables: Pick<Tables, "get" | "write">;
  private latest: HeardOwner | undefined;
  private stored: HeardOwner | undefined;
  private isStoring = false;

  /** `node` is this node. */
  constructor(node: string, tables: Pick<Tables, "get" | "write">) {
    this.node = node;
    this.tables = tables;
    this.latest = readLatestOwner(tables);
    this.stored = this.latest;
  }

  get heard(): HeardOwner | undefined {
    return this.latest;
  }

  /** Notes another node's announcement. An owner that has less than before has lost its disk. */
  note({ node, state, epoch, seq, owner }: Announcement): void {
    if (state !== "joining") {
      const { latest } = this;
      if (epoch > (latest?.epoch ?? 0)) {
        const isOther = owner !== undefined && owner !== this.node;
        this.latest = { node: isOther ? owner : node, epoch, seq };
      } else if (node === latest?.node && epoch < latest.epoch) this.latest = undefined;
    }
    if (this.latest !== this.stored) void this.store();
  }

  /** Keeps the owner of an epoch that this node has undone. Throws `PortError`. */
  async keep({ node, epoch, seq }: HeardOwner): Promise<void> {
    if (epoch <= (this.latest?.epoch ?? 0)) return;
    this.latest = { node, epoch, seq };
    await this.tables.write([[latestOwnerKey, JSON.stringify(this.latest)]]);
    this.stored = this.latest;
  }

  /** A failed write is repeated at the next announcement. */
  private async store(): Promise<void> {
    if (this.isStoring) return;
    this.isStoring = true;
    const { latest } = this;
    try {
      await this.tables.write([[latestOwnerKey, latest && JSON.stringify(latest)]]);
      this.stored = latest;
    } catch (error) {
      // The follower or the owner meets the same disk, and reports it.
      if (!(error instanceof PortError)) throw error;
    } finally {
      this.isStoring = false;
    }
  }
}
