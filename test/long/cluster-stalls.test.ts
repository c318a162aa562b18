/**
 * The owner is paused in the middle of work (SIGSTOP), another node takes over, and the owner
 * resumes (SIGCONT): what it acknowledges from then on is in the history that the other one began.
 */
import t from "tap";
import { askAny, hasAll, isFollowed, openCluster, submit } from "../crash/cluster-nodes.ts";

const stalls = Number(process.env["TEST_STALLS"] ?? 5);

t.test(`${stalls} stalls of the owner fork nothing`, async (t) => {
  const { start } = await openCluster(t);
  let owner = await start("node-0");
  let standby = await start("node-1");
  let ids: string[] = [];
  for (let stall = 0; stall < stalls; stall++) {
    const number = stall * 1_000;
    // A standby without word of the owner since it came back waits for it, whatever happens to it.
    await isFollowed(owner, 2);
    await askAny([owner], "/admin/accounts", { email: `stall-${stall}@klieg.example` });
    ids.push(...(await submit([owner, standby], number, 20)));
    const during = submit([owner], number + 100, 20);
    owner.child.kill("SIGSTOP");
    ids.push(...(await submit([standby], number + 200, 20)));
    owner.child.kill("SIGCONT");
    // The first request reaches the old owner before it knows that it no longer owns anything.
    ids.push(...(await submit([owner], number + 300, 20)), ...(await during));
    [owner, standby] = [standby, owner];
    if (stall % 10 !== 9 && stall !== stalls - 1) continue;
    await hasAll(t, [owner, standby], ids);
    ids = [];
    t.match(await askAny([owner], "/admin/invariants"), { items: [] });
  }
});
