import type { NodeReply, Nodes, Presence } from "../../ports/nodes.ts";

/** An in-memory channel between the nodes of one process. */
export class MemoryNodes {
  private readonly listeners = new Set<(presence: Presence) => void>();
  private readonly replyListeners = new Map<string, (reply: NodeReply) => void>();

  open(): Nodes {
    return {
      announce: (presence) => {
        for (const listener of this.listeners) listener(presence);
      },
      onAnnounced: (listener) => {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
      },
      reply: (node, reply) => this.replyListeners.get(node)?.(structuredClone(reply)),
      onReply: (node, listener) => {
        this.replyListeners.set(node, listener);
        return () => void this.replyListeners.delete(node);
      },
    };
  }
}
