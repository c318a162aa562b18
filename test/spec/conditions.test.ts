import t from "tap";
import { diskObjects } from "../../engine/adapters/objects/disk-objects.ts";
import { memoryObjects } from "../../engine/adapters/objects/memory-objects.ts";
import { sendStoredBytes } from "../../http/assets/ranged-bytes.ts";
import { RefusalError } from "../../http/exchange/refusal-error.ts";
import { openInProcess } from "./in-process-service.ts";

const validators = { etag: '"abc"', modifiedMs: Date.parse("2026-11-26T12:00:00.500Z") };
const stamp = "Thu, 26 Nov 2026 12:00:00 GMT";
const earlier = "Thu, 26 Nov 2026 11:59:59 GMT";
const source = { objects: memoryObjects(), onFault: () => undefined };

function ask(headers: Readonly<Record<string, string>>): number {
  const stored = { key: "a", sizeBytes: 100, validators };
  return sendStoredBytes(source, { headers }, stored, []).status;
}

t.test("C4: a range counts only beside the validator that is this one's", async (t) => {
  const range = "bytes=0-9";
  for (const [known, status] of [
    ['"abc"', 206],
    [stamp, 206],
    ['"another"', 200],
    ['W/"abc"', 200],
    [earlier, 200],
    ["Thu, 26 Nov 2026 12:00:01 GMT", 200],
    ["nonsense", 200],
    ["", 200],
  ] as const)
    t.equal(ask({ range, "if-range": known }), status, known);
  t.equal(ask({ range }), 206);
  t.equal(ask({ range: "bytes=100-", "if-range": '"another"' }), 200);
  t.equal(ask({ range: "bytes=100-", "if-range": '"abc"' }), 416);
  const bare = { key: "a", sizeBytes: 100 };
  const headers = { range, "if-range": '"abc"' };
  t.equal(sendStoredBytes(source, { headers }, bare, []).status, 200, "there is no validator");
});

t.test("C4: conditions are evaluated in the order of RFC 9110, 13.2.2", async (t) => {
  for (const [headers, status] of [
    [{ "if-none-match": '"abc"' }, 304],
    [{ "if-none-match": 'W/"abc", "b"' }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"b"' }, 200],
    [{ "if-none-match": '"b"', "if-modified-since": stamp }, 200],
    [{ "if-modified-since": stamp }, 304],
    [{ "if-modified-since": earlier }, 200],
    [{ "if-modified-since": "nonsense" }, 200],
    [{ "if-match": '"abc"' }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": '"abc"', "if-unmodified-since": earlier }, 200],
    [{ "if-unmodified-since": stamp }, 200],
    [{ "if-match": '"abc"', "if-none-match": '"abc"' }, 304],
    [{ "if-none-match": '"abc"', range: "bytes=0-9" }, 304],
  ] as const)
    t.equal(ask(headers), status, JSON.stringify(headers));
  for (const headers of [
    { "if-match": '"b"' },
    { "if-match": 'W/"abc"' },
    { "if-unmodified-since": earlier },
  ])
    t.throws(() => ask(headers), RefusalError);
});

t.test("C4: links to objects have ETag and Last-Modified", async (t) => {
  const house = await openInProcess(t);
  await house.service.objects.put("some/one.png", [Buffer.alloc(1_000)]);
  const { url } = house.service.signedUrls.sign("some/one.png", house.clock.nowMs());
  const { headers } = await house.stranger.get(url);
  t.match(headers, { etag: /^"[\w-]+"$/, "last-modified": /GMT$/ });
  const known = await house.stranger.get(url, { "if-none-match": `${headers["etag"]}` });
  t.equal(known.status, 304);
  t.equal(known.headers["etag"], headers["etag"]);
  const changed = await house.stranger.get(url, { "if-match": '"another"' });
  t.equal(changed.status, 412);
});

t.test("C4: on a disk another object of the same key and size has another tag", async (t) => {
  const objects = diskObjects(t.testdir());
  await objects.put("a", [Buffer.from("one")]);
  const one = await objects.stat("a");
  t.strictSame(await objects.stat("a"), one);
  await objects.put("a", [Buffer.from("two")]);
  t.not((await objects.stat("a"))?.version?.tag, one?.version?.tag);
});
