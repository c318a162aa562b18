/** What a node learns from how another takes what is forwarded to it. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { HopClient } from "../../http/cluster/hop-client.ts";
import { refusedHeader } from "../../http/cluster/hop-head.ts";
import { HopSigner } from "../../http/cluster/hop-signature.ts";

t.test("a node that refuses all is told of once, and again when it has taken some", async (t) => {
  let isRefusing = true;
  const server = createServer((_, response) => {
    if (isRefusing) response.writeHead(401, { [refusedHeader]: "1" });
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: string[] = [];
  const client = new HopClient({
    signer: new HopSigner("a key of this node alone"),
    clock: systemClock,
    entropy: systemEntropy(),
    onRefused: (node) => told.push(node),
  });
  t.teardown(() => {
    client.close();
    server.close();
  });
  const nothing = new Uint8Array(0);
  const request = {
    ...{ method: "GET", path: "/parts/nodes", query: "", headers: {}, address: "" },
    ...{ body: nothing, incoming: undefined },
    keepBody: () => undefined,
    isGone: () => false,
    onGone: () => () => undefined,
  };
  const forwarded = { request, requestId: "one", credential: undefined, body: nothing };
  const send = async () => (await client.send({ address, isLiving: () => true }, forwarded)).kind;
  t.strictSame([await send(), await send()], ["unreached", "unreached"]);
  t.strictSame(told, [address]);
  isRefusing = false;
  t.equal(await send(), "answered");
  isRefusing = true;
  await send();
  t.strictSame(told, [address, address]);
});
