import type { FarmTask } from "../../actors/protocol/farm-task.ts";
import { type JobMessage, jobKey } from "../../actors/protocol/job.ts";
import { FarmBroker } from "../../effects/farm-broker.ts";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { createSeededEntropy } from "../../engine/adapters/seeded-entropy.ts";
import { IdMint } from "../../engine/id.ts";
import type { Key } from "../../engine/key.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import type { FromNode, NodeConnection, ToNode } from "../../engine/ports/tasks.ts";
import { jobRequest } from "../actors/accounts.ts";

/** A farm node as the broker sees it. */
export interface Node extends NodeConnection {
  readonly got: ToNode[];
  say(message: FromNode): void;
  /** Drops all messages from the node, as when the network fails. */
  fallSilent(silent: boolean): void;
  die(): void;
}

function node(): Node {
  const got: ToNode[] = [];
  let listen = (_: FromNode) => {};
  let close = () => {};
  let isAudible = true;
  return {
    got,
    send: (message) => got.push(message),
    onMessage(listener) {
      listen = listener;
    },
    onClose(listener) {
      close = listener;
    },
    isAudible: () => isAudible,
    say: (message) => listen(message),
    fallSilent(silent) {
      isAudible = !silent;
    },
    die: () => close(),
  };
}

/** Makes a broker, and a function that attaches nodes to it. */
export function stage() {
  const clock = new ManualClock(1_000_000);
  const sent: (readonly [Key, JobMessage])[] = [];
  let tokens = 0;
  const objects = signingObjects();
  const broker = new FarmBroker({
    clock,
    objects,
    ids: new IdMint(clock, createSeededEntropy(1)),
    mintToken: () => `t${++tokens}`,
    send: (to, message) => sent.push([to, message]),
  });
  const attach = (slots = 1) => {
    const attached = node();
    broker.attach(attached);
    attached.say({ kind: "hello", node: "n", slots, kinds: ["studio-image", "help"] });
    return attached;
  };
  return { clock, sent, broker, attach, objects };
}

/** Objects whose signed URLs name the method and the key. */
function signingObjects(): Objects {
  return { ...memoryObjects(), presign: async (method, key) => `${method} ${key}` };
}

export const ada = "01990000-0000-7021-8000-0000000000aa";
export const bob = "01990000-0000-7021-8000-0000000000bb";

/** Makes work whose owner is the account that pays for it. */
export function work(scope: string, task: FarmTask) {
  return { owner: scope, scope, task };
}

export function job(number: number): { key: Key; task: FarmTask } {
  const id = `01990000-0000-7021-8000-0000${String(number).padStart(8, "0")}`;
  const { input } = jobRequest;
  const task = { kind: "studio-image", input, outputPrefix: `jobs/${number}` };
  return { key: jobKey(id), task };
}
