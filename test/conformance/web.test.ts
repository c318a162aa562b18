import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { openWeb } from "../../engine/adapters/web.ts";
import type { WebRequest } from "../../engine/ports/web.ts";

const web = openWeb();

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function get(url: string, more: Partial<WebRequest> = {}) {
  const { signal } = new AbortController();
  return web.ask({ url, redirectsMax: 0, mayBePrivate: true, signal, ...more });
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

t.test("an answer has its status, its headers and its bytes", async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(201, { "X-Kite": "red" }).end("up high");
  });
  const { status, headers, body } = await get(url);
  t.equal(status, 201);
  t.equal(headers["x-kite"], "red");
  t.equal(await readText(body), "up high");
});

t.test(
  "addresses that are not of the public internet are asked only where that may be",
  async (t) => {
    const url = await serve(t, (_, response) => response.end("inside"));
    const { port } = new URL(url);
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "2130706433",
      "0x7f.1",
      "10.0.0.1",
      "169.254.169.254",
      "192.168.1.1",
      "100.64.0.1",
      "[fd00::1]",
      "[fe80::1]",
      "0.0.0.0",
      "224.0.0.1",
      "[64:ff9b::7f00:1]",
    ])
      await t.rejects(
        get(`http://${host}:${port}/`, { mayBePrivate: false }),
        { name: "PortError", retryable: false },
        host,
      );
    t.equal(await web.isPrivate("127.0.0.1"), true);
    t.equal(await web.isPrivate("[::1]"), true);
    t.equal(await web.isPrivate("localhost"), true);
    t.equal(await web.isPrivate("93.184.216.34"), false);
  },
);

t.test("redirects are followed as often as is allowed, without the headers", async (t) => {
  const seen: (string | undefined)[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.headers["x-secret"] as string | undefined);
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end("there");
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  const headers = { "x-secret": "s" };
  const { body } = await get(`${url}/2`, { headers, redirectsMax: 2 });
  t.equal(await readText(body), "there");
  t.strictSame(seen, ["s", undefined, undefined]);
  t.equal((await get(`${url}/3`, { redirectsMax: 2 })).status, 302);
});

t.test("a redirect passes the same check of its address and protocol", async (t) => {
  const url = await serve(t, (request, response) => {
    response.writeHead(302, { location: request.url?.slice(1) }).end();
  });
  await t.rejects(get(`${url}/ftp://example.org`, { redirectsMax: 1 }), {
    name: "PortError",
    retryable: false,
  });
  await t.rejects(get(`${url}/file:///etc/passwd`, { redirectsMax: 1 }), {
    name: "PortError",
    retryable: false,
  });
});

t.test("silence, a broken answer and a signal are faults of the port", async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === "/silent") return;
    if (request.url === "/dead") response.destroy();
    else {
      response.writeHead(200, { "content-length": "9" });
      response.write("up");
      setImmediate(() => response.destroy());
    }
  });
  const { signal } = { signal: AbortSignal.abort() };
  await t.rejects(get(`${url}/silent`, { signal }), { name: "PortError", retryable: true });
  await t.rejects(get(`${url}/dead`), { name: "PortError", retryable: true });
  const { body } = await get(`${url}/broken`);
  await t.rejects(readText(body), { name: "PortError", retryable: true });
  await t.rejects(get("http://127.0.0.1:1/"), { name: "PortError", retryable: true });
});

t.test("an answer that is not wanted is ended", async (t) => {
  let isClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const url = await serve(t, (_, response) => {
    response.once("close", isClosed);
    response.writeHead(200).write("more to come");
  });
  (await get(url)).discard();
  await closed;
});
