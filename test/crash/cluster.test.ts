/** Tests whole services over real NATS servers and a real bucket: killing nodes loses nothing. */
import t from "tap";
import { hasAll, openCluster, submit } from "./cluster-nodes.ts";

t.test("a node that is killed loses nothing: another goes on, then the first again", async (t) => {
  const { start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 200);
  await first.kill("SIGKILL");
  await hasAll(t, [second], ids);
  ids.push(...(await submit([second], 200, 50)));
  const again = await start("first");
  ids.push(...(await submit([second, again], 250, 50)));
  await second.kill("SIGKILL");
  await hasAll(t, [again], ids);
  t.equal((await again.kill("SIGTERM")).code, 0);
});

t.test("a node that is stopped hands over, and no write is in doubt", async (t) => {
  const { start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const ids = await submit([first, second], 0, 100);
  t.equal((await first.kill("SIGTERM")).code, 0);
  await hasAll(t, [second], ids);
});
