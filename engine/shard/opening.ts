/**
 * The way from a shard's stores to an open shard. While they cannot be written, as on a full disk,
 * it does not open, but what is durable can be read: the tables, and in front of them the records
 * that did not get into them. It tries again from the beginning until it is open or stopped.
 */

import { limits } from "../../config/limits.ts";
import { PortError } from "../ports/port-error.ts";
import { readPosition } from "./replica.ts";
import type { Shard } from "./shard.ts";
import type { ShardOutlets, ShardStores } from "./shard-ports.ts";

export class Opening {
  private readonly openShard: () => Promise<Shard>;
  private readonly stores: ShardStores;
  private readonly outlets: ShardOutlets;
  private isStopped = false;
  private wake = () => {};

  constructor(openShard: () => Promise<Shard>, stores: ShardStores, outlets: ShardOutlets) {
    this.openShard = openShard;
    this.stores = stores;
    this.outlets = outlets;
  }

  /** Undefined when stopped before it could open. Throws errors that no later attempt mends. */
  async run(): Promise<Shard | undefined> {
    for (let attempt = 1; !this.isStopped; attempt++) {
      try {
        const shard = await this.openShard();
        if (attempt > 1) this.outlets.flushes(undefined);
        return shard;
      } catch (error) {
        if (!(error instanceof PortError && error.retryable)) throw error;
        if (attempt === 1) this.letRead(error);
        await this.pause();
      }
    }
    return undefined;
  }

  /** If the shard opens meanwhile, the host sends the stop again. */
  stop(): void {
    this.isStopped = true;
    this.wake();
  }

  private letRead(error: PortError): void {
    const { tables, journal } = this.stores;
    tables.refresh();
    const { seq } = readPosition(tables);
    // Copied one by one, because a transfer to a thread takes the whole buffer.
    const records = Array.from(journal.from(seq + 1), ({ record }) => Uint8Array.from(record));
    this.outlets.flushes(error);
    // There is nothing to read in a store that was never opened.
    if (seq + records.length > 0) this.outlets.event({ kind: "readable", records });
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.stores.clock.after(limits.engine.openAgainMs, resolve);
      this.wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
