import { type ChildProcess, fork } from "node:child_process";
import type { FromNode, NodeConnection } from "../ports/tasks.ts";

export interface FarmChild extends NodeConnection {
  /** Ends the child now, if it still lives. */
  kill(): void;
}

/** A node's pictures are outside V8's heap; what is inside would only be a heap of garbage. */
const execArgv = ["--max-semi-space-size=2"];

/** A farm node as a child process of this one; it ends when this process does. */
export function startFarmChild(entry: string): FarmChild {
  const child: ChildProcess = fork(entry, [], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv,
  });
  return {
    send(message) {
      if (child.connected) child.send(message, () => undefined);
    },
    onMessage(listener) {
      child.on("message", (message) => listener(message as FromNode));
    },
    onClose(listener) {
      child.once("exit", listener);
      child.once("error", listener);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
