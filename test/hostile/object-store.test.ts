/** S3 servers that are down, busy, silent, broken or misconfigured. */
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import t from "tap";
import type { ObjectStore } from "../../config/settings.ts";
import { prepareBucket } from "../../engine/adapters/s3/bucket.ts";
import { openRequests, s3Bounds } from "../../engine/adapters/s3/requests.ts";
import { s3Objects } from "../../engine/adapters/s3/s3-objects.ts";
import type { Objects } from "../../engine/ports/objects.ts";
import { freePort } from "../http/raw-http.ts";
import { type Misbehave, refuse, startSimulator } from "../s3/simulator.ts";

const whole = { start: 0, end: Number.MAX_SAFE_INTEGER };
const impatient = { ...s3Bounds, silenceMs: 100, assemblyMs: 100 };
const parts = { ...s3Bounds, partBytes: 5 * 1024 ** 2 };

async function readAll(objects: Objects, range = whole): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read("key", range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function listAll(objects: Objects): Promise<string[]> {
  const found: string[] = [];
  for await (const { key, sizeBytes } of objects.list()) found.push(`${key} ${sizeBytes}`);
  return found;
}

const brief = { name: "PortError", retryable: true };
const lasting = { name: "PortError", retryable: false };

for (const [what, misbehave] of Object.entries<(response: ServerResponse) => void>({
  "cuts the connection": (response) => {
    response.writeHead(200, { "content-length": "100000" });
    response.write(Buffer.alloc(50_000), () => response.destroy());
  },
  "ends too early": (response) => {
    response.writeHead(200, { "content-length": "100000" });
    response.write(Buffer.alloc(50_000), () => response.socket?.end());
  },
  "falls silent": (response) => {
    response.writeHead(200, { "content-length": "100000" });
    response.write(Buffer.alloc(50_000));
  },
  "resets before it answers": (response) => void response.socket?.resetAndDestroy(),
  "never answers": () => undefined,
}))
  t.test(`a server that ${what} is a fault that may pass, never a short object`, async (t) => {
    const { store } = await startSimulator(t, (_, response) => misbehave(response));
    await t.rejects(readAll(s3Objects(openRequests(store, impatient))), brief);
  });

t.test("bytes that were not asked for are not taken for the object's", async (t) => {
  const { store } = await startSimulator(t, ({ url }, response) => {
    if (url?.includes("key") !== true) return refuse(response, 404, "NoSuchBucket");
    response.writeHead(206, { "content-range": "bytes 7-106/1000" });
    response.end(Buffer.alloc(100));
  });
  const objects = s3Objects(openRequests(store));
  await t.rejects(readAll(objects, { start: 5, end: 105 }), lasting);
  t.equal((await readAll(objects, { start: 7, end: 17 })).length, 10, "no more than wanted");
});

t.test("a server that ignores ranges gives no range but the first", async (t) => {
  const { store } = await startSimulator(t, (_, response) => response.end(Buffer.alloc(100, 1)));
  const objects = s3Objects(openRequests(store));
  t.equal((await readAll(objects, { start: 0, end: 10 })).length, 10);
  await t.rejects(readAll(objects, { start: 1, end: 10 }), lasting);
});

t.test("a server that is down or has no name is said to be so, in seconds", async (t) => {
  const { store } = await startSimulator(t, () => undefined);
  const at = (endpoint: string) => s3Objects(openRequests({ ...store, endpoint }));
  const refusing = at(`http://127.0.0.1:${await freePort()}`);
  await t.rejects(refusing.stat("key"), { ...brief, message: /KLIEG_S3_ENDPOINT does not answer/ });
  await t.rejects(refusing.put("key", [Buffer.from("x")]), brief);
  await t.rejects(listAll(refusing), brief);
  const secure = at(store.endpoint.replace("http:", "https:"));
  await t.rejects(secure.stat("key"), { name: "PortError" });
});

t.test("a busy server is asked again, and three times at most", async (t) => {
  let busyTimes = 2;
  const { store, asked } = await startSimulator(t, (_, response) => {
    if (busyTimes-- > 0) refuse(response, 503, "SlowDown");
    else response.end(Buffer.from("at last"));
  });
  const objects = s3Objects(openRequests(store));
  t.equal((await readAll(objects)).toString(), "at last");
  t.equal(asked.length, 3);
  busyTimes = 100;
  await t.rejects(objects.put("key", [Buffer.from("x")]), { ...brief, message: /status 503/ });
  t.equal(asked.length, 6);
});

t.test("a connection that was lost at once is made again", async (t) => {
  let losses = 1;
  const { store, asked } = await startSimulator(t, (_, response) => {
    if (losses-- > 0) response.socket?.resetAndDestroy();
    else response.end();
  });
  await s3Objects(openRequests(store)).put("key", [Buffer.from("x")]);
  t.equal(asked.length, 2);
});

t.test("each refusal is a sentence that names its setting, and no secret", async (t) => {
  const cases: readonly (readonly [number, string, RegExp])[] = [
    [403, "AccessDenied", /KLIEG_S3_BUCKET; allow that key/],
    [403, "InvalidAccessKeyId", /KLIEG_S3_ACCESS_KEY; set it to a key/],
    [403, "SignatureDoesNotMatch", /KLIEG_S3_SECRET_KEY; set it to the secret/],
    [403, "RequestTimeTooSkewed", /clock/],
    [404, "NoSuchBucket", /KLIEG_S3_BUCKET; create it/],
    [400, "AuthorizationHeaderMalformed", /set KLIEG_S3_REGION/],
    [301, "PermanentRedirect", /set KLIEG_S3_REGION/],
  ];
  for (const [status, code, sentence] of cases) {
    const echo = "<AWSAccessKeyId>the access key</AWSAccessKeyId><StringToSign>x</StringToSign>";
    const { store } = await startSimulator(t, (_, response) =>
      refuse(response, status, code, echo),
    );
    const objects = s3Objects(openRequests(store));
    const error: unknown = await objects.put("key", [Buffer.from("x")]).catch((e: unknown) => e);
    t.match(error, { ...lasting, message: sentence });
    t.notMatch(inspect(error, { depth: 9 }), /the (access|secret) key/);
  }
});

t.test("answers that are no S3 are a fault of the setting", async (t) => {
  const pages: readonly string[] = [
    "",
    "<html><body>It works!</body></html>",
    "<ListBucketResult><Contents><Key>a</Key><Size>-5</Size></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>a</Key><Size>many</Size></Contents></ListBucketResult>",
    "<ListBucketResult><Contents><Key>%E0%A4%A</Key></Contents></ListBucketResult>",
    "<ListBucketResult",
    "x".repeat(9 * 1024 ** 2),
  ];
  for (const page of pages) {
    const { store } = await startSimulator(t, (_, response) => response.end(page));
    await t.rejects(listAll(s3Objects(openRequests(store))), lasting, page.slice(0, 80));
  }
});

t.test("what others keep in the bucket is not listed", async (t) => {
  const entry = (key: string) => `<Contents><Key>${key}</Key><Size>3</Size></Contents>`;
  const { store } = await startSimulator(t, (_, response) => {
    const keys = ["a/b", "a/", "../etc/passwd", "%2Fetc", "a%20b", "c"].map(entry).join("");
    response.end(`<ListBucketResult>${keys}<IsTruncated>true</IsTruncated></ListBucketResult>`);
  });
  t.strictSame(await listAll(s3Objects(openRequests(store))), ["a/b 3", "c 3"]);
});

/** Takes a multipart upload; `complete` answers the request that completes it. */
function uploads(complete: (response: ServerResponse) => void, failsPart = false): Misbehave {
  return ({ method, url = "" }, response) => {
    const started = "<InitiateMultipartUploadResult><UploadId>u1</UploadId>";
    if (url.endsWith("?uploads")) response.end(`${started}</InitiateMultipartUploadResult>`);
    else if (method === "PUT" && failsPart) refuse(response, 500, "InternalError");
    else if (method === "PUT") response.setHeader("etag", '"e"').end();
    else if (method === "DELETE") response.writeHead(204).end();
    else complete(response);
  };
}

t.test("an upload that cannot be completed is given up, and may be tried again", async (t) => {
  const bytes = [Buffer.alloc(6 * 1024 ** 2)];
  const late = "<Error><Code>InternalError</Code><Message>late</Message></Error>";
  for (const complete of [
    (response: ServerResponse) => void response.end(late),
    (response: ServerResponse) => void response.end("<html>"),
    (response: ServerResponse) => refuse(response, 404, "NoSuchUpload"),
    () => undefined,
  ]) {
    const { store, asked } = await startSimulator(t, uploads(complete));
    const bounds = { ...parts, assemblyMs: 100 };
    await t.rejects(s3Objects(openRequests(store, bounds)).put("key", bytes), brief);
    t.equal(asked.at(-1), "DELETE /bucket/key?uploadId=u1");
  }
});

t.test("a part that is not taken ends the upload, and its source is let go", async (t) => {
  const { store, asked } = await startSimulator(
    t,
    uploads(() => undefined, true),
  );
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(1024 ** 2);
    } finally {
      isClosed = true;
    }
  }
  await t.rejects(s3Objects(openRequests(store, parts)).put("key", endless()), brief);
  t.ok(isClosed);
  t.equal(asked.at(-1), "DELETE /bucket/key?uploadId=u1");
});

