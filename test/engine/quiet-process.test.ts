import t, { type Test } from "tap";
import { hashPassword, type PasswordTask } from "../../actors/share/password.ts";
import { QuietProcess } from "../../engine/adapters/quiet-process.ts";

const died = { name: "PortError", retryable: true };
const task: PasswordTask = { password: "open sesame", salt: "q83vEjRWeJo", cost: 1_024 };

function open<T extends object, R>(t: Test, entry: string, timeoutMs = 60_000) {
  const quiet = new QuietProcess<T, R>(new URL(entry, import.meta.url), { threads: 2, timeoutMs });
  t.teardown(() => quiet.close());
  return quiet;
}

function openProgram(t: Test, timeoutMs?: number) {
  return open<{ readonly kind: string }, unknown>(t, "./quiet-program.js", timeoutMs);
}

t.test("passwords are hashed elsewhere to what scrypt says here", async (t) => {
  const entry = "../../http/shares/password-process/main.js";
  const quiet = open<PasswordTask, string>(t, entry);
  const tasks = ["one", "two", "three"].map((password) => ({ ...task, password }));
  const hashes = await Promise.all(tasks.map((one) => quiet.run(one)));
  t.strictSame(hashes, tasks.map(hashPassword));
});

t.test("the process is told nothing of the environment but its threads", async (t) => {
  const quiet = openProgram(t);
  const names = (await quiet.run({ kind: "environment" })) as readonly string[];
  t.strictSame(
    names.filter((name) => !name.startsWith("NODE_")),
    ["UV_THREADPOOL_SIZE"],
  );
});

t.test("a process that dies rejects what it had, and the next task starts another", async (t) => {
  const quiet = openProgram(t);
  const hanging = quiet.run({ kind: "hang" });
  await Promise.all([t.rejects(hanging, died), t.rejects(quiet.run({ kind: "die" }), died)]);
  t.type(await quiet.run({ kind: "priority" }), "number");
});

t.test("a task that takes too long ends the process", async (t) => {
  const quiet = openProgram(t, 200);
  await t.rejects(quiet.run({ kind: "hang" }), died);
});
