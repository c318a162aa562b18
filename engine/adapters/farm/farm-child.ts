import { type ChildProcess, fork, spawnSync } from "node:child_process";
import type { FromNode, NodeConnection } from "../../ports/tasks.ts";

export interface FarmChild extends NodeConnection {
  /** Process id, or undefined when the child could not be started. */
  readonly pid: number | undefined;
  /** Kills the child at once if it is still alive. */
  kill(): void;
}

/** Argument of a node that accesses the service's objects by signed URLs only. */
export const signedObjects = "signed-objects";

/** A node's pictures are outside V8's heap; larger semi-spaces would only collect garbage. */
const nodeArgs = ["--max-semi-space-size=2"];

/**
 * Prefix that runs the program after it, which the kernel then kills when the thread that started
 * it ends for any reason (prctl(2), PR_SET_PDEATHSIG). Its own children end with their pipes to it.
 */
const mortal = ["setpriv", "--pdeathsig", "KILL", "--"] as const;

let hasMortal: boolean | undefined;

/**
 * Starts a farm node as a child process with only this environment. The child ends when this
 * process does: the kernel kills it where that is supported, or it finds its channel closed.
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
