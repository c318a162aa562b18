/** The process that hashes passwords, of lowest priority; ends with the service. */
import { scrypt } from "node:crypto";
import { constants, setPriority } from "node:os";
import { type PasswordTask, scryptOf } from "../share/password.ts";

interface Asked {
  readonly number: number;
  readonly task: PasswordTask;
}

// Before libuv's threads start, which inherit it.
setPriority(constants.priority.PRIORITY_LOW);
process.on("disconnect", () => process.exit());
process.on("message", (message) => {
  const { number, task } = message as Asked;
  const { password, salt, bytes, options } = scryptOf(task);
  scrypt(password, salt, bytes, options, (error, hash) => {
    if (error !== null) throw error;
    process.send?.({ number, result: hash.toString("base64url") });
  });
});
