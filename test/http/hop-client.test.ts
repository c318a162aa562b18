/** What a node learns from another node's answer to a forwarded request, and how it retries. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { systemEntropy } from "../../engine/adapters/system-entropy.ts";
import { type Forwarded, HopClient, type HopOutcome } from "../../http/cluster/hop-client.ts";
import { refusedHeader } from "../../http/cluster/hop-head.ts";
import { HopSigner } from "../../http/cluster/hop-signature.ts";
import { IncomingBody } from "../../http/transport/incoming-body.ts";

t.test("a node that refuses all is told of once, as is one that takes some again", async (t) => {
  let isRefusing = true;
  const { send, address, told } = await openHop(t, (_, response) => {
    if (isRefusing) response.writeHead(401, { [refusedHeader]: "1" });
    response.end();
  });
  const kind = async () => (await send()).kind;
  t.strictSame([await kind(), await kind()], ["unreached", "unreached"]);
  t.strictSame(told, [`${address} refuses`]);
  isRefusing = false;
  t.equal(await kind(), "answered");
  isRefusing = true;
  await kind();
  t.strictSame(told, [`${address} refuses`, `${address} takes`, `${address} refuses`]);
});

t.test("the connection of an answer that a client has whole is used again", async (t) => {
  const text = "x".repeat(200_000);
  const { send, connections } = await openHop(t, (_, response) => {
    response.writeHead(200, { "content-length": text.length }).end(text);
  });
  for (let time = 0; time < 3; time++) {
    t.equal(await readBytes(await send()), text.length);
    // The connection is free once the end of the answer was read as well.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }
  t.equal(connections(), 1);
});

t.test("an answer that comes before the whole body is relayed whole", async (t) => {
  const text = "There is no such composition.";
  const { send, connections } = await openHop(t, (_, response) => {
    response.writeHead(404, { "content-length": text.length }).end(text);
  });
  for (let time = 0; time < 2; time++) {
    const body = new IncomingBody(1_000, { pause() {}, resume() {} });
    body.push(Buffer.from("the first bytes"), false);
    const outcome = await send({ method: "PUT", body });
    const bytes = readBytes(outcome);
    // The rest of a body is dropped when its answer is there.
    body.drop();
    t.equal(await bytes, text.length);
  }
  t.equal(connections(), 2, "the connection of a request that has no end is used by no other");
});

async function openHop(t: Pick<Test, "teardown">, answer: RequestListener) {
  const server = createServer(answer);
  let connections = 0;
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const told: string[] = [];
  const client = new HopClient({
    signer: new HopSigner("a key of this node alone"),
    clock: systemClock,
    entropy: systemEntropy(),
    onRefused: (node, isRefused) => told.push(`${node} ${isRefused ? "refuses" : "takes"}`),
  });
  t.teardown(() => {
    client.close();
    server.close();
  });
  const nothing = new Uint8Array(0);
  const request = {
    method: "GET",
    path: "/parts/nodes",
    query: "",
    headers: {},
    address: "",
    body: nothing,
    incoming: undefined,
    keepBody: () => undefined,
    isGone: () => false,
    onGone: () => () => undefined,
  };
  const forwarded = { requestId: "one", credential: undefined };
  const life = { node: "two", startedAtMs: 5 };
  const send = ({ method = "GET", body = nothing as Forwarded["body"] } = {}) =>
    client.send(
      { life, address, isLiving: () => true },
      { ...forwarded, request: { ...request, method }, body },
    );
  return { send, address, told, connections: () => connections };
}

/** Reads a body as a client's connection does: with the last byte it is over. */
function readBytes(outcome: HopOutcome): Promise<number> {
  if (outcome.kind !== "answered" || typeof outcome.answer.body === "string")
    throw new Error("There is no such answer.");
  const { body } = outcome.answer;
  return new Promise((resolve, reject) => {
    let bytes = 0;
    const stop = body.start({
      write(chunk) {
        bytes += chunk.length;
        if (bytes === body.length) {
          stop();
          resolve(bytes);
        }
        return true;
      },
      unsent: () => 0,
      onDrain: () => undefined,
      end: () => reject(new Error("It ended before its last byte.")),
      abort: () => reject(new Error("It broke off.")),
    });
  });
}
