/** Malformed HTTP by seed, and uploads that break off, against a real process. */
import { once } from "node:events";
import { connect } from "node:net";
import t from "tap";
import { Dice } from "./dice.ts";
import { openVictim, type Victim } from "./victim.ts";

const packets = 1_500;
const uploads = 60;
const lines = [
  "Host: klieg.example",
  "Host: another.example",
  "Content-Length: 12",
  "Content-Length: 9999999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip",
  "Content-Encoding: gzip",
  "Content-Type: application/json",
  "Content-Type: multipart/form-data; boundary=b",
  "Range: bytes=0-0,5-",
  "If-Range: \u0000",
  "Expect: 100-continue",
  "Trailer: X-Sum",
  "X-Forwarded-For: 1.2.3.4, ,,::1",
  "Cookie: a=b",
  "Idempotency-Key: k",
  " folded",
  ": nameless",
  "__proto__: x",
  "constructor: x",
] as const;
const targets = [
  "/healthz",
  "/v1/me",
  "/v1/generate/image",
  "/v1/assets",
  "/v1/share/%00",
  "/objects/a?expires=1&signature=%ff",
  "http://klieg.example/v1/me",
  "*",
  "//",
  "/v1/jobs/%F0%9F%98%80",
] as const;
const bodies = [
  "",
  "{}",
  '{"model":"sim-instant","prompt":"a kite"}',
  "2\r\n{}\r\n0\r\n\r\n",
  "2\r\n{}\r\n0\r\nX-Sum: 1\r\n\r\n",
  "2;a=b\r\n{}\r\n0\r\n\r\n",
  "ffffffffffffffff\r\n{}",
  "-1\r\n",
] as const;

function makePacket(dice: Dice, token: string): Buffer {
  const method = dice.pick([
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "HEAD",
    "OPTIONS",
    "B\u00c4D",
  ]);
  const version = dice.pick(["1.1", "1.1", "1.1", "1.1", "1.0", "2.0"]);
  const fields = Array.from({ length: dice.number(6) }, () => dice.pick(lines));
  const bearer = dice.number(2) === 0 ? [`Authorization: Bearer ${token}`] : [];
  const head = [`${method} ${dice.pick(targets)} HTTP/${version}`, lines[0], ...bearer, ...fields];
  const text = `${dice.number(9) === 0 ? "\r\n" : ""}${head.join("\r\n")}\r\n\r\n`;
  const packet = Buffer.from(text + dice.pick(bodies) + (dice.number(5) === 0 ? text : ""));
  if (dice.number(5) > 0) return packet;
  return Buffer.concat([packet.subarray(0, dice.number(packet.length)), dice.bytes(40)]);
}

/** Reads until the service falls silent or closes, then disconnects; returns all bytes. */
async function exchange({ klieg }: Victim, packet: Buffer): Promise<string> {
  const socket = connect(klieg.port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    socket.end();
  });
  await once(socket, "connect");
  // The service closes a connection without an answer when it ends before a whole request.
  socket.end(packet);
  await closed;
  return Buffer.concat(chunks).toString("latin1");
}

t.test("C3: bytes that are hardly HTTP end nothing, and no answer is a fault", async (t) => {
  const victim = await openVictim(t);
  const dice = new Dice(11);
  const faults: string[] = [];
  for (let n = 0; n < packets; n++) {
    const packet = makePacket(dice, victim.token);
    const answers = await exchange(victim, packet);
    for (const [, status] of answers.matchAll(/HTTP\/1\.1 (\d+)/g))
      if (Number(status) >= 500 && status !== "503" && status !== "505")
        faults.push(`${status} to ${JSON.stringify(packet.toString("latin1"))}`);
  }
  t.strictSame(faults, []);
  await victim.lives(t);
});

t.test("C3: uploads that break off end nothing and leave nothing", async (t) => {
  const victim = await openVictim(t);
  const dice = new Dice(12);
  for (let n = 0; n < uploads; n++) {
    const bearer = `Authorization: Bearer ${victim.token}`;
    const head = `POST /v1/assets HTTP/1.1\r\nHost: klieg\r\n${bearer}\r\n`;
    const framing = dice.pick(["Content-Length: 900000", "Transfer-Encoding: chunked"]);
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
    const form = `${head}${framing}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`;
    const size = framing.startsWith("T") ? `${(part.length + 9_000).toString(16)}\r\n` : "";
    const bytes = Buffer.concat([Buffer.from(form + size + part), dice.bytes(126)]);
    await victim.abort(bytes.subarray(0, bytes.length - dice.number(200)));
  }
  await victim.lives(t);
});
