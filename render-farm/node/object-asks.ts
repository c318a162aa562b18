import { PortError } from "../../engine/ports/port-error.ts";
import type { BrokerConnection, ObjectAsk, ToNode } from "../../engine/ports/tasks.ts";

/** Access to the objects of one task. All methods throw `PortError`, also after the task ended. */
export interface ObjectSigner {
  /** Returns a URL that allows the operation for some minutes. */
  urlFor(order: "get" | "put", key: string): Promise<string>;
  remove(key: string): Promise<void>;
}

type ObjectAnswer = Extract<ToNode, { readonly kind: "granted" | "denied" }>;

interface Asker {
  readonly resolve: (url: string | null) => void;
  readonly reject: (why: PortError) => void;
}

/** The requests for objects that one task sends to its broker. */
export class ObjectAsks implements ObjectSigner {
  private readonly token: string;
  private readonly send: BrokerConnection["send"];
  private readonly askers = new Map<number, Asker>();
  private asked = 0;
  private isClosed = false;

  constructor(token: string, send: BrokerConnection["send"]) {
    this.token = token;
    this.send = send;
  }

  async urlFor(order: "get" | "put", key: string): Promise<string> {
    const url = await this.ask(order, key);
    if (url === null) throw new PortError("the service did not grant access to an object", false);
    return url;
  }

  async remove(key: string): Promise<void> {
    await this.ask("remove", key);
  }

  handle(answer: ObjectAnswer): void {
    const asker = this.askers.get(answer.id);
    this.askers.delete(answer.id);
    if (answer.kind === "granted") asker?.resolve(answer.url);
    else asker?.reject(new PortError(answer.reason, answer.retryable));
  }

  close(): void {
    this.isClosed = true;
    for (const { reject } of this.askers.values()) reject(onEnd());
    this.askers.clear();
  }

  private ask(order: ObjectAsk["order"], key: string): Promise<string | null> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(onEnd());
      const id = ++this.asked;
      this.askers.set(id, { resolve, reject });
      this.send({ kind: "ask", token: this.token, id, order, key });
    });
  }
}

function onEnd(): PortError {
  return new PortError("the task has ended", true);
}
