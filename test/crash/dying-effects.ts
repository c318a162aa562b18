/** The effects thread of the service, made to end on a test's command as if it had crashed. */
import { BroadcastChannel } from "node:worker_threads";
import type { EffectsTask } from "../../engine/wire.ts";
import { deathChannel } from "./dying-shard.ts";

export async function run(task: EffectsTask): Promise<void> {
  const entry = new URL("../../effects/main.js", import.meta.url);
  const real = (await import(entry.href)) as { run(task: EffectsTask): Promise<void> };
  const channel = new BroadcastChannel(deathChannel);
  channel.unref();
  channel.onmessage = (event) => {
    if ((event as { data: unknown }).data === "effects") process.exit(3);
  };
  await real.run(task);
  channel.close();
}
