/** Polls /healthz of a service until it is stopped. */
import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

const everyMs = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const waits: number[] = [];
let isEnough = false;
parentPort?.once("message", () => {
  isEnough = true;
});
parentPort?.postMessage("ready");
while (!isEnough) {
  waits.push(await wait(`${workerData}/healthz`));
  await pause(everyMs);
}
agent.destroy();
parentPort?.postMessage(waits);

/** Returns the wait in ms, or infinity when there is no answer. */
function wait(url: string): Promise<number> {
  const begin = performance.now();
  return new Promise((resolve) => {
    const asked = get(url, { agent }, (answer) => {
      answer.once("end", () => resolve(performance.now() - begin));
      answer.resume();
    });
    asked.once("error", () => resolve(Number.POSITIVE_INFINITY));
  });
}
