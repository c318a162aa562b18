import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import t from "tap";
import type { FromNode, ToNode } from "../../engine/ports/tasks.ts";
import { childProcesses, isRunning } from "./child-processes.ts";

const entry = join(import.meta.dirname, "..", "..", "render-farm", "main.js");
const kinds = [
  "fetch",
  "probe",
  "measure",
  "render",
  "render-help",
  "studio-image",
  "studio-matte",
  "studio-music",
  "studio-relief",
  "studio-restore",
  "studio-sound",
  "studio-video",
  "studio-voice",
];
const input = { prompt: "sea", seed: 1, width: 256, height: 256, count: 1, format: "png" };

/** Forks a node with the default data directory: `data` in the working directory. */
function forkNode(cwd: string): ChildProcess {
  return fork(entry, { cwd });
}

function tell(node: ChildProcess, message: ToNode): void {
  node.send(message);
}

async function hear<K extends FromNode["kind"]>(
  node: ChildProcess,
  kind: K,
): Promise<Extract<FromNode, { kind: K }>> {
  for (;;) {
    const [message] = (await once(node, "message")) as [FromNode];
    if (message.kind === kind) return message as Extract<FromNode, { kind: K }>;
  }
}

t.test("a forked node paints into the data directory and ends when drained", async (t) => {
  const cwd = t.testdir();
  const node = forkNode(cwd);
  const hello = await hear(node, "hello");
  t.match(hello, { kinds: kinds });
  t.ok([2, 3, 4].includes(Number((hello as { slots?: number }).slots)), "by the machine's memory");
  tell(node, {
    kind: "lease",
    task: { token: "t1", kind: "studio-image", input, outputPrefix: "a/b" },
  });
  const { token, outcome } = await hear(node, "finished");
  t.equal(token, "t1");
  t.equal(outcome.kind, "succeeded");
  const files = await readdir(join(cwd, "data", "objects", "a", "b"));
  t.strictSame(files.sort(), ["0.png", "0.thumb.jpg"]);
  tell(node, { kind: "drain" });
  const [code] = await once(node, "exit");
  t.equal(code, 0);
});

/** Leases a task that takes longer than what is tested. */
function leaseLarge(node: ChildProcess): void {
  const large = { ...input, width: 2048, height: 2048, count: 16 };
  tell(node, {
    kind: "lease",
    task: { token: "t1", kind: "studio-image", input: large, outputPrefix: "a" },
  });
}

t.test("a node ends at once when the service is gone, in the midst of a task", async (t) => {
  const node = forkNode(t.testdir());
  await hear(node, "hello");
  leaseLarge(node);
  await hear(node, "heartbeat");
  node.disconnect();
  const [code] = await once(node, "exit");
  t.equal(code, 0);
});

t.test("a node whose service is gone before it has begun ends too", async (t) => {
  const node = forkNode(t.testdir());
  node.disconnect();
  const [code] = await once(node, "exit");
  t.ok(code === 0 || code === 1, `it ended with ${code}`);
});

t.test("a node that is killed takes its browsers along", async (t) => {
  const node = forkNode(t.testdir());
  await hear(node, "hello");
  leaseLarge(node);
  let browsers = childProcesses();
  while (!browsers.some(({ command }) => command.includes("--type=renderer"))) {
    await turn();
    browsers = childProcesses();
  }
  node.kill("SIGKILL");
  while (browsers.some(({ pid }) => isRunning(pid))) await turn();
  t.pass("nothing runs on");
});

t.test("a node that nobody forked says why it cannot start", async (t) => {
  const node = spawn(process.execPath, [entry], { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  node.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(node, "close");
  t.equal(code, 1);
  t.match(said, /started by the service/);
});
