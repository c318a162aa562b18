/** Shards are spread over three nodes: what spans them works as on a single node. */
import t from "tap";
import { connectNats } from "../../engine/adapters/nats/nats.ts";
import { natsNodes } from "../../engine/adapters/nats/nats-nodes.ts";
import { askAny, hasAll, openCluster, submit } from "../crash/cluster-nodes.ts";

interface Page {
  readonly items: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

t.test("accounts, credits and lists span nodes", async (t) => {
  const { start, servers } = await openCluster(t, { KLIEG_SHARDS: "8" });
  const connection = await connectNats({
    servers: servers.map(({ url }) => url),
    credentials: undefined,
    name: "test",
  });
  t.teardown(() => connection.close());
  const owned = new Map<string, number>();
  const isSpread = new Promise<void>((resolve) => {
    natsNodes(connection).onAnnounced(({ node, shards }) => {
      owned.set(node, shards.filter(({ role }) => role === "owner").length);
      const all = [...owned.values()].reduce((sum, count) => sum + count, 0);
      if (owned.size === 3 && ![...owned.values()].includes(0) && all === 9) resolve();
    });
  });
  const nodes = [await start("a"), await start("b"), await start("c")];
  await isSpread;
  t.comment(`shards of each node: ${[...owned.values()].join(" ")}`);

  const made: string[] = [];
  for (let number = 0; number < 12; number++) {
    const { id } = await askAny<{ id: string }>(nodes.slice(number % 3), "/admin/accounts", {
      email: `spread-${number}@example.com`,
      credits: 10,
    });
    made.push(id);
    const given = { amount: 5, note: "for one more" };
    t.match(
      await askAny([nodes[number % 3] ?? { port: 0 }], `/admin/accounts/${id}/credits`, given),
      {
        balance_credits: 15,
      },
    );
  }
  const { items } = await askAny<Page>(nodes, "/admin/accounts?limit=12");
  t.strictSame(items.map(({ id }) => id).sort(), made.sort());
  const ids = await submit(nodes, 0, 60);
  await hasAll(t, nodes, ids);
  for (const node of nodes) {
    const listed: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: Page = await askAny<Page>([node], `/admin/jobs?limit=25${query}`);
      listed.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    t.strictSame(listed, ids.toReversed(), "newest first, each once, from any node");
    t.match(await askAny([node], "/admin/invariants?limit=100"), { items: [], jobs: 60 });
  }
});
