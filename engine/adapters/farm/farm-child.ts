import { type ChildProcess, fork, spawnSync } from "node:child_process";
import type { FromNode, NodeConnection } from "../../ports/tasks.ts";

export interface FarmChild extends NodeConnection {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Ends the child now, if it still lives. */
  kill(): void;
}

/** Argument of a node that reaches the service's objects by URLs alone. */
export const signedObjects = "signed-objects";

/** A node's pictures are outside V8's heap; larger semi-spaces would only hold garbage. */
const nodeArgs = ["--max-semi-space-size=2"];

/**
 * Becomes the program that follows, which the kernel kills when the thread that started it has
 * ended, however it did (prctl(2), PR_SET_PDEATHSIG). Its own children end with their pipes to it.
 */
const mortal = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

let hasMortal: boolean | undefined;

/**
 * A farm node as a child process of this one, with this environment and no more. It ends when this
 * process does: by the kernel where that can be asked to, and when it finds its channel closed.
 */
export function startFarmChild(
  entry: string,
  env: Record<string, string>,
  ...entryArgs: readonly string[]
): FarmChild {
  const [name, ...args] = mortal;
  hasMortal ??= spawnSync(name, [...args, "true"], { env }).status === 0;
  const child: ChildProcess = fork(entry, entryArgs, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env,
    ...(hasMortal
      ? { execPath: name, execArgv: [...args, process.execPath, ...nodeArgs] }
      : { execArgv: nodeArgs }),
  });
  return {
    pid: child.pid,
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
    isAudible: () => true,
    kill: () => void child.kill("SIGKILL"),
  };
}