/** Opens a bucket that holds one object and these rules. */
async function openRules(t: Parameters<typeof startSimulator>[0], rules: string[], maxRules = 9) {
  let kept = "";
  const { store, asked } = await startSimulator(t, ({ method, url = "", body }, response) => {
    if (url.includes("?lifecycle")) {
      if (method === "GET" && rules.length === 0)
        return refuse(response, 404, "NoSuchLifecycleConfiguration");
      if (method === "GET")
        return void response.end(
          `<LifecycleConfiguration>${rules.join("")}</LifecycleConfiguration>`,
        );
      const given = body.match(/<Rule>.*?<\/Rule>/gs) ?? [];
      if (given.length > maxRules) return refuse(response, 400, "MalformedXML");
      rules.splice(0, rules.length, ...given);
      return void response.end();
    }
    if (url.includes("?"))
      return void response.end("<ListBucketResult><Name>bucket</Name></ListBucketResult>");
    if (method === "PUT") kept = body;
    response.writeHead(method === "DELETE" ? 204 : 200).end(method === "GET" ? kept : "");
  });
  return { store, asked };
}

async function prepare(store: ObjectStore): Promise<readonly string[]> {
  const warnings: string[] = [];
  await prepareBucket(openRequests(store), 0, (sentence) => void warnings.push(sentence));
  return warnings;
}

