import type { Announcement, Peers } from "../../ports/peers.ts";

/** An in-memory channel between the nodes of one process; a node cut off cannot send or receive. */
export class MemoryPeers {
  private readonly listeners = new Map<(announcement: Announcement) => void, () => boolean>();

  open(isCutOff: () => boolean = () => false): Peers {
    return {
      announce: (announcement) => {
        if (isCutOff()) return;
        for (const [listener, cannotHear] of this.listeners)
          if (!cannotHear()) listener(announcement);
      },
      onAnnounced: (listener) => {
        this.listeners.set(listener, isCutOff);
        return () => void this.listeners.delete(listener);
      },
    };
  }
}
