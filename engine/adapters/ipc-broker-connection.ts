import { check, Type } from "../../config/schema.ts";
import { PortError } from "../ports/port-error.ts";
import type { BrokerConnection, ToNode } from "../ports/tasks.ts";

const isToNode = check<ToNode>(
  Type.Union([
    Type.Object({
      kind: Type.Literal("lease"),
      task: Type.Object({
        token: Type.String(),
        kind: Type.String(),
        input: Type.Unknown(),
        outputPrefix: Type.String(),
      }),
    }),
    Type.Object({ kind: Type.Literal("cancel"), token: Type.String() }),
    Type.Object({ kind: Type.Literal("drain") }),
    Type.Object({
      kind: Type.Literal("part"),
      member: Type.String(),
      part: Type.Union([Type.Null(), Type.Integer({ minimum: 0 })]),
    }),
    Type.Object({
      kind: Type.Literal("made"),
      member: Type.String(),
      part: Type.Integer({ minimum: 0 }),
      result: Type.Unknown(),
    }),
  ]),
);

/**
 * The channel to the parent that forked this process. Throws `PortError` when there is none.
 * A message that cannot be sent is dropped: the channel is then closing and the close follows.
 */
export function ipcBrokerConnection(child: NodeJS.Process): BrokerConnection {
  const { send } = child;
  if (send === undefined || !child.connected)
    throw new PortError("a farm node is started by the service: it has no channel to it", false);
  return {
    send(message) {
      if (child.connected) send.call(child, message, undefined, undefined, () => undefined);
    },
    onMessage(listener) {
      child.on("message", (message: unknown) => {
        if (isToNode(message)) listener(message);
        else throw new PortError("the service sent a message that no node knows", false);
      });
    },
    onClose(listener) {
      if (child.connected) child.once("disconnect", listener);
      else queueMicrotask(listener);
    },
  };
}
