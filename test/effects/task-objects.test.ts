/** Tests which objects a farm node may access under its lease. */
import t from "tap";
import type { ToNode } from "../../engine/ports/tasks.ts";
import { ada, job, type Node, stage, work } from "./broker-stage.ts";

const one = job(1);
const input = {
  prompt: "assets/bob/secret",
  manifestKey: "compositions/c/manifest",
  assets: { a: { objectKey: "assets/ada/kite", mimeType: "image/png" } },
};
const manifest = { files: [{ path: "objects/x", objectKey: "compositions/c/file" }] };

/** Makes a node that holds the task under t1, which stores objects below `jobs/1/t1`. */
async function lease() {
  const open = stage();
  const { broker, attach, objects } = open;
  await objects.put(input.manifestKey, [Buffer.from(JSON.stringify(manifest))]);
  const farm = attach();
  broker.run(one.key, work(ada, { ...one.task, input }));
  broker.lease("t1");
  return { ...open, farm };
}

async function answer(node: Node, order: "get" | "put" | "remove", key: string, token = "t1") {
  const id = node.got.length;
  node.say({ kind: "ask", token, id, order, key });
  const getGiven = (): ToNode | undefined =>
    node.got.find((message) => "id" in message && message.id === id);
  while (getGiven() === undefined) await new Promise(setImmediate);
  const message = getGiven();
  return message?.kind === "granted" ? message.url : message?.kind;
}

t.test("a node gets what its task names, and what the task's manifest names", async (t) => {
  const { farm } = await lease();
  for (const key of [input.manifestKey, "assets/ada/kite", "compositions/c/file"])
    t.equal(await answer(farm, "get", key), `GET ${key}`);
});

t.test("a node puts, gets and removes what is below its prefix, volatile or not", async (t) => {
  const { farm, objects } = await lease();
  for (const key of ["jobs/1/t1/0.png", "volatile/jobs/1/t1/x/0"]) {
    t.equal(await answer(farm, "put", key), `PUT ${key}`);
    t.equal(await answer(farm, "get", key), `GET ${key}`);
    await objects.put(key, [Buffer.from("kite")]);
    t.equal(await answer(farm, "remove", key), null);
    t.equal(await objects.stat(key), undefined);
  }
});

t.test("a node reaches nothing else", async (t) => {
  const { farm, attach } = await lease();
  for (const key of ["assets/bob/secret", "objects/x", "compositions/c", "jobs/1/t2/0.png", ""])
    t.equal(await answer(farm, "get", key), "denied", key);
  const named = ["assets/ada/kite", input.manifestKey, "compositions/c/file"];
  for (const key of [...named, "jobs/1/t1", "jobs/1/t10/0", "volatile/x"])
    for (const order of ["put", "remove"] as const)
      t.equal(await answer(farm, order, key), "denied", `${order} ${key}`);
  t.equal(await answer(farm, "get", "assets/ada/kite", "t2"), "denied", "under no lease");
  t.equal(await answer(attach(), "get", "assets/ada/kite"), "denied", "under another's lease");
  farm.say({ kind: "finished", token: "t1", outcome: { kind: "succeeded", outputs: [] } });
  t.equal(await answer(farm, "get", "assets/ada/kite"), "denied", "after its lease");
});

t.test("a helper node reads what its lead does, and stores below its own prefix", async (t) => {
  const { farm, attach, objects, broker } = await lease();
  const helper = attach();
  const outputPrefix = "volatile/jobs/1/t1/x";
  const helpers = { kind: "help", input: { objectKey: "assets/bob/secret" }, outputPrefix };
  farm.say({ kind: "split", token: "t1", member: "t1/0", parts: 2, helpers });
  t.match(helper.got, [{ kind: "lease", task: { token: "t2" } }]);
  t.equal(await answer(helper, "get", "compositions/c/file", "t2"), "GET compositions/c/file");
  t.equal(await answer(helper, "put", `${outputPrefix}/0`, "t2"), `PUT ${outputPrefix}/0`);
  t.equal(await answer(farm, "get", `${outputPrefix}/0`), `GET ${outputPrefix}/0`);
  t.equal(await answer(helper, "get", "assets/bob/secret", "t2"), "denied");
  t.equal(await answer(helper, "put", "jobs/1/t1/0.png", "t2"), "denied");
  await objects.put(`${outputPrefix}/0`, [Buffer.from("segment")]);
  broker.cancel(one.key);
  while ((await objects.stat(`${outputPrefix}/0`)) !== undefined) await new Promise(setImmediate);
  t.equal(await answer(helper, "get", "compositions/c/file", "t2"), "denied");
});

t.test("helper nodes are not given a prefix that is not the lead's own", async (t) => {
  const { farm, attach } = await lease();
  const helper = attach();
  for (const outputPrefix of ["jobs/1/t1/x", "volatile/jobs/2/t9/x", "volatile"]) {
    const helpers = { kind: "help", input: {}, outputPrefix };
    farm.say({ kind: "split", token: "t1", member: "t1/0", parts: 2, helpers });
  }
  t.strictSame(helper.got, []);
});
