import { PortError } from "../../engine/ports/port-error.ts";
import type { BrokerConnection, ToNode } from "../../engine/ports/tasks.ts";

/** Parts of a task, taken and made one by one, on this node or on helper nodes. */
export interface Parts {
  /**
   * Returns the next free part, or `undefined` when all are made. Waits while others make the last
   * parts, because they may fail to. Throws `PortError` when the parts are no longer wanted.
   */
  take(): Promise<number | undefined>;
  storePart(part: number, result: object): void;
  /** Gives the parts up because they are no longer wanted. */
  close(): void;
}

/** Parts of a task that was split so that other nodes can join. */
export interface SharedParts extends Parts {
  /** Calls `listener`, the only one, for each part made by others, including earlier ones. */
  onMade(listener: (part: number, result: unknown) => void): void;
}

type PartMessage = Extract<ToNode, { readonly member: string }>;

/** Parts that the broker hands out, as one helper node sees them. */
export class BrokeredParts implements SharedParts {
  private readonly member: string;
  private readonly send: BrokerConnection["send"];
  private readonly takers: Taker[] = [];
  private readonly early: (readonly [part: number, result: unknown])[] = [];
  private listener: ((part: number, result: unknown) => void) | undefined;
  private isClosed = false;

  constructor(member: string, send: BrokerConnection["send"]) {
    this.member = member;
    this.send = send;
  }

  take(): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(createUnwantedError());
      this.takers.push({ resolve, reject });
      this.send({ kind: "take", member: this.member });
    });
  }

  storePart(part: number, result: object): void {
    if (!this.isClosed) this.send({ kind: "made", member: this.member, part, result });
  }

  onMade(listener: (part: number, result: unknown) => void): void {
    this.listener = listener;
    for (const [part, result] of this.early.splice(0)) listener(part, result);
  }

  close(): void {
    this.isClosed = true;
    for (const { reject } of this.takers.splice(0)) reject(createUnwantedError());
  }

  /** Handles a message of the broker to this member. */
  handle(message: PartMessage): void {
    if (message.kind === "part") this.takers.shift()?.resolve(message.part ?? undefined);
    else if (this.listener === undefined) this.early.push([message.part, message.result]);
    else this.listener(message.part, message.result);
  }
}

/** Parts that are all made on this node. */
export function ownParts(count: number): Parts {
  let next = 0;
  return {
    take: async () => (next < count ? next++ : undefined),
    storePart: () => undefined,
    close: () => undefined,
  };
}

interface Taker {
  readonly resolve: (part: number | undefined) => void;
  readonly reject: (why: PortError) => void;
}

function createUnwantedError(): PortError {
  return new PortError("the parts of the task are no longer wanted", true);
}
