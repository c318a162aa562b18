/**
 * The same tests for every adapter of the log: in memory, in the cluster simulation, one NATS
 * server, three NATS servers.
 */
import t, { type Test } from "tap";
import { MemoryLog } from "../../engine/adapters/memory/memory-log.ts";
import { openJetStreamLog } from "../../engine/adapters/nats/jetstream-log.ts";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import type { Log, LogEnd, LogEntry } from "../../engine/ports/log.ts";
import { PortError } from "../../engine/ports/port-error.ts";
import { type NatsServer, startNats, startNatsCluster } from "../nats-server.ts";
import { Dice } from "../simulation/cluster/dice.ts";
import { SimLog } from "../simulation/cluster/sim-log.ts";
import { Timeline } from "../simulation/cluster/timeline.ts";

/** Opens two nodes' connections to one empty log. */
type Open = (t: Test) => Promise<readonly [Log, Log]>;

const record = (text: string) => Buffer.from(text);

function getText(entry: LogEntry | undefined): string | undefined {
  return entry && `${entry.logSeq} ${Buffer.from(entry.record)}`;
}

function computeEnd({ logSeq, record }: LogEnd): string {
  return `${logSeq} ${record && Buffer.from(record)}`;
}

/** Resolves when `count` entries have been delivered. */
function readDelivered(log: Log, from: number, count: number): Promise<(string | undefined)[]> {
  return new Promise((resolve) => {
    const texts: (string | undefined)[] = [];
    const stop = log.follow(from, (entry) => {
      texts.push(getText(entry));
      if (texts.length < count) return;
      stop();
      resolve(texts);
    });
  });
}

function suite(name: string, open: Open): void {
  t.test(name, async (t) => {
    t.test("records are stored one behind the other, from 1", async (t) => {
      const [log] = await open(t);
      t.strictSame(await log.end(), { logSeq: 0, record: undefined });
      t.ok(await log.publish(record("a"), "n:1:1", 0));
      t.ok(await log.publish(record("b"), "n:1:2", 1));
      t.equal(computeEnd(await log.end()), "2 b");
      t.equal(getText(await log.at(1)), "1 a");
      t.equal(await log.at(3), undefined);
    });

    t.test("only who knows the log's end may append: one of two racing owners", async (t) => {
      const [one, two] = await open(t);
      for (let round = 0; round < 32; round++) {
        const stored = await Promise.all([
          one.publish(record(`one ${round}`), `one:1:${round}`, round),
          two.publish(record(`two ${round}`), `two:1:${round}`, round),
        ]);
        t.equal(stored.filter(Boolean).length, 1);
        const winner = stored[0] ? "one" : "two";
        t.equal(getText(await two.at(round + 1)), `${round + 1} ${winner} ${round}`);
      }
    });

    t.test(
      "an attempt of which nothing was heard is published again and stored once",
      async (t) => {
        const [log, other] = await open(t);
        t.ok(await log.publish(record("a"), "n:1:1", 0));
        t.ok(await log.publish(record("a"), "n:1:1", 0));
        t.equal(computeEnd(await log.end()), "1 a");
        t.notOk(await other.publish(record("b"), "m:1:1", 0));
        t.notOk(
          await log.publish(record("c"), "n:1:2", 7),
          "too far is as wrong as not far enough",
        );
      },
    );

    t.test("who follows hears all from where it begins, in order, as it comes", async (t) => {
      const [log, other] = await open(t);
      for (const [index, text] of ["a", "b", "c"].entries())
        await log.publish(record(text), `n:1:${index}`, index);
      const all = readDelivered(other, 2, 4);
      await log.publish(record("d"), "n:1:3", 3);
      await log.publish(record("e"), "n:1:4", 4);
      t.strictSame(await all, ["2 b", "3 c", "4 d", "5 e"]);
    });

    t.test("what was trimmed is gone, and the rest keeps its place", async (t) => {
      const [log, other] = await open(t);
      for (const [index, text] of ["a", "b", "c"].entries())
        await log.publish(record(text), `n:1:${index}`, index);
      await log.trim(0);
      t.equal((await log.size()).firstSeq, 1);
      await log.trim(2);
      t.equal(await log.at(2), undefined);
      t.equal(computeEnd(await log.end()), "3 c");
      t.ok(await log.publish(record("d"), "n:1:3", 3));
      t.strictSame(await readDelivered(other, 1, 2), ["3 c", "4 d"]);
      await log.trim(4);
      t.strictSame(await log.end(), { logSeq: 4, record: undefined }, "also without any entry");
      t.ok(await log.publish(record("e"), "n:1:4", 4));
    });

    t.test(
      "the end on which its servers agree is its end, and nothing is lost by asking",
      async (t) => {
        const [log, other] = await open(t);
        t.strictSame(await log.agreedEnd(), { logSeq: 0, record: undefined });
        for (const [index, text] of ["a", "b"].entries())
          await log.publish(record(text), `n:1:${index}`, index);
        t.equal(computeEnd(await other.agreedEnd()), "2 b");
        t.strictSame(await readDelivered(other, 1, 2), ["1 a", "2 b"]);
        await log.trim(2);
        t.strictSame(await other.agreedEnd(), { logSeq: 2, record: undefined });
        t.ok(await log.publish(record("c"), "n:1:2", 2));
      },
    );

    t.test("it says where it begins and how large it is", async (t) => {
      const [log] = await open(t);
      t.strictSame(await log.size(), { firstSeq: 1, bytes: 0 });
      for (const [index, text] of ["a", "b", "c"].entries())
        await log.publish(record(text.repeat(1_000)), `n:1:${index}`, index);
      const { firstSeq, bytes } = await log.size();
      t.equal(firstSeq, 1);
      t.ok(bytes >= 3_000);
      await log.trim(1);
      const rest = await log.size();
      t.equal(rest.firstSeq, 2);
      t.ok(rest.bytes < bytes);
      await log.trim(3);
      t.strictSame(await log.size(), { firstSeq: 4, bytes: 0 });
    });

    t.test("a record of 900 KiB arrives as it was", async (t) => {
      const [log, other] = await open(t);
      const bytes = Buffer.alloc(900 * 1024, "klieg ");
      t.ok(await log.publish(bytes, "n:1:1", 0));
      t.ok(Buffer.from((await other.end()).record ?? []).equals(bytes));
    });
  });
}

