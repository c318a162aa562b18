/** The low-priority process that hashes passwords; it ends with the service. */
import { scrypt } from "node:crypto";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { getScryptParameters, type PasswordTask } from "../../../actors/share/password.ts";

interface Asked {
  readonly number: number;
  readonly task: PasswordTask;
}

yieldToOthers();
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  const { number, task } = message as Asked;
  const { password, salt, bytes, options } = getScryptParameters(task);
  scrypt(password, salt, bytes, options, (error, hash) => {
    if (error !== null) throw error;
    process.send?.({ number, result: hash.toString("base64url") });
  });
});

/**
 * Lowers the priority of all threads, as libuv's have started by now. Other work goes first, yet a
 * check ends within a second while films keep every processor busy (30 seconds by SCHED_IDLE).
 */
function yieldToOthers(): void {
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task") : ["0"];
  for (const thread of threads)
    setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
}
