/**
 * The listener as the wire sees it: raw bytes in, raw bytes out. uWebSockets.js reads its header limit
 * when it is loaded, so it is loaded after the limit is set.
 */
import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import t, { type Test } from "tap";
import type { Sink } from "../../http/answer.ts";
import { Api } from "../../http/api.ts";
import { type Route, route } from "../../http/route.ts";
import { routeTable } from "../../http/route-table.ts";
import { type InProcess, openInProcess } from "../spec/in-process-service.ts";
import { freePort, RawConnection } from "./raw-http.ts";

process.env["UWS_HTTP_MAX_HEADERS_SIZE"] = "32768";
const { listen } = await import("../../http/server.ts");

interface Heard {
  readonly house: InProcess;
  readonly port: number;
  readonly open: () => RawConnection;
}

async function heard(t: Test, connectionsPerAddress = 100, more: Route[] = []): Promise<Heard> {
  const house = await openInProcess(t);
  const port = await freePort();
  const api = new Api(house.service, [...routeTable, ...more]);
  const listener = await listen(
    api,
    { host: "127.0.0.1", port, connectionsPerAddress },
    systemClock,
  );
  const connections: RawConnection[] = [];
  t.teardown(() => {
    for (const connection of connections) connection.end();
    listener?.stopListening();
    listener?.close();
  });
  const open = () => {
    const connection = new RawConnection(port);
    connections.push(connection);
    return connection;
  };
  return { house, port, open };
}

