// graphile-worker by itself: `node run.mjs <address of PostgreSQL> <jobs under way>`, with what its
// page on performance advises: a local queue, batches of completions, a couple of dozen at once.
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { ended, serveRounds } from "./queue-rounds.mjs";

const [connectionString, underWay] = process.argv.slice(2);
const pgPool = new pg.Pool({ connectionString, max: 30 });
const utils = await makeWorkerUtils({ pgPool });
await utils.migrate();
// It would log each job.
const logger = new Logger(() => (level, message) => {
  if (level === "error") process.stderr.write(`${message}\n`);
});
await run({
  pgPool,
  logger,
  concurrency: 24,
  noHandleSignals: true,
  taskList: { generate: async ({ number }) => ended(number) },
  preset: {
    worker: {
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});
let number = 0;
serveRounds(Number(underWay), async () => {
  number++;
  const own = number;
  await utils.addJob("generate", { number: own, model: "sim-instant", prompt: `kite ${own}` });
  return own;
});
