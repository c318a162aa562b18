/** A shard thread of the service, made to end on a test's command as if it had crashed. */
import { BroadcastChannel } from "node:worker_threads";
import type { ShardTask } from "../../engine/wire.ts";

/** Channel for the number of a shard; the thread that runs this shard then exits at once. */
export const deathChannel = "klieg-test-death";

export async function run(task: ShardTask): Promise<void> {
  const entry = new URL("../../effects/shard-thread/main.js", import.meta.url);
  const real = (await import(entry.href)) as { run(task: ShardTask): Promise<void> };
  const channel = new BroadcastChannel(deathChannel);
  channel.unref();
  channel.onmessage = (event) => {
    const { data } = event as { data: unknown };
    if (task.shard === data) process.exit(3);
  };
  await real.run(task);
  channel.close();
}
