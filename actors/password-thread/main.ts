/** The thread that hashes passwords: no state, and not one of libuv's, by which journals write. */
import { hashPassword, type PasswordTask } from "../share/password.ts";

export function run(task: PasswordTask): string {
  return hashPassword(task);
}