const host = "Host: klieg.example\r\n";
const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\n${host}${more}\r\n`;

t.test("a request is answered, and the connection takes the next", async (t) => {
  const { open } = await heard(t);
  const connection = open();
  for (let n = 0; n < 3; n++) {
    connection.write(get("/healthz"));
    const { status, head, body } = await connection.reply();
    t.equal(status, 200);
    t.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    t.match(head, /X-Request-Id: req-/);
    t.match(JSON.parse(body.toString()), { status: "ok" });
  }
});

t.test("requests that arrive together are answered in order", async (t) => {
  const { open } = await heard(t);
  const connection = open();
  connection.write(get("/healthz") + get("/v1/me") + get("/v1/nothing"));
  const statuses = [await connection.reply(), await connection.reply(), await connection.reply()];
  t.strictSame(
    statuses.map(({ status }) => status),
    [200, 401, 404],
  );
});

t.test("a request whose headers and body arrive byte by byte is one request", async (t) => {
  const { open, house } = await heard(t);
  const { token } = await house.account();
  const connection = open();
  connection.socket.setNoDelay(true);
  const body = '{"model":"sim-instant","prompt":"a kite"}';
  connection.write("POST /v1/generate/image HTTP/1.1\r\n");
  const rest =
    `${host}Authorization: Bearer ${token}\r\n` + `Content-Length: ${body.length}\r\n\r\n${body}`;
  for (const byte of rest) {
    connection.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.equal((await connection.reply()).status, 202);
});

const post = (framing: string, body: string) =>
  `POST /v1/generate/image HTTP/1.1\r\n${host}${framing}\r\n${body}`;

const ambiguous: readonly (readonly [string, string])[] = [
  ["equal Content-Length headers", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")],
  ["conflicting Content-Length headers", post("Content-Length: 2\r\nContent-Length: 9\r\n", "{}")],
  [
    "Content-Length with Transfer-Encoding",
    post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
  ],
  [
    "Transfer-Encoding with Content-Length",
    post("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", "2\r\n{}\r\n0\r\n\r\n"),
  ],
  ["another transfer encoding", post("Transfer-Encoding: xchunked\r\n", "2\r\n{}\r\n0\r\n\r\n")],
  ["several encodings", post("Transfer-Encoding: gzip, chunked\r\n", "2\r\n{}\r\n0\r\n\r\n")],
  ["an identity encoding", post("Transfer-Encoding: identity\r\n", "{}")],
  [
    "two Transfer-Encoding headers",
    post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"),
  ],
  ["a Content-Length that is no number", post("Content-Length: 2x\r\n", "{}")],
  ["a negative Content-Length", post("Content-Length: -2\r\n", "{}")],
  ["a Content-Length with a sign", post("Content-Length: +2\r\n", "{}")],
];

t.test("ambiguous framing answers 400 and closes", async (t) => {
  const { open } = await heard(t);
  for (const [rule, bytes] of ambiguous) {
    const connection = open();
    connection.write(bytes);
    t.equal((await connection.reply()).status, 400, rule);
    t.ok(await connection.closesSilently(), `${rule}: and closes`);
  }
});

t.test("what follows an ambiguously framed request is not read as a request", async (t) => {
  const { open } = await heard(t);
  for (const [rule, bytes] of ambiguous) {
    const connection = open();
    connection.write(bytes + get("/healthz") + get("/healthz"));
    await Promise.race([connection.whenClosed, connection.seen("200 OK").catch(() => {})]);
    t.notOk(connection.rest.includes("200 OK"), rule);
    connection.end();
  }
});

t.test("a chunked body is read", async (t) => {
  const { open, house } = await heard(t);
  const { token } = await house.account();
  const connection = open();
  const chunks = ['{"model":"sim-', 'instant","prompt":', '"a kite"}'];
  const body = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
  const head = `Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n`;
  connection.write(post(head, `${body}0\r\n\r\n`));
  t.equal((await connection.reply()).status, 202);
});

t.test("NUL, backslash, %2e%2e, %2f and // in a path answer 400 and close", async (t) => {
  const { open } = await heard(t);
  for (const path of [
    "/v1/jobs\\x",
    "/v1/%2e%2e/healthz",
    "/v1/%2E%2e/healthz",
    "/v1%2fme",
    "/v1%2Fme",
    "//healthz",
    "/v1//me",
    "/objects//etc/passwd",
    "/v1/%00",
    "/v1/%5cme",
  ]) {
    const connection = open();
    connection.write(get(path));
    t.equal((await connection.reply()).status, 400, JSON.stringify(path));
    await connection.whenClosed;
  }
});

t.test("a NUL byte as such is refused too, and closes", async (t) => {
  const { open } = await heard(t);
  const connection = open();
  connection.write(get("/v1/\0me"));
  t.ok((await connection.reply()).status >= 400);
  await connection.whenClosed;
});

t.test("dots in a path lead nowhere", async (t) => {
  const { open } = await heard(t);
  for (const path of ["/v1/../healthz", "/objects/../../etc/passwd", "/./healthz"]) {
    const connection = open();
    connection.write(get(path));
    const { status } = await connection.reply();
    t.ok([400, 403, 404].includes(status), `${path}: ${status}`);
  }
});

t.test("an unknown method answers 405 with a problem", async (t) => {
  const { open } = await heard(t);
  for (const method of ["BREW", "PROPFIND", "get2"]) {
    const connection = open();
    connection.write(`${method} /v1/me HTTP/1.1\r\n${host}\r\n`);
    const { status, head, body } = await connection.reply();
    t.equal(status, 405, method);
    t.match(head, /\r\nAllow: GET, HEAD\r\n/);
    t.match(JSON.parse(body.toString()), { title: "Method Not Allowed" });
  }
});

t.test("a header block over 16 KiB answers 431", async (t) => {
  const { open } = await heard(t);
  const small = open();
  small.write(get("/healthz", `X-Filler: ${"x".repeat(15_000)}\r\n`));
  t.equal((await small.reply()).status, 200);
  const large = open();
  large.write(get("/healthz", `X-Filler: ${"x".repeat(17_000)}\r\n`));
  const { status, body } = await large.reply();
  t.equal(status, 431);
  t.match(JSON.parse(body.toString()), { title: "Headers Too Large" });
  await large.whenClosed;
  const huge = open();
  huge.write(get("/healthz", `X-Filler: ${"x".repeat(100_000)}\r\n`));
  t.equal((await huge.reply()).status, 431);
});

t.test("a URL over 8 KiB answers 414", async (t) => {
  const { open } = await heard(t);
  const short = open();
  short.write(get(`/v1/${"x".repeat(8_000)}`));
  t.equal((await short.reply()).status, 404);
  for (const path of [`/v1/${"x".repeat(8_300)}`, `/v1/jobs?cursor=${"x".repeat(8_300)}`]) {
    const connection = open();
    connection.write(get(path));
    const { status, body } = await connection.reply();
    t.equal(status, 414);
    t.match(JSON.parse(body.toString()), { title: "URI Too Long" });
    await connection.whenClosed;
  }
});

t.test("a body over its limit answers 413 while it arrives", async (t) => {
  const { open, house } = await heard(t);
  const { token } = await house.account();
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const announced = open();
  announced.write(post(`${bearer}Content-Length: 300000\r\n`, "{"));
  t.equal((await announced.reply()).status, 413, "before the body is there");
  await announced.whenClosed;
  const chunked = open();
  chunked.write(post(`${bearer}Transfer-Encoding: chunked\r\n`, ""));
  for (let n = 0; n < 5; n++) chunked.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  const { status, body } = await chunked.reply();
  t.equal(status, 413);
  t.match(JSON.parse(body.toString()), { limit_bytes: 262_144 });
  await chunked.whenClosed;
});

t.test("a body for a route that takes none is not kept", async (t) => {
  const { open } = await heard(t);
  const connection = open();
  connection.write(
    `GET /healthz HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello${get("/v1/me")}`,
  );
  t.equal((await connection.reply()).status, 200);
  t.equal((await connection.reply()).status, 401, "the next request begins behind it");
});

t.test("HEAD answers with the length and without the body", async (t) => {
  const { open } = await heard(t);
  const connection = open();
  connection.write(`HEAD /healthz HTTP/1.1\r\n${host}\r\n`);
  const { status, head } = await connection.reply(true);
  t.equal(status, 200);
  const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1]);
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).body.length, length);
});

t.test("HEAD of an object answers with its length", async (t) => {
  const { open, house } = await heard(t);
  await house.service.objects.put("some/one.png", [Buffer.alloc(100_000)]);
  const { url } = house.service.signedUrls.sign("some/one.png", house.clock.nowMs());
  const connection = open();
  connection.write(`HEAD ${url.replace(/^https:\/\/[^/]+/, "")} HTTP/1.1\r\n${host}\r\n`);
  const { status, head } = await connection.reply(true);
  t.equal(status, 200);
  t.match(head, /\r\nContent-Length: 100000(\r\n|$)/i);
});

t.test("304 has no body, and the connection goes on", async (t) => {
  const { open, house } = await heard(t);
  const ada = await house.account();
  const bearer = `Authorization: Bearer ${ada.token}\r\n`;
  const etag = (await ada.get("/v1/models")).headers["etag"];
  const connection = open();
  connection.write(get("/v1/models", `${bearer}If-None-Match: ${etag}\r\n`));
  t.equal((await connection.reply()).status, 304);
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).status, 200);
});

t.test("no header of a request can put a line break into an answer", async (t) => {
  const { open } = await heard(t);
  for (const id of ["a%0d%0aSet-Cookie: b", "a\nSet-Cookie: b", "a\rSet-Cookie: b"]) {
    const connection = open();
    connection.write(get("/healthz", `X-Request-Id: ${id}\r\n`));
    const head = await connection.reply().then(
      (reply) => reply.head,
      () => "closed without an answer",
    );
    t.notMatch(head, /Set-Cookie/, JSON.stringify(id));
  }
});

t.test("one address has a limited number of connections", async (t) => {
  const { open } = await heard(t, 4);
  const connections = [open(), open(), open(), open()];
  for (const connection of connections) {
    connection.write(get("/healthz"));
    t.equal((await connection.reply()).status, 200);
  }
  const fifth = open();
  fifth.write(get("/healthz"));
  await fifth.whenClosed;
  t.equal(fifth.rest, "", "it is closed without an answer");
  connections[0]?.end();
  let status = 0;
  while (status === 0) {
    const next = open();
    next.write(get("/healthz"));
    status = await next.reply().then(
      (reply) => reply.status,
      () => 0,
    );
  }
  t.equal(status, 200, "one that closes makes room, as soon as the service hears of it");
});

t.test("an object of several MiB arrives whole, in parts, and for a slow reader", async (t) => {
  const { open, house } = await heard(t);
  const bytes = randomBytes(6 * 1024 * 1024);
  await house.service.objects.put("large/one.png", [bytes]);
  const { url } = house.service.signedUrls.sign("large/one.png", house.clock.nowMs());
  const path = url.replace(/^https:\/\/[^/]+/, "");
  const connection = open();
  connection.write(get(path));
  const whole = await connection.reply();
  t.equal(whole.status, 200);
  t.ok(whole.body.equals(bytes));
  connection.write(get(path, "Range: bytes=1000000-4999999\r\n"));
  const part = await connection.reply();
  t.equal(part.status, 206);
  t.match(part.head, /Content-Range: bytes 1000000-4999999\/6291456/);
  t.ok(part.body.equals(bytes.subarray(1_000_000, 5_000_000)));
  const slow = open();
  slow.write(get(path));
  await slow.seen("\r\n\r\n");
  slow.socket.pause();
  for (let n = 0; n < 50; n++) await house.settle();
  slow.socket.resume();
  t.ok((await slow.reply()).body.equals(bytes), "nothing is lost while it pauses");
});

t.test("a client that leaves in the middle of an object does no harm", async (t) => {
  const { open, house } = await heard(t);
  await house.service.objects.put("large/two.png", [randomBytes(6 * 1024 * 1024)]);
  const { url } = house.service.signedUrls.sign("large/two.png", house.clock.nowMs());
  const leaver = open();
  leaver.write(get(url.replace(/^https:\/\/[^/]+/, "")));
  await leaver.seen("\r\n\r\n");
  leaver.end();
  await leaver.whenClosed;
  const connection = open();
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).status, 200);
});

t.test("an event stream arrives frame by frame and ends", async (t) => {
  const { open, house } = await heard(t);
  const ada = await house.account();
  const job = await ada.job("sim:slow=1000");
  const ticket = await house.ticket(ada, job.id);
  const connection = open();
  connection.write(get(`/v1/jobs/${job.id}/sse?ticket=${ticket}`));
  await connection.seen("event: status");
  await house.advance(1_250);
  await connection.seen("event: complete");
  await connection.whenClosed;
  t.match(connection.rest, /Content-Type: text\/event-stream; charset=utf-8/);
  t.match(connection.rest, /retry: 5000/);
});

t.test("a client that leaves its stream gives its place back", async (t) => {
  const { open, house } = await heard(t, 300);
  const ada = await house.account();
  const job = await ada.job("sim:slow=60000");
  for (let n = 0; n < 101; n++) {
    const ticket = await house.ticket(ada, job.id);
    const connection = open();
    connection.write(get(`/v1/jobs/${job.id}/sse?ticket=${ticket}`));
    await connection.seen("event: status");
    connection.end();
    await connection.whenClosed;
  }
  t.pass("101 streams, one after the other");
});

t.test("what a slow reader leaves unread is counted, and its stream can be cut", async (t) => {
  let whenCut = () => {};
  const cut = new Promise<void>((resolve) => {
    whenCut = resolve;
  });
  const flood = route("GET", "/flood", {
    access: "open",
    run: () => ({ status: 200, headers: [], body: { length: undefined, start: pour } }),
  });
  const line = "x".repeat(1_024);
  function pour(sink: Sink): () => void {
    let isGone = false;
    const more = () => {
      if (isGone) return;
      for (let n = 0; n < 64 && sink.unsent() <= 65_536; n++) sink.write(line);
      if (sink.unsent() <= 65_536) setImmediate(more);
      else sink.abort();
    };
    more();
    return () => {
      isGone = true;
      whenCut();
    };
  }
  const { port } = await heard(t, 100, [flood]);
  const socket = new Socket();
  t.teardown(() => socket.destroy());
  socket.connect(port, "127.0.0.1");
  socket.pause();
  socket.write(get("/flood"));
  await cut;
  t.pass("the connection is broken off although nobody reads");
});
