/** The listener as the wire sees it: raw bytes in, raw bytes out. */
import t from "tap";
import { route } from "../../http/route.ts";
import { get, hear, host } from "./heard.ts";

t.test("a request is answered, and the connection takes the next", async (t) => {
  const { open } = await hear(t);
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
  const { open } = await hear(t);
  const connection = open();
  connection.write(get("/healthz") + get("/v1/me") + get("/v1/nothing"));
  const statuses = [await connection.reply(), await connection.reply(), await connection.reply()];
  t.strictSame(
    statuses.map(({ status }) => status),
    [200, 401, 404],
  );
});

t.test("a request whose headers and body arrive byte by byte is one request", async (t) => {
  const { open, house } = await hear(t);
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
  const { open } = await hear(t);
  for (const [rule, bytes] of ambiguous) {
    const connection = open();
    connection.write(bytes);
    t.equal((await connection.reply()).status, 400, rule);
    t.ok(await connection.closesSilently(), `${rule}: and closes`);
  }
});

t.test("what follows an ambiguously framed request is not read as a request", async (t) => {
  const { open } = await hear(t);
  for (const [rule, bytes] of ambiguous) {
    const connection = open();
    connection.write(bytes + get("/healthz") + get("/healthz"));
    await Promise.race([connection.whenClosed, connection.awaitText("200 OK").catch(() => {})]);
    t.notOk(connection.rest.includes("200 OK"), rule);
    connection.end();
  }
});

t.test("a chunked body is read", async (t) => {
  const { open, house } = await hear(t);
  const { token } = await house.account();
  const connection = open();
  const chunks = ['{"model":"sim-', 'instant","prompt":', '"a kite"}'];
  const body = chunks.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join("");
  const head = `Authorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n`;
  connection.write(post(head, `${body}0\r\n\r\n`));
  t.equal((await connection.reply()).status, 202);
});

t.test("an empty segment of a path answers 404 (D7)", async (t) => {
  const { open } = await hear(t);
  const connection = open();
  for (const path of ["//healthz", "/v1//me", "/v1//jobs"]) {
    connection.write(get(path));
    t.equal((await connection.reply()).status, 404, path);
  }
});

t.test("NUL, backslash, %2e%2e and %2f in a path answer 400 and close", async (t) => {
  const { open } = await hear(t);
  for (const path of [
    "/v1/jobs\\x",
    "/v1/%2e%2e/healthz",
    "/v1/%2E%2e/healthz",
    "/v1%2fme",
    "/v1%2Fme",
    "/v1/%00",
    "/v1/%5cme",
  ]) {
    const connection = open();
    connection.write(get(path));
    const { status, body } = await connection.reply();
    t.equal(status, 400, JSON.stringify(path));
    t.match(JSON.parse(body.toString()), { errors: [{ pointer: "" }] });
    await connection.whenClosed;
  }
});

t.test("C6: whatever is no share token answers 404 as an unknown one does", async (t) => {
  const { open } = await hear(t);
  const unknown = "A".repeat(23);
  for (const token of [
    unknown,
    "%00",
    "%2e%2e",
    "%2Fetc",
    "%5c",
    "a\\b",
    "caf\u00e9",
    "%E0%A4%A",
    "..",
    "a:revoke",
    "x".repeat(4_000),
  ]) {
    const connection = open();
    const same = "X-Request-Id: same\r\n";
    connection.write(get(`/v1/share/${token}`, same));
    const { status, body } = await connection.reply();
    t.equal(status, 404, token);
    connection.write(get(`/v1/share/${unknown}`, same));
    t.strictSame(body, (await connection.reply()).body, "and the connection goes on");
  }
  const connection = open();
  for (const path of ["/v1/share", "/v1/share/", "/v1/share//", `/v1/share//${unknown}`]) {
    connection.write(get(path));
    t.equal((await connection.reply()).status, 404, path);
  }
});

t.test("a NUL byte as such is refused too, and closes", async (t) => {
  const { open } = await hear(t);
  const connection = open();
  connection.write(get("/v1/\0me"));
  t.ok((await connection.reply()).status >= 400);
  await connection.whenClosed;
});

t.test("dots in a path lead nowhere", async (t) => {
  const { open } = await hear(t);
  for (const path of ["/v1/../healthz", "/objects/../../etc/passwd", "/./healthz"]) {
    const connection = open();
    connection.write(get(path));
    const { status } = await connection.reply();
    t.ok([400, 403, 404].includes(status), `${path}: ${status}`);
  }
});

