import t from "tap";
import { Api } from "../../http/api.ts";
import { HopClient } from "../../http/cluster/hop-client.ts";
import { listenToNodes } from "../../http/cluster/hop-listener.ts";
import { HopNonces, HopSigner } from "../../http/cluster/hop-signature.ts";
import { routeTable } from "../../http/route-table.ts";
import { openInProcess } from "../spec/in-process-service.ts";
import { freePort } from "./raw-http.ts";

t.test("A7: a request is for one life of one node, and no other takes it", async (t) => {
  const { service, clock } = await openInProcess(t);
  const api = new Api(service, routeTable);
  const address = `127.0.0.1:${await freePort()}`;
  const signer = new HopSigner("a key that all nodes of the cluster share");
  const self = { node: "two", startedAtMs: 7 };
  const nonces = new HopNonces(clock);
  const listener = await listenToNodes(address, { self, api, parts: api, signer, nonces });
  const client = new HopClient({
    signer,
    clock,
    entropy: service.entropy,
    onRefused: () => undefined,
  });
  t.teardown(() => {
    client.close();
    listener.stopListening();
    listener.close();
  });
  const nothing = new Uint8Array(0);
  const request = {
    method: "GET",
    path: "/healthz",
    query: "",
    headers: {},
    address: "",
    body: nothing,
    incoming: undefined,
    keepBody: () => undefined,
    isGone: () => false,
    onGone: () => () => undefined,
  };
  const forwarded = { request, requestId: "one", credential: undefined, body: nothing };
  const send = async (node: string, startedAtMs: number) => {
    const life = { node, startedAtMs };
    return (await client.send({ life, address, isLiving: () => true }, forwarded)).kind;
  };
  t.equal(await send("two", 7), "answered");
  t.equal(await send("two", 6), "moved", "before it was started again");
  t.equal(await send("one", 7), "moved");
});
