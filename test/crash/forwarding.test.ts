/** Tests that any node takes any request: two real services, of which the second owns no shard. */
import { request } from "node:http";
import t from "tap";
import type { AdminNode, AdminNodeList } from "../../contract/admin.ts";
import type { Job } from "../../contract/job.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { askAny, openCluster } from "./cluster-nodes.ts";
import { firstToken } from "./klieg-process.ts";

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

async function send(
  port: number,
  method: string,
  path: string,
  body?: object,
  token = firstToken,
): Promise<Reply> {
  const reply = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  const json = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: reply.status, headers: reply.headers, json };
}

t.test("any node takes any request and forwards it whole to its owner", async (t) => {
  const { start } = await openCluster(t);
  const first = await start("first");
  const second = await start("second");
  const { port } = second;
  await askAny([second], "/me");

  t.test("a submit, its reading, wait and stream", async (t) => {
    const body = { model: "sim-instant", prompt: "a kite over the dunes" };
    const { status, json, headers } = await send(port, "POST", "/generate/image", body);
    t.equal(status, 202);
    t.match(headers.get("x-request-id"), /^req-/);
    t.equal(headers.get("x-content-type-options"), "nosniff", "once");
    const id = String(json["id"]);
    const ticket = await send(port, "POST", `/jobs/${id}/sse-ticket`);
    t.equal(ticket.status, 201);
    const stream = await fetch(
      `http://127.0.0.1:${port}/v1/jobs/${id}/sse?ticket=${ticket.json["ticket"]}`,
    );
    t.match(await stream.text(), /^retry: 5000\n\n(.|\n)*event: complete\n/);
    const waited = await send(port, "GET", `/jobs/${id}/wait?timeout_seconds=20`);
    t.match(waited, { status: 200, json: { id, status: "succeeded" } });
    t.match(await send(first.port, "GET", `/jobs/${id}`), { status: 200, json: { id } });
    const list = await send(port, "GET", "/admin/jobs");
    t.match(list.json["items"], [{ id }]);
    t.match(await send(port, "GET", "/jobs/no-id"), { status: 404 });
    t.match((await send(port, "GET", "/admin/invariants")).json, { items: [], jobs: 1 });
    const head = await fetch(`http://127.0.0.1:${port}/v1/jobs/${id}`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${firstToken}` },
    });
    t.ok(Number(head.headers.get("content-length")) > 100);
  });

  t.test("what the directory keeps is asked of its owner, and known to all at once", async (t) => {
    const made = await send(port, "POST", "/admin/accounts", {
      email: "forwarded@example.com",
      credits: 50,
      issue_token: true,
    });
    t.match(made, { status: 201, json: { balance_credits: 50 } });
    const token = String(made.json["token"]);
    for (const node of [first, second])
      t.match(await send(node.port, "GET", "/me", undefined, token), {
        status: 200,
        json: { email: "forwarded@example.com", balance_credits: 50 },
      });
    const organization = await send(port, "POST", "/organizations", { name: "Lamps" }, token);
    t.match(organization, { status: 201, json: { name: "Lamps", balance_credits: 0 } });
    const id = String(organization.json["id"]);
    const choose = () =>
      send(port, "PUT", "/me/active-organization", { organization_id: id }, token);
    t.match(await choose(), { status: 200, json: { balance_credits: 0 } }, "not paid for yet");
    const given = { amount: 7, note: "for lamps" };
    t.match(await send(port, "POST", `/admin/organizations/${id}/credits`, given), {
      status: 200,
      json: { balance_credits: 7 },
    });
    t.match(await choose(), { status: 200, json: { balance_credits: 7 } });
    t.match(await send(port, "GET", "/organizations", undefined, token), {
      json: { items: [{ id, balance_credits: 7 }] },
    });
    const own = await send(port, "POST", "/tokens", { name: "for a while" }, token);
    const mine = String(own.json["token"]);
    t.equal((await send(first.port, "GET", "/me", undefined, mine)).status, 200);
    t.equal(
      (await send(port, "DELETE", `/tokens/${own.json["id"]}`, undefined, token)).status,
      204,
    );
    for (const node of [first, second])
      t.equal(
        (await send(node.port, "GET", "/me", undefined, mine)).status,
        401,
        "revoked at once",
      );
  });

  t.test("what concerns every node is asked of every node", async (t) => {
    t.match(await send(port, "GET", "/admin/providers"), { status: 200 });
    t.match(await send(port, "POST", "/admin/models:reload", {}), { status: 200 });
  });

  t.test("bytes that come in and go out", async (t) => {
    const bytes = Buffer.concat([simulatedMedia.image.bytes, Buffer.alloc(2_000_000)]);
    const form = new FormData();
    form.append("file", new Blob([bytes], { type: "image/png" }), "kite.png");
    const reply = await fetch(`http://127.0.0.1:${port}/v1/assets`, {
      method: "POST",
      headers: { authorization: `Bearer ${firstToken}` },
      body: form,
    });
    const asset = (await reply.json()) as { id: string };
    t.equal(reply.status, 201, JSON.stringify(asset));
  });

  t.test("a request without a signature, or one that came before, is refused", async (t) => {
    const refused = await fetch(`http://127.0.0.1:${first.clusterPort}/v1/me`, {
      headers: { authorization: `Bearer ${firstToken}` },
    });
    t.equal(refused.status, 401);
    t.equal(await refused.text(), "");
    const forged = request({
      host: "127.0.0.1",
      port: first.clusterPort,
      path: "/v1/me",
      headers: { "x-klieg-hop": "e30", "x-klieg-signature": "e30" },
    });
    forged.end();
    const status = await new Promise((resolve) =>
      forged.on("response", (response) => resolve(response.statusCode)),
    );
    t.equal(status, 401);
  });

  t.test("a dead owner is a 503 with Retry-After, and streams ask to come again", async (t) => {
    const body = { model: "studio-image", prompt: "a kite that waits for a farm" };
    const { json } = await send(port, "POST", "/generate/image", body);
    const ticket = await send(port, "POST", `/jobs/${json["id"]}/sse-ticket`);
    const stream = await fetch(
      `http://127.0.0.1:${port}/v1/jobs/${json["id"]}/sse?ticket=${ticket.json["ticket"]}`,
    );
    await first.kill("SIGKILL");
    t.match(await stream.text(), /event: reconnect\ndata: \{\}\n\n$/);
    const refused = await send(port, "GET", `/jobs/${json["id"]}`);
    t.equal(refused.status, 503);
    t.match(refused.headers.get("retry-after"), /^\d+$/);
    const found = await askAny<Job>([second], `/jobs/${json["id"]}`);
    t.equal(found.id, json["id"], "the other node took over");
  });

  t.test("a node that drains hands over, ends its streams and forwards", async (t) => {
    const third = await start("first");
    const body = { model: "studio-image", prompt: "a kite that waits on" };
    const { id } = await askAny<Job>([second], "/generate/image", body);
    const { ticket } = await askAny<{ ticket: string }>([second], `/jobs/${id}/sse-ticket`, {});
    const stream = await fetch(`http://127.0.0.1:${port}/v1/jobs/${id}/sse?ticket=${ticket}`);
    const readNode = async (node: { readonly clusterPort: number }) => {
      const { items } = await askAny<AdminNodeList>([third], "/admin/nodes");
      const engines = items.filter(({ kind }) => kind === "engine");
      return engines.find(({ address }) => address === `127.0.0.1:${node.clusterPort}`);
    };
    // The drain is refused as long as no other node is known to be live.
    for (let status: unknown; status !== "draining"; ) {
      const { id: node = "" } = (await readNode(second)) ?? {};
      if (node === "") continue;
      ({ status } = await askAny<AdminNode>([third], `/admin/nodes/${node}:drain`, {}));
    }
    t.match(await stream.text(), /event: reconnect\n/);
    const isOfBoth = async (node: { readonly clusterPort: number }, is: "owner" | "standby") => {
      const shards = (await readNode(node))?.shards ?? [];
      return shards.length === 2 && shards.every(({ role }) => role === is);
    };
    while (!(await isOfBoth(third, "owner")));
    t.equal((await askAny<Job>([second], `/jobs/${id}`)).id, id, "it forwards");
    while (!(await isOfBoth(second, "standby")));
    t.match(await readNode(second), { status: "draining" });
    t.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 503);
    // Killed here, because their folders are removed as soon as this test ends.
    await Promise.all([second, third].map((node) => node.kill("SIGKILL")));
  });
});
