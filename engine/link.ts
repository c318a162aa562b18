import type { MessagePort, Transferable } from "node:worker_threads";

/**
 * One end of a connection between two threads. Messages of one tick travel together: a round trip costs the
 * same for one message as for hundreds.
 */
export class Link<Out, In> {
  private readonly port: MessagePort;
  private queue: Out[] = [];

  constructor(port: MessagePort, receive: (message: In) => void) {
    this.port = port;
    port.on("message", (batch: In[]) => {
      for (const message of batch) receive(message);
    });
  }

  send(message: Out): void {
    if (this.queue.push(message) === 1) setImmediate(() => this.flush());
  }

  /** With what only one thread can own; whatever was sent before goes first. */
  handOver(message: Out, owned: readonly Transferable[]): void {
    this.flush();
    this.port.postMessage([message], [...owned]);
  }

  close(): void {
    this.flush();
    this.port.close();
  }

  private flush(): void {
    if (this.queue.length === 0) return;
    this.port.postMessage(this.queue);
    this.queue = [];
  }
}
