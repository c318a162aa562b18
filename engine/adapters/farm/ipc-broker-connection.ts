import { PortError } from "../../ports/port-error.ts";
import type { BrokerConnection } from "../../ports/tasks.ts";
import { isToNode } from "./task-messages.ts";

/**
 * The channel to the parent that forked this process. Throws `PortError` when there is none. A
 * message that cannot be sent is dropped, since the channel is then closing and its close event
 * follows.
 */
export function ipcBrokerConnection(child: NodeJS.Process): BrokerConnection {
  const { send } = child;
  if (send === undefined || !child.connected)
    throw new PortError(
      "A farm node is either started by the service or finds it through NATS; set KLIEG_NATS_URL.",
      false,
    );
  return {
    send(message) {
      if (child.connected) send.call(child, message, undefined, undefined, () => undefined);
    },
    onMessage(listener) {
      child.on("message", (message: unknown) => {
        if (isToNode(message)) listener(message);
        else throw new PortError("the service sent an unknown message", false);
      });
    },
    onClose(listener) {
      if (child.connected) child.once("disconnect", listener);
      else queueMicrotask(listener);
    },
  };
}
