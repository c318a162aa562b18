/** Tests the contract of all adapters that request a shard's snapshots. */
import t, { type Test } from "tap";
import { MemorySnapshots } from "../../engine/adapters/memory/memory-snapshots.ts";
import { pack } from "../../engine/adapters/message-pack.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { natsSnapshots } from "../../engine/adapters/nats/nats-snapshots.ts";
import type { Snapshot, Snapshots } from "../../engine/ports/snapshots.ts";
import { startNats } from "../nats-server.ts";

const snapshot: Snapshot = {
  store: "store",
  epoch: 3,
  seq: 70,
  nonce: "owner",
  objectKey: "snapshots/store/0/3-70-n",
  sizeBytes: 4_096,
  sha256: "0123456789abcdef".repeat(4),
};

const ways: Record<string, (t: Test) => Promise<readonly [Snapshots, Snapshots]>> = {
  async memory() {
    const snapshots = new MemorySnapshots();
    return [snapshots.open(), snapshots.open()];
  },
  async NATS(t) {
    const [one, other] = await connectBoth(t);
    return [natsSnapshots(one, "0"), natsSnapshots(other, "0")];
  },
};

for (const [way, open] of Object.entries(ways))
  t.test(`${way}: what the owner offers is answered, until it withdraws`, async (t) => {
    const [owner, node] = await open(t);
    t.equal(await node.request(), undefined, "none answers");
    let offered: Snapshot | undefined;
    const withdraw = owner.answer(() => offered);
    // By the time it answers, the server has handled the owner's earlier messages.
    t.equal(await owner.request(), undefined, "it makes one yet");
    t.equal(await node.request(), undefined);
    offered = snapshot;
    t.strictSame(await node.request(), snapshot);
    withdraw();
    await owner.request();
    t.equal(await node.request(), undefined);
  });

t.test("an answer of another version is refused with a sentence", async (t) => {
  const [owner, node] = await connectBoth(t);
  let bytes: Uint8Array = Buffer.from("?");
  owner.subscribe("SNAPSHOT.0", { callback: (_, message) => void message.respond(bytes) });
  await owner.flush();
  const snapshots = natsSnapshots(node, "0");
  for (const answer of [
    { version: [99, 0], format: 10, snapshot },
    { version: [1, 0], format: 8, snapshot },
    { version: [1, 0], format: 10, snapshot: { ...snapshot, sha256: "short" } },
  ]) {
    bytes = pack(answer);
    await t.rejects(snapshots.request(), {
      name: "PortError",
      retryable: false,
      message: /from another version of Klieg; install that version here/,
    });
  }
});

async function connectBoth(t: Test) {
  const server = await startNats(t);
  const connect = async (name: string) => {
    const access = { servers: [server.url], credentials: undefined, name };
    const connection = await connectNats(access);
    t.teardown(() => connection.close());
    return connection;
  };
  return [await connect("one"), await connect("other")] as const;
}
