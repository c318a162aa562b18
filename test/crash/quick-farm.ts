/** A farm process that renders nothing: each task succeeds a moment after it was leased. */
import { setTimeout as delay } from "node:timers/promises";
import type { FromNode, Task, ToNode } from "../../engine/ports/tasks.ts";

const kinds = ["studio-image", "render", "probe"];
const taskMs = 40;

function say(message: FromNode): void {
  if (process.connected) process.send?.(message);
}

async function work({ token, kind, outputPrefix }: Task): Promise<void> {
  await delay(taskMs / 2);
  say({ kind: "heartbeat", token, progress: 0.5 });
  await delay(taskMs / 2);
  const [mimeType, name] = kind === "render" ? ["video/mp4", "0.mp4"] : ["image/png", "0.png"];
  const media = { mimeType, sizeBytes: 1, sha256: "00", width: 320, height: 180 };
  const outputs = [{ objectKey: `${outputPrefix}/${name}`, durationSeconds: 2, ...media }];
  const details = kind === "render" ? { durationSeconds: 2, frames: 60 } : {};
  say({ kind: "finished", token, outcome: { kind: "succeeded", outputs, details } });
}

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToNode) => {
  if (message.kind === "drain") process.exit(0);
  if (message.kind === "lease") void work(message.task);
});
say({ kind: "hello", node: "quick", slots: 4, kinds });
