/** A cluster in which some nodes run the previous release, and others the next one. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import { version } from "../../config/version.ts";
import type { AdminNodeList } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import { allEnd } from "../crash/accounts.ts";
import { askAny, hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";
import { isOneSentence, ownBuild, startAndFail } from "../crash/klieg-process.ts";
import { startFarmNode } from "../render-farm/nats-house.ts";
import { ClientLoad, type Place } from "./client-load.ts";
import { makeBuild } from "./other-build.ts";

async function isReady({ port }: Place): Promise<void> {
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await delay(50);
}

/** Resolves when nodes of that release own both shards and the directory. */
async function isOwner(release: string, nodes: readonly Place[]): Promise<void> {
  for (;;) {
    const { items } = await askAny<AdminNodeList>(nodes, "/admin/nodes");
    const owners = items.flatMap(({ version, shards }) =>
      shards.filter(({ role }) => role === "owner").map(() => version),
    );
    if (owners.length === 3 && owners.every((owner) => owner === release)) return;
    await delay(50);
  }
}

async function drawPicture(t: Test, nodes: readonly Place[], url: string, build: string) {
  const farm = startFarmNode(t, url, {}, build);
  const body = { model: "studio-image", prompt: "a kite", aspect_ratio: "1:1" };
  const { id } = await askAny<Job>(nodes, "/generate/image", body);
  await hasAll(t, nodes, [id]);
  farm.process.kill("SIGTERM");
  t.equal(await farm.ended, 0);
}

t.test("nodes of two releases serve each other, and a foreign one is refused", async (t) => {
  const { folder, settings, start } = await openCluster(t, { KLIEG_SHARDS: "2" });
  const url = settings.KLIEG_NATS_URL;
  const next = { release: "9.1.0", wire: { major: 1, minor: 7 } };
  const nextBuild = await makeBuild(join(folder, "next-build"), next);
  const foreign = { release: "10.0.0", wire: { major: 2, minor: 0 } };
  const foreignBuild = await makeBuild(join(folder, "foreign-build"), foreign);

  let old = await start("old");
  const newer = await start("new", {}, nextBuild);
  const places: Place[] = [{ port: old.port }, { port: newer.port }];
  await Promise.all(places.map(isReady));
  await isOwner(version, places);
  const load = await ClientLoad.begin(t, places, 4);

  t.equal((await old.kill("SIGTERM")).code, 0);
  await isOwner(next.release, places.slice(1));
  t.comment(`the next release took over; ${load.takeSlowest()}`);
  await drawPicture(t, places.slice(1), url, ownBuild);

  old = await start("old");
  places[0] = Object.assign(places[0] as Place, { port: old.port });
  await Promise.all(places.map(isReady));
  await load.pass(20);
  load.takeSlowest();
  t.equal((await newer.kill("SIGTERM")).code, 0);
  await load.pass(20);
  await isOwner(version, [old]);
  t.comment(`the release behind took over; ${load.takeSlowest()}`);
  await drawPicture(t, [old], url, nextBuild);
  await load.end();
  t.strictSame(load.failures, []);
  t.comment(
    `${load.acknowledged.length} jobs were acknowledged, ${load.untaken} connections were not taken`,
  );

  const again = await start("new", {}, nextBuild);
  await Promise.all([old, again].map(isReady));
  await old.kill("SIGKILL");
  await isOwner(next.release, [again]);
  const ids = await submit([again], 0, 10);
  await hasAll(t, [again], ids);
  await allEnd(t, again.port, load.acknowledged);
  t.match(await askAny([again], "/admin/invariants?limit=100"), { items: [] });

  const refused = await startAndFail(
    t,
    join(folder, "foreign"),
    settings,
    undefined,
    [],
    foreignBuild,
  );
  isOneSentence(t, refused, /run Klieg 9\.1\.0 \(messages 1, .*install 9\.1\.0 here/);
  const farm = startFarmNode(t, url, {}, foreignBuild);
  t.equal(await farm.ended, 1);
  t.match(farm.said(), /speaks version 2 of the farm's messages and the service version 1/);
  await hasAll(t, [again], await submit([again], 10, 10));

  t.equal((await again.kill("SIGTERM")).code, 0);
  const upgraded = await Promise.all(["old", "new"].map((name) => start(name, {}, foreignBuild)));
  t.pass("where none lives, a release that the others would not understand starts");
  await hasAll(t, upgraded, ids);
});