t.test("a store with lifecycle rules is told once what to remove after a day", async (t) => {
  const rules: string[] = [];
  const { store, asked } = await openRules(t, rules);
  t.strictSame(await prepare(store), []);
  t.match(rules, [
    /<ID>klieg-volatile<.*<Prefix>volatile\/<.*<Expiration><Days>1</s,
    /<ID>klieg-uploads<.*<DaysAfterInitiation>1</s,
  ]);
  t.strictSame(await prepare(store), []);
  t.equal(asked.filter((line) => line.startsWith("PUT") && line.includes("lifecycle")).length, 1);
});

t.test("a store without a rule for uploads gets the other one", async (t) => {
  const rules: string[] = [];
  const { store } = await openRules(t, rules, 1);
  t.strictSame(await prepare(store), []);
  t.match(rules, [/klieg-volatile/]);
});

t.test("rules of the operator's own stay as they are", async (t) => {
  const rules = ["<Rule><ID>theirs</ID></Rule>"];
  const { store } = await openRules(t, rules);
  t.match(await prepare(store), [/old volatile objects are removed at each start/]);
  t.strictSame(rules, ["<Rule><ID>theirs</ID></Rule>"]);
});

t.test("a bucket that gives back other bytes, or none, cannot be used", async (t) => {
  const { store } = await startSimulator(t, ({ method, url = "" }, response) => {
    if (url.includes("?")) response.end("<ListBucketResult><Name>bucket</Name></ListBucketResult>");
    else if (method === "GET") response.end("something else");
    else response.end();
  });
  await t.rejects(prepare(store), { ...lasting, message: /different bytes/ });
});
