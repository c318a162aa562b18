// pg-boss by itself: `node run.mjs <address of PostgreSQL> <jobs under way>`. Jobs are fetched and
// completed in batches without pauses: its own `work` would wait half a second between fetches.
import PgBoss from "pg-boss";
import { ended, serveRounds } from "./queue-rounds.mjs";

const [connectionString, underWay] = process.argv.slice(2);
const boss = new PgBoss({ connectionString, max: 20, supervise: false, schedule: false });
await boss.start();
await boss.createQueue("generate");
let number = 0;
const work = async () => {
  for (;;) {
    const jobs = await boss.fetch("generate", { batchSize: Number(underWay) });
    if (jobs.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      continue;
    }
    const ids = jobs.map(({ id }) => id);
    await boss.complete("generate", ids);
    for (const id of ids) ended(id);
  }
};
void work();
void work();
serveRounds(Number(underWay), async () => {
  number++;
  return boss.send("generate", { model: "sim-instant", prompt: `kite ${number}` });
});
