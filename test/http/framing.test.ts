/** What the listener reads of a request, and what else may come in the same packet. */
import type { Test } from "tap";
import t from "tap";
import { json } from "../../http/exchange/answer.ts";
import { route } from "../../http/route.ts";
import type { Caller } from "../spec/caller.ts";
import { get, hear, host } from "./heard.ts";

const body = '{"model":"sim-instant","prompt":"a kite"}';
const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;

async function countJobs(caller: Caller): Promise<number> {
  return (await caller.get<{ items: unknown[] }>("/v1/jobs")).json.items.length;
}

async function open(t: Test) {
  const { open, house } = await hear(t);
  const caller = await house.account();
  const post = (framing: string, bytes: string) =>
    `POST /v1/generate/image HTTP/1.1\r\n${host}Authorization: Bearer ${caller.token}\r\n` +
    `${framing}\r\n\r\n${bytes}`;
  return { open, house, caller, post };
}

t.test("C3: what the listener refuses is not carried out", async (t) => {
  const { open: connect, caller, post } = await open(t);
  const whole = `Content-Length: ${body.length}`;
  const chunked = "Transfer-Encoding: chunked";
  for (const [rule, bytes] of [
    ["trailers", post(chunked, `${chunk}0\r\nX-Sum: 1\r\n\r\n`)],
    ["announced trailers", post(`${chunked}\r\nTrailer: X-Sum`, `${chunk}0\r\nX-Sum: 1\r\n\r\n`)],
    ["a trailer like a request", post(chunked, `${chunk}0\r\nGET: /v1/me HTTP/1.1\r\n${host}\r\n`)],
    ["a chunk's extension", post(chunked, `${chunk}0;x=y\r\n\r\n`)],
    ["an absolute target", post(whole, body).replace(" /", " http://klieg.example/")],
    ["HTTP/1.0", post(whole, body).replace("HTTP/1.1", "HTTP/1.0")],
    ["what is no request behind the body", post(whole, `${body}what is this?\r\n\r\n`)],
    ["a second request behind it", post(whole, body) + post(whole, body)],
  ] as const) {
    const connection = connect();
    connection.write(bytes);
    await connection.whenClosed;
    t.notMatch(connection.rest, /^HTTP\/1.1 2/, rule);
    t.equal(await countJobs(caller), 0, rule);
  }
});

t.test("C1: the listener answers by itself what the operator's guide says", async (t) => {
  const { open: connect, post } = await open(t);
  const field = "X-A: b\r\n";
  for (const [bytes, status] of [
    [get("/healthz").replace("HTTP/1.1", "HTTP/1.0"), 505],
    [get("http://klieg.example/healthz"), 505],
    [get("*").replace("GET", "OPTIONS"), 505],
    [post("Transfer-Encoding: chunked", `zz\r\n${body}\r\n0\r\n\r\n`), 400],
    [post("Transfer-Encoding: chunked", `${chunk}0;x=y\r\n\r\n`), 400],
    [get("/healthz", field.repeat(150)), 431],
    [get("/healthz", `X-A: ${"b".repeat(40_000)}\r\n`), 431],
  ] as const) {
    const connection = connect();
    connection.write(bytes);
    const reply = await connection.reply();
    t.equal(reply.status, status, bytes.slice(0, 60));
    t.match(reply.body.toString(), /^<h1>/);
    await connection.whenClosed;
  }
});

t.test("C3: no request without a body is carried out and refused either", async (t) => {
  const { open: connect, caller, post } = await open(t);
  const { id } = (await caller.post<{ id: string }>("/v1/compositions", { name: "one" })).json;
  const remove = post("X-A: b", "").replace(
    "POST /v1/generate/image",
    `DELETE /v1/compositions/${id}`,
  );
  const chunked = remove.replace("X-A: b", "Transfer-Encoding: chunked");
  for (const bytes of [`${remove}what is this?\r\n\r\n`, `${chunked}0\r\nX-Sum: 1\r\n\r\n`]) {
    const connection = connect();
    connection.write(bytes);
    await connection.whenClosed;
    t.equal((await caller.get(`/v1/compositions/${id}`)).status, 200);
  }
  const connection = connect();
  connection.write(`${chunked}0\r\n\r\n`);
  t.equal((await connection.reply()).status, 204);
  t.equal((await caller.get(`/v1/compositions/${id}`)).status, 404);
});

t.test("C3: trailers that come late are no request", async (t) => {
  const { open: connect, house, caller, post } = await open(t);
  const connection = connect();
  connection.write(post("Transfer-Encoding: chunked", `${chunk}0\r\n`));
  await connection.awaitText("Connection: close");
  connection.write(`GET: /v1/me HTTP/1.1\r\n${host}\r\n`);
  t.equal((await connection.reply()).status, 202);
  await connection.whenClosed;
  await house.settle();
  t.equal(connection.rest, "", "nothing follows the answer");
  t.equal(await countJobs(caller), 1);
});

t.test("C2: lines of one header are one list, in the order in which they came", async (t) => {
  const { open: connect, house } = await hear(t, 100, [], ["127.0.0.1"]);
  const ada = await house.account();
  const etag = (await ada.get("/v1/models")).headers["etag"];
  const bearer = `Authorization: Bearer ${ada.token}\r\n`;
  const connection = connect();
  for (const lines of [
    `If-None-Match: "a"\r\nIf-None-Match: ${etag}\r\n`,
    `If-None-Match: ${etag}\r\nIf-None-Match: "a"\r\n`,
  ]) {
    connection.write(get("/v1/models", bearer + lines));
    t.equal((await connection.reply()).status, 304);
  }
});

t.test("C2: of several lines of X-Forwarded-For the last address counts", async (t) => {
  const address = route("GET", "/address", {
    summary: "Who asks",
    answers: {},
    access: "open",
    run: ({ request }) => json(200, { address: request.address }),
  });
  const { open: connect } = await hear(t, 100, [address], ["127.0.0.1", "10.0.0.0/8"]);
  const connection = connect();
  for (const [lines, client] of [
    [["198.51.100.7"], "198.51.100.7"],
    [["6.6.6.6", "198.51.100.7"], "198.51.100.7"],
    [["6.6.6.6, 198.51.100.7", "10.0.0.2"], "198.51.100.7"],
    [["6.6.6.6", "198.51.100.7, 10.0.0.2", "10.0.0.3"], "198.51.100.7"],
  ] as const) {
    const forwarded = lines.map((line) => `X-Forwarded-For: ${line}\r\n`).join("");
    connection.write(get("/address", forwarded));
    t.strictSame(JSON.parse((await connection.reply()).body.toString()), { address: client });
  }
});

t.test("C2: a header that may come once answers 400 when it comes twice", async (t) => {
  const { open: connect } = await hear(t);
  for (const name of [
    "Host",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "X-Share-Password",
  ]) {
    const connection = connect();
    connection.write(get("/healthz", `${name}: klieg.example\r\n${name}: klieg.example\r\n`));
    const { status, body } = await connection.reply();
    t.equal(status, 400, name);
    t.match(JSON.parse(body.toString()), {
      detail: `The header ${name.toLowerCase()} may appear only once.`,
    });
    await connection.whenClosed;
  }
});
