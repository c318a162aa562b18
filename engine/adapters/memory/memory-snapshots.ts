import type { Snapshot, Snapshots } from "../../ports/snapshots.ts";

/** In-memory requests for snapshots between nodes of one process; a node cut off takes no part. */
export class MemorySnapshots {
  private readonly offers = new Map<() => Snapshot | undefined, () => boolean>();

  open(isCutOff: () => boolean = () => false): Snapshots {
    return {
      request: async () => {
        if (isCutOff()) return undefined;
        for (const [offer, cannotAnswer] of this.offers) if (!cannotAnswer()) return offer();
        return undefined;
      },
      answer: (offer) => {
        this.offers.set(offer, isCutOff);
        return () => void this.offers.delete(offer);
      },
    };
  }
}