suite("in memory", async () => {
  const shared = new MemoryLog();
  return [shared.open(), shared.open()];
});

suite("in the simulation, without faults", async (t) => {
  const timeline = new Timeline();
  const log = new SimLog(timeline, new Dice(1));
  let isOver = false;
  t.teardown(() => {
    isOver = true;
  });
  const go = async () => {
    while (!isOver) await timeline.pass(1);
  };
  void go();
  const line = { life: undefined, sends: () => true, hears: () => true, isMute: () => false };
  return [log.open(line), log.open(line)];
});

function jetStream(name: string, startServers: (t: Test) => Promise<readonly NatsServer[]>): void {
  const started = startServers(t);
  let logs = 0;
  suite(name, async (t) => {
    const servers = (await started).map(({ url }) => url);
    const shard = String(logs++);
    const open = async () => {
      const connection = await connectNats({
        servers,
        credentials: undefined,
        name: "conformance",
      });
      t.teardown(() => connection.close());
      return openJetStreamLog(connection, shard);
    };
    return [await open(), await open()];
  });
}

jetStream("JetStream on one server", async (t) => [await startNats(t, { hasJetStream: true })]);
jetStream("JetStream on three servers", startNatsCluster);

t.test(
  "a server that the others have left returns an end, and none on which they agree",
  async (t) => {
    const servers = await startNatsCluster(t);
    const open = async (server: NatsServer) => {
      const credentials = undefined;
      const connection = await connectNats({ servers: [server.url], credentials, name: "left" });
      t.teardown(() => connection.close());
      return { log: await openJetStreamLog(connection, "0"), connection };
    };
    const nodes = await Promise.all(servers.map(open));
    const manager = await nodes[0]?.connection.jetstreamManager();
    const leader = (await manager?.streams.info("LOG_0"))?.cluster?.leader;
    const at = nodes.findIndex(({ connection }) => connection.info?.server_name === leader);
    const { log } = nodes[at] as (typeof nodes)[number];
    t.ok(await log.publish(record("a"), "n:1:1", 0));
    for (const server of servers) if (server !== servers[at]) await server.pause();
    t.equal(computeEnd(await log.end()), "1 a");
    await t.rejects(log.agreedEnd(), PortError);
  },
);
