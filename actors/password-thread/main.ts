/** The thread that hashes passwords: no state, and none of libuv's pool, which journals write by. */
import { hashPassword, type PasswordTask } from "../share/password.ts";

export function run(task: PasswordTask): string {
  return hashPassword(task);
}
