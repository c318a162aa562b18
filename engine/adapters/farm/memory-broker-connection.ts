import type { BrokerConnection, FromNode, ToNode } from "../../ports/tasks.ts";

/** The broker's end of an in-process connection. */
export interface MemoryBroker {
  send(message: ToNode): void;
  onMessage(listener: (message: FromNode) => void): void;
  /** Closes the connection as the node sees it when the service dies. */
  close(): void;
}

/** Returns both ends; messages arrive at once, as copies. After `close` no message arrives. */
export function memoryBrokerConnection(): { node: BrokerConnection; broker: MemoryBroker } {
  const toNode: ((message: ToNode) => void)[] = [];
  const fromNode: ((message: FromNode) => void)[] = [];
  const closing: (() => void)[] = [];
  let open = true;
  return {
    node: {
      send(message) {
        if (open) for (const listener of fromNode) listener(structuredClone(message));
      },
      onMessage: (listener) => void toNode.push(listener),
      onClose: (listener) => void closing.push(listener),
    },
    broker: {
      send(message) {
        if (open) for (const listener of toNode) listener(structuredClone(message));
      },
      onMessage: (listener) => void fromNode.push(listener),
      close() {
        if (!open) return;
        open = false;
        for (const listener of closing) listener();
      },
    },
  };
}
