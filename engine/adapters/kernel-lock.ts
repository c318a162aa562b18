import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { programEnvironment } from "../../config/program-environment.ts";

/** Exit code that util-linux's `flock` is told to use when another process has the lock. */
const taken = 75;

/**
 * Locks a file for the rest of this process's life, or until the returned function is called;
 * undefined when another process still holds it after `waitSeconds`. Throws when the file cannot
 * be opened or there is no `flock`.
 *
 * The lock is the kernel's (flock(2)) and belongs to the opened file: the program gets the same one
 * from us, locks it and ends, and it stays locked while we have it open. So it holds between
 * containers and other process namespaces, and ends with this process, however that ends. The
 * descriptor is closed in every program that we start.
 */
export function lockFile(path: string, waitSeconds: number): (() => void) | undefined {
  const file = openSync(path, "a", 0o600);
  const args = ["--conflict-exit-code", `${taken}`, "--wait", `${waitSeconds}`, "3"];
  const { status, error } = spawnSync("flock", args, {
    env: programEnvironment(),
    stdio: ["ignore", "ignore", "ignore", file],
  });
  if (status === 0) return () => closeSync(file);
  closeSync(file);
  if (status === taken) return undefined;
  throw error ?? new Error(`flock ended with ${status}`);
}
