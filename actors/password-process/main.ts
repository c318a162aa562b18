/** The process that hashes passwords, of lowest priority; ends with the service. */
import { spawnSync } from "node:child_process";
import { scrypt } from "node:crypto";
import { readdirSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { type PasswordTask, scryptOf } from "../share/password.ts";

interface Asked {
  readonly number: number;
  readonly task: PasswordTask;
}

yieldToAll();
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  const { number, task } = message as Asked;
  const { password, salt, bytes, options } = scryptOf(task);
  scrypt(password, salt, bytes, options, (error, hash) => {
    if (error !== null) throw error;
    process.send?.({ number, result: hash.toString("base64url") });
  });
});

/**
 * All threads, for libuv's have started by now. SCHED_IDLE (Linux, sched(7)) is preempted at once
 * by any other work, and its processor counts as free; nice 19 alone runs its slice to the end.
 */
function yieldToAll(): void {
  const asked = ["--idle", "--all-tasks", "--pid", "0", String(process.pid)];
  const { status } = spawnSync("chrt", asked, { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
  if (status === 0) return;
  // Without chrt the priority has to do.
  const threads = process.platform === "linux" ? readdirSync("/proc/self/task") : ["0"];
  for (const thread of threads) setPriority(Number(thread), constants.priority.PRIORITY_LOW);
}