t.test("an unknown method answers 405 with a problem", async (t) => {
  const { open } = await hear(t);
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
  const { open } = await hear(t);
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
  const { open } = await hear(t);
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
  const { open, house } = await hear(t);
  const { token } = await house.account();
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const announced = open();
  announced.write(post(`${bearer}Content-Length: 300000\r\n`, "{"));
  t.equal((await announced.reply()).status, 413, "before the body is there");
  announced.write(`${"x".repeat(299_999)}${get("/healthz")}`);
  t.equal((await announced.reply()).status, 200, "and the connection goes on behind the body");
  const chunked = open();
  chunked.write(post(`${bearer}Transfer-Encoding: chunked\r\n`, ""));
  for (let n = 0; n < 5; n++) chunked.write(`10000\r\n${"x".repeat(0x10000)}\r\n`);
  chunked.write("0\r\n\r\n");
  const { status, body } = await chunked.reply();
  t.equal(status, 413);
  t.match(JSON.parse(body.toString()), { limit_bytes: 262_144 });
  await chunked.whenClosed;
});

t.test("413 is readable for a client that sends 64 MiB before it reads (D8)", async (t) => {
  const { open, house } = await hear(t);
  const { token } = await house.account();
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const bytes = 64 * 1024 * 1024;
  const bodies = [`${post(`${bearer}Content-Length: ${bytes}\r\n`, "")}`, get("/v1/me")];
  const connection = open();
  connection.socket.pause();
  connection.write(bodies[0] ?? "");
  for (let sent = 0; sent < bytes; sent += 1024 * 1024)
    connection.write(Buffer.alloc(1024 * 1024, "x"));
  connection.write(bodies[1] ?? "");
  connection.socket.resume();
  t.equal((await connection.reply()).status, 413);
  t.equal((await connection.reply()).status, 401, "the next request is answered too");
});

t.test("a body of which nothing comes for 30 seconds answers 400, and closes (D7)", async (t) => {
  const { open, house } = await hear(t);
  const { token } = await house.account();
  const bearer = `Authorization: Bearer ${token}\r\n`;
  for (const start of [
    post(`${bearer}Content-Length: 20\r\n`, '{"model":'),
    post(`${bearer}Content-Length: 20\r\n`, ""),
    post(`${bearer}Transfer-Encoding: chunked\r\n`, "2\r\n{}\r\n"),
    `POST /v1/assets HTTP/1.1\r\n${host}${bearer}Content-Length: 900\r\n` +
      "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n",
  ]) {
    const connection = open();
    connection.write(`${start} `);
    await house.settle();
    const answer = connection.reply();
    let isAnswered = false;
    void answer.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) await house.advance(5_000);
    const { status, body } = await answer;
    t.equal(status, 400);
    t.match(JSON.parse(body.toString()), { detail: /30 seconds/ });
    await connection.whenClosed;
  }
});

t.test("a body for a route that takes none is not kept", async (t) => {
  const { open } = await hear(t);
  const connection = open();
  connection.write(
    `GET /healthz HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello${get("/v1/me")}`,
  );
  t.equal((await connection.reply()).status, 200);
  t.equal((await connection.reply()).status, 401, "the next request begins behind it");
});

t.test("HEAD answers with the length and without the body", async (t) => {
  const { open } = await hear(t);
  const connection = open();
  connection.write(`HEAD /healthz HTTP/1.1\r\n${host}\r\n`);
  const { status, head } = await connection.reply(true);
  t.equal(status, 200);
  const length = Number(/Content-Length: (\d+)/i.exec(head)?.[1]);
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).body.length, length);
});

t.test("HEAD of an object answers with its length", async (t) => {
  const { open, house } = await hear(t);
  await house.service.objects.put("some/one.png", [Buffer.alloc(100_000)]);
  const { url } = house.service.signedUrls.sign("some/one.png", house.clock.nowMs());
  const connection = open();
  connection.write(`HEAD ${url.replace(/^https:\/\/[^/]+/, "")} HTTP/1.1\r\n${host}\r\n`);
  const { status, head } = await connection.reply(true);
  t.equal(status, 200);
  t.match(head, /\r\nContent-Length: 100000(\r\n|$)/i);
});

t.test("304 has no body, and the connection goes on", async (t) => {
  const { open, house } = await hear(t);
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
  const { open } = await hear(t);
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

t.test("a header with a line break is left out of the answer", async (t) => {
  const loose = route("GET", "/loose", {
    summary: "A route of this test",
    answers: {},
    access: "open",
    run: () => ({ status: 200, headers: [["X-Loose", "a\r\nSet-Cookie: b"]], body: "" }),
  });
  const { open } = await hear(t, 100, [loose]);
  const connection = open();
  connection.write(get("/loose"));
  const { status, head } = await connection.reply();
  t.equal(status, 200);
  t.notMatch(head, /Set-Cookie|X-Loose/);
  connection.write(get("/healthz"));
  t.equal((await connection.reply()).status, 200, "the service goes on");
});
