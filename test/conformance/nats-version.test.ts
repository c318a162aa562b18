/** Tests nodes of several versions of Klieg that share a NATS server. */
import t, { type Test } from "tap";
import { formatVersion } from "../../engine/adapters/data-directory.ts";
import { pack } from "../../engine/adapters/message-pack.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { natsPeers } from "../../engine/adapters/nats/nats-peers.ts";
import { answerVersion, checkVersion } from "../../engine/adapters/nats/nats-version.ts";
import type { Announcement } from "../../engine/ports/peers.ts";
import { wireVersion } from "../../engine/ports/wire-version.ts";
import { startNats } from "../nats-server.ts";

const { major, minor } = wireVersion;

async function openPair(t: Test) {
  const { url } = await startNats(t);
  const connect = async (name: string) => {
    const connection = await connectNats({ servers: [url], credentials: undefined, name });
    t.teardown(() => connection.close());
    return connection;
  };
  return { there: await connect("there"), here: await connect("here") };
}

t.test("a node starts where none lives, or those that do understand it", async (t) => {
  const { there, here } = await openPair(t);
  await checkVersion(here, "0.2.0");
  answerVersion(there, "0.1.0");
  await there.flush();
  await checkVersion(here, "0.2.0");
  t.end();
});

const foreign = [
  ["messages", { wire: [major + 1, 0], format: formatVersion }, `messages ${major + 1}`],
  ["stores", { wire: [major, minor], format: formatVersion + 1 }, `store ${formatVersion + 1}`],
] as const;

for (const [what, spoken, named] of foreign)
  t.test(`a node is refused with a sentence by nodes of other ${what}`, async (t) => {
    const { there, here } = await openPair(t);
    const answer = pack({ ...spoken, release: "9.0.0", addedLater: true });
    there.subscribe("VERSION", { callback: (_, message) => void message.respond(answer) });
    await there.flush();
    await t.rejects(checkVersion(here, "0.1.0"), {
      message: new RegExp(`^The cluster's nodes run Klieg 9.0.0 \\(.*${named}.*install 9.0.0 here`),
      retryable: false,
    });
  });

t.test("what a minor version adds is passed over; a major one is not understood", async (t) => {
  const { there, here } = await openPair(t);
  const known: Announcement[] = [];
  natsPeers(here, "0").onAnnounced((announcement) => known.push(announcement));
  await here.flush();
  const said = { state: "following", epoch: 3, seq: 7 };
  const say = (node: string, wire: readonly number[]) =>
    there.publish("SHARD.0", pack({ ...said, node, wire, addedLater: { by: "a release" } }));
  say("foreign", [major + 1, 0]);
  say("later", [major, minor + 1]);
  say("same", [major, minor]);
  await there.flush();
  await here.flush();
  t.strictSame(
    known.map(({ node }) => node),
    ["later", "same"],
  );
});
