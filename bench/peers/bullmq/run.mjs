// BullMQ by itself: `node run.mjs <Redis' port> <jobs under way>`. Queue and worker have
// connections of their own, as its manual says. Of 8 to 256 jobs at once in the worker, 32 were the
// fastest on two processors.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { ended, serveRounds } from "./queue-rounds.mjs";

const [port, underWay] = process.argv.slice(2).map(Number);
const workerConcurrency = 32;
const connect = (options) =>
  new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null, ...options });
const queue = new Queue("generate", {
  connection: connect({ enableAutoPipelining: true }),
  defaultJobOptions: { removeOnComplete: true },
});
const worker = new Worker("generate", async () => ({ ok: true }), {
  connection: connect(),
  concurrency: workerConcurrency,
});
worker.on("completed", (job) => ended(job.id));
await worker.waitUntilReady();
let number = 0;
serveRounds(underWay, async () => {
  number++;
  const job = await queue.add("generate", { model: "sim-instant", prompt: `kite ${number}` });
  return job.id;
});
