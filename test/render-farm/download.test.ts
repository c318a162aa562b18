/** Downloads of providers' results to a farm node's disk. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { openWeb } from "../../engine/adapters/web.ts";
import { download, type FetchBounds } from "../../render-farm/fetch/download.ts";

const web = openWeb();
const bytes = Buffer.alloc(100_000, "kite");

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fetchBytes(t: Test, url: string, more: Partial<FetchBounds> = {}): Promise<Buffer> {
  const path = join(t.testdir(), "result");
  const { origin } = new URL(url);
  const bounds = {
    ownOrigins: [origin],
    allowedHosts: [],
    allowPrivate: false,
    bytesMax: 1_000_000,
    ...more,
  };
  await download(web, url, bounds, path, new AbortController().signal);
  return readFileSync(path);
}

t.test("result URLs are fetched only over the provider's allowed hosts", async (t) => {
  const url = await serve(t, (_, response) => response.end(bytes));
  t.ok((await fetchBytes(t, url)).equals(bytes), "the provider's own origin needs no entry");
  const notAllowed = { message: "The provider's result is on a host that is not allowed." };
  const others = { ownOrigins: [], allowedHosts: ["files.example"] };
  await t.rejects(fetchBytes(t, url, others), notAllowed);
  await t.rejects(fetchBytes(t, "ftp://files.example/kite", others), notAllowed);
  await t.rejects(fetchBytes(t, "http://afiles.example/", others), notAllowed);
  await t.rejects(
    fetchBytes(t, "http://example/", { ...others, allowedHosts: ["*.example"] }),
    notAllowed,
  );
});

t.test("private addresses are refused unless the provider entry allows them", async (t) => {
  const url = await serve(t, (_, response) => response.end(bytes));
  const there = { ownOrigins: [], allowedHosts: ["127.0.0.1"] };
  await t.rejects(fetchBytes(t, url, there), {
    message: "The provider's result could not be fetched.",
  });
  t.ok((await fetchBytes(t, url, { ...there, allowPrivate: true })).equals(bytes));
});

t.test("at most 3 redirects are followed, each checked", async (t) => {
  const inside: string[] = [];
  const trap = await serve(t, (request, response) => {
    inside.push(request.url ?? "");
    response.end("secret");
  });
  const url = await serve(t, (request, response) => {
    const left = Number(request.url?.slice(1));
    if (Number.isNaN(left)) response.writeHead(302, { location: `${trap}/inside` }).end();
    else if (left === 0) response.end(bytes);
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  });
  t.ok((await fetchBytes(t, `${url}/3`)).equals(bytes));
  await t.rejects(fetchBytes(t, `${url}/4`), {
    message: "The provider's result could not be fetched.",
  });
  await t.rejects(fetchBytes(t, `${url}/elsewhere`), { message: /a host that is not allowed/ });
  t.strictSame(inside, []);
});

t.test("a download that breaks off is resumed by Range where the bytes are the same", async (t) => {
  for (const [etag, ranges] of [
    ['"kite"', [undefined, /^bytes=[1-9]\d*-$/]],
    [undefined, [undefined, undefined]],
  ] as const) {
    const asked: (string | undefined)[] = [];
    const url = await serve(t, (request, response) => {
      asked.push(request.headers.range);
      const tag = etag === undefined ? {} : { etag };
      if (asked.length === 1) {
        response.writeHead(200, { ...tag, "content-length": bytes.length });
        response.write(bytes.subarray(0, 60_000), () => setImmediate(() => response.destroy()));
        return;
      }
      const from = Number(/\d+/.exec(request.headers.range ?? "")?.[0] ?? 0);
      const place = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
      response.writeHead(from === 0 ? 200 : 206, from === 0 ? tag : { "content-range": place });
      response.end(bytes.subarray(from));
    });
    t.ok((await fetchBytes(t, url)).equals(bytes), "every byte in its place");
    t.match(asked, ranges);
  }
});

t.test("a result larger than its limit is refused before and while it comes", async (t) => {
  const tooLarge = { message: "The provider's result is too large." };
  const declared = await serve(t, (_, response) => {
    response.writeHead(200, { "content-length": bytes.length }).end(bytes);
  });
  await t.rejects(fetchBytes(t, declared, { bytesMax: 99_999 }), tooLarge);
  const endless = await serve(t, (_, response) => {
    const more = () => response.write(bytes, (error) => (error ? undefined : setImmediate(more)));
    more();
  });
  await t.rejects(fetchBytes(t, endless), tooLarge);
});

t.test("three attempts are made where another may help", async (t) => {
  let asked = 0;
  let status = 503;
  const url = await serve(t, (_, response) => {
    asked++;
    response.writeHead(status).end("no");
  });
  const failed = { message: "The provider's result could not be fetched.", retryable: false };
  await t.rejects(fetchBytes(t, url), failed);
  t.equal(asked, 3);
  status = 400;
  await t.rejects(fetchBytes(t, url), failed);
  t.equal(asked, 4);
  status = 404;
  await t.rejects(fetchBytes(t, url), failed);
  t.equal(asked, 7, "what was made a moment ago may be there soon");
});
