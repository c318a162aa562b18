/** Requests of every wrong kind against a real process, which must still run afterwards. */
import t from "tap";
import { createZip } from "../spec/zip-archive.ts";
import { hostileArchive, shareBytes } from "./archives.ts";
import { hostileBody, posts } from "./bodies.ts";
import { Dice } from "./dice.ts";
import { boundary, hostileForm, manyParts } from "./forms.ts";
import { isSound, openVictim } from "./victim.ts";

const archives = 150;
const forms = 150;
const bodies = 600;
const formType = `multipart/form-data; boundary=${boundary}`;

t.test("archives that lie answer 200, 400 or 413 and end nothing (A1, A6)", async (t) => {
  const victim = await openVictim(t);
  const path = `/v1/compositions/${await victim.composition()}/bundle`;
  const send = (archive: Buffer) => victim.send("POST", path, archive, "application/zip");
  const whole = { name: "index.html", bytes: "<html></html>".repeat(9) };
  t.equal(await send(createZip([whole])), 200);
  t.equal(await send(createZip([{ ...whole, claimedBytes: 10 }])), 400, "a size that lies");
  t.equal(
    await send(shareBytes(createZip([whole, { ...whole, name: "b.html" }]))),
    400,
    "overlaps",
  );
  const dice = new Dice(1);
  const odd: number[] = [];
  for (let n = 0; n < archives; n++) {
    const archive = hostileArchive(dice);
    const status = await send(archive);
    if (![200, 400, 413].includes(status)) odd.push(status);
    if (n % 5 === 0) {
      const head = victim.head("POST", path, archive.length, "application/zip");
      await victim.abort(Buffer.concat([Buffer.from(head), archive.subarray(0, n * 3)]));
    }
  }
  t.strictSame(odd, []);
  await victim.lives(t);
});

t.test("forms that no browser sends, and clients that leave, end nothing (A2, A4)", async (t) => {
  const victim = await openVictim(t);
  const dice = new Dice(2);
  const odd: number[] = [];
  for (let n = 0; n < forms; n++) {
    const form = hostileForm(dice);
    const status = await victim.send("POST", "/v1/assets", form, formType);
    if (![201, 400, 413].includes(status)) odd.push(status);
    const head = Buffer.from(victim.head("POST", "/v1/assets", form.length + 1, formType));
    await victim.abort(Buffer.concat([head, form.subarray(0, dice.number(form.length + 1))]));
  }
  t.strictSame(odd, []);
  t.equal(await victim.send("POST", "/v1/assets", manyParts(100_000), formType), 400);
  await victim.lives(t);
});

t.test("JSON of the wrong shape is refused, and ends nothing (A4)", async (t) => {
  const victim = await openVictim(t);
  const dice = new Dice(3);
  const odd: string[] = [];
  for (let n = 0; n < bodies; n++) {
    const [path, members] = dice.pick(posts);
    const body = hostileBody(dice, members);
    const status = await victim.send("POST", path, body, "application/json");
    if (status === 0 || !isSound(status)) odd.push(`${path} ${status}: ${body.slice(0, 300)}`);
  }
  t.strictSame(odd, []);
  await victim.lives(t);
});

const lines = [
  "GET / HTTP/1.1\r\n",
  "GET / HTTP/1.0\r\n",
  "POST /v1/assets HTTP/1.1\r\n",
  "get /healthz HTTP/1.1\r\n",
  "GET /v1/%00 HTTP/1.1\r\n",
  "GET //v1/jobs HTTP/1.1\r\n",
  "\x01\x02\x03\r\n",
  "Host: klieg\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Content-Length: 99999999999999999999\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  `X: ${"y".repeat(9_000)}\r\n`,
  "X: \x01\x7f\r\n",
  "\r\n",
  "5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "-1\r\n",
] as const;

t.test("bytes that are no HTTP end nothing (D7)", async (t) => {
  const victim = await openVictim(t);
  const dice = new Dice(4);
  for (let n = 0; n < 300; n++) {
    const text = Array.from({ length: 1 + dice.number(8) }, () => dice.pick(lines)).join("");
    const bytes = dice.number(4) === 0 ? dice.bytes(dice.number(400)) : Buffer.from(text, "latin1");
    await victim.abort(bytes);
  }
  await victim.lives(t);
});
