import { once } from "node:events";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";

/** Polls /healthz from a separate thread until the result is called; returns the waits in ms. */
export async function watchHealth(origin: string): Promise<() => Promise<readonly number[]>> {
  const script = join(import.meta.dirname, `health-thread${extname(import.meta.filename)}`);
  const thread = new Worker(script, { workerData: origin });
  await once(thread, "message");
  return async () => {
    thread.postMessage("enough");
    const [waits] = (await once(thread, "message")) as [readonly number[]];
    return waits;
  };
}
