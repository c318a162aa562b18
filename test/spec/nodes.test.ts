import t from "tap";
import type { AdminNode, AdminNodeList } from "../../contract/admin.ts";
import type { Readiness } from "../../contract/health.ts";
import { openInProcess } from "./in-process-service.ts";

const path = "/v1/admin/nodes";

t.test("GET /admin/nodes lists a machine that is alone, and its farm nodes", async (t) => {
  const house = await openInProcess(t, { shardCount: 2 });
  const { json: alone } = await house.admin.get<AdminNodeList>(path);
  const engine = {
    id: "node",
    name: "stage",
    kind: "engine",
    address: "127.0.0.1:8080",
    version: "0.0.0-test",
    status: "live",
    shards: [
      { shard: 0, role: "owner" },
      { shard: 1, role: "owner" },
      { shard: 2, role: "owner" },
    ],
    tasks: 0,
    slots: 0,
    warnings: [],
    started_at: "2026-04-15T12:00:00.000Z",
    last_seen_at: "2026-04-15T12:00:00.000Z",
  };
  t.strictSame(alone, { items: [engine] });
  const farm = house.farmNode();
  const ada = await house.account();
  await ada.post("/v1/generate/image", { model: "studio-image", prompt: "a kite" });
  await house.advance(5_000);
  t.equal(farm.leases.length, 1);
  const { json } = await house.admin.get<AdminNodeList>(path);
  t.match(json.items, [
    { id: "node", tasks: 1, last_seen_at: "2026-04-15T12:00:05.000Z" },
    {
      id: "double",
      name: "double",
      kind: "farm",
      version: null,
      status: "live",
      shards: [],
      tasks: 1,
      slots: 1,
      started_at: "2026-04-15T12:00:00.000Z",
    },
  ]);
  farm.die();
  t.match((await house.admin.get<AdminNodeList>(path)).json.items, [{ id: "node", tasks: 0 }]);
});

t.test(
  "an engine node says what its shards wait for, at /readyz without a credential",
  async (t) => {
    const house = await openInProcess(t, { shardCount: 2 });
    const wait = { reason: "nodes", epoch: 12, seq: 2366, owner: "n1" } as const;
    house.service.warnings.noteWait("1", { ...wait, ahead: [], missing: ["n1"] });
    house.service.warnings.noteRefusal("127.0.0.1:9", true);
    const { json } = await house.admin.get<AdminNodeList>(path);
    t.match(json.items[0]?.warnings, [
      /^Shard 1 has no owner: this node has records up to 2366 \(epoch 12\); .*n1, the last owner/,
      /^The node at 127\.0\.0\.1:9 refuses the requests that this node forwards/,
    ]);
    const ready = await house.stranger.get<Readiness>("/readyz");
    t.strictSame(ready.json.warnings, json.items[0]?.warnings);
    house.service.warnings.noteWait("1", undefined);
    house.service.warnings.noteRefusal("127.0.0.1:9", false);
    t.strictSame((await house.stranger.get<Readiness>("/readyz")).json.warnings, []);
  },
);

t.test("a farm node that drains ends what it has, and is leased nothing more", async (t) => {
  const house = await openInProcess(t);
  const farm = house.farmNode();
  const ada = await house.account();
  const submit = () =>
    ada.post("/v1/generate/image", { model: "studio-image", prompt: `kite ${farm.leases.length}` });
  await submit();
  await house.settle();
  const drained = await house.admin.post<AdminNode>(`${path}/double:drain`);
  t.match(drained, { status: 200, json: { id: "double", status: "draining", tasks: 1 } });
  farm.fail("no room", true);
  await submit();
  await house.advance(5_000);
  t.equal(farm.leases.length, 1);
  t.match((await house.admin.get<AdminNodeList>(path)).json.items, [
    {},
    { id: "double", status: "draining", tasks: 0 },
  ]);
  const told: object[] = [];
  house.service.line.connect((message) => told.push(message));
  house.service.line.onReady();
  t.match(told, [{ kind: "setup", drained: ["double"] }], "also after a fault of its service");
  const { json } = await house.admin.get<{ items: object[] }>("/v1/admin/audit");
  t.match(json.items[0], { action: "node.drain", target: "double" });
});

t.test("a node that is alone has no other to hand its shards to", async (t) => {
  const house = await openInProcess(t);
  const refused = await house.admin.post<{ detail: string }>(`${path}/node:drain`);
  t.equal(refused.status, 409);
  t.equal(refused.json.detail, "No other live node can take over its shards.");
  t.equal((await house.stranger.get("/readyz")).status, 200);
  t.equal((await house.admin.post(`${path}/nonsense:drain`)).status, 404);
});
