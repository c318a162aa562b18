import type { MessagePort, Transferable } from "node:worker_threads";
import { limits } from "../config/limits.ts";

/**
 * One end of a connection between two threads. Messages of one tick travel together: a round trip
 * costs the same for one message as for hundreds. Of a long tick some leave early, so that the
 * other thread works while this one goes on.
 */
export class Link<Out, In> {
  private readonly port: MessagePort;
  private queue: Out[] = [];
  private owned: Transferable[] = [];
  private readonly ahead: { readonly flush: () => void } | undefined;

  /** Messages of this link do not overtake those sent earlier through the link `ahead`. */
  constructor(
    port: MessagePort,
    receive: (message: In) => void,
    ahead?: { readonly flush: () => void },
  ) {
    this.port = port;
    this.ahead = ahead;
    port.on("message", (batch: In[]) => {
      for (const message of batch) receive(message);
    });
  }

  /** `owned` is transferred: this thread must not touch it any more. */
  send(message: Out, owned?: Transferable): void {
    if (owned !== undefined) this.owned.push(owned);
    const waiting = this.queue.push(message);
    if (waiting === 1) setImmediate(() => this.flush());
    else if (waiting === limits.engine.messagesPerPost) this.flush();
  }

  close(): void {
    this.flush();
    this.port.close();
  }

  /** Sends the messages that wait for the end of the tick. */
  flush(): void {
    if (this.queue.length === 0) return;
    this.ahead?.flush();
    this.port.postMessage(this.queue, this.owned);
    this.queue = [];
    this.owned = [];
  }
}
