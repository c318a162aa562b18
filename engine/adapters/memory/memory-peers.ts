import type { Announcement, Peers } from "../../ports/peers.ts";

/** What the nodes of one process share; one that is cut off neither says nor learns anything. */
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
