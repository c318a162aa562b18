/** Tests the shipped sample configurations in the real proxies, in front of the real service. */
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import t from "tap";
import type { CreatedAccount } from "../../contract/account.ts";
import type { Job } from "../../contract/job.ts";
import type { Upload } from "../../contract/upload.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";
import { makeCertificate, proxyNames, startProxy } from "./proxy-process.ts";

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly body?: Readable | string;
  /** Local address from which the client connects. */
  readonly from?: string;
}

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request over TLS, as a client of the proxy does. */
async function ask(port: number, path: string, asking: Asking = {}): Promise<Told> {
  const sent = open(port, path, asking);
  const { body = "" } = asking;
  if (typeof body === "string") sent.end(body);
  else body.pipe(sent);
  const [answer] = await once(sent, "response");
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

function open(port: number, path: string, { method, headers, from = "127.0.0.2" }: Asking) {
  const host = { hostname: "127.0.0.1", port, localAddress: from, agent: false } as const;
  const tls = { servername: "klieg.example", rejectUnauthorized: false };
  const named = { host: "klieg.example", ...headers };
  return request({ ...host, ...tls, path, method: method ?? "GET", headers: named });
}

const bytesMax = 64 * 1024 ** 2;
/** An upload in parts; as many bytes as this variable says, for a run by hand. */
const partedBytes = Number(process.env["TEST_UPLOAD_BYTES"] ?? 72 * 1024 ** 2);

/** Streams zeros without holding them in memory. */
function zeros(bytes: number): Readable {
  const chunk = Buffer.alloc(64 * 1024);
  return Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= chunk.length)
        yield chunk.subarray(0, Math.min(left, chunk.length));
    })(),
  );
}

function parse<T>({ body }: Told): T {
  return JSON.parse(body.toString()) as T;
}

t.test(
  "C1: each shipped proxy carries waits, streams, uploads and ranges",
  { jobs: 3 },
  async (t) => {
    const folder = t.testdir({ tls: {}, data: {} });
    makeCertificate(`${folder}/tls`);
    const klieg = await startKlieg(t, `${folder}/data`, {
      KLIEG_RATE_LIMITS: "on",
      KLIEG_TRUSTED_PROXIES: "127.0.0.1/32",
      KLIEG_PUBLIC_URL: "https://klieg.example",
    });
    await Promise.all(
      proxyNames.map((name, at) =>
        t.test(name, async (t) => {
          const port = await startProxy(t, name, `${folder}/tls`, klieg.port);
          const bearer = (token: string) => ({
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
          });
          // HAProxy treats the server as up only after its first health check.
          while ((await ask(port, "/healthz")).status !== 200);
          const body = JSON.stringify({
            email: `${name}@klieg.example`,
            plan: "pro",
            credits: 100,
            issue_token: true,
          });
          const admin = { method: "POST", headers: bearer(firstToken), body };
          const { token = "" } = parse<CreatedAccount>(
            await ask(port, "/v1/admin/accounts", admin),
          );
          const headers = bearer(token);
          const post = (path: string, json: object) =>
            ask(port, path, { method: "POST", headers, body: JSON.stringify(json) });
          const submit = async (prompt: string) =>
            parse<Job>(await post("/v1/generate/image", { model: "sim-instant", prompt }));

          const slow = await submit("a kite sim:slow=16500");
          const { ticket } = parse<{ ticket: string }>(
            await post(`/v1/jobs/${slow.id}/sse-ticket`, {}),
          );
          const streamed = ask(port, `/v1/jobs/${slow.id}/sse?ticket=${ticket}`);
          const waited = ask(port, `/v1/jobs/${slow.id}/wait?timeout_seconds=60`, { headers });

          const picture = await submit("a harbor");
          const ended = parse<Job>(
            await ask(port, `/v1/jobs/${picture.id}/wait?timeout_seconds=60`, { headers }),
          );
          const link = (ended.asset?.signed_url ?? "").replace("https://klieg.example", "");
          const whole = await ask(port, link);
          t.equal(whole.status, 200);
          const size = whole.body.length;
          const range = (value: string, more: object = {}) =>
            ask(port, link, { headers: { range: value, ...more } });
          const first = await range("bytes=0-9");
          t.equal(first.status, 206);
          t.equal(first.headers["content-range"], `bytes 0-9/${size}`);
          t.ok(first.body.equals(whole.body.subarray(0, 10)));
          t.ok((await range("bytes=-5")).body.equals(whole.body.subarray(-5)), "a suffix");
          t.equal((await range(`bytes=${size}-`)).status, 416);
          t.equal((await range("bytes=0-9", { "if-range": '"another"' })).status, 200);
          const etag = `${whole.headers.etag}`;
          t.equal((await range("bytes=0-9", { "if-range": etag })).status, 206);
          t.equal((await ask(port, link, { headers: { "if-none-match": etag } })).status, 304);
          const head = await ask(port, link, { method: "HEAD" });
          t.equal(head.headers["content-length"], `${size}`);
          t.equal(head.body.length, 0);

          const { id, url } = parse<{ id: string; url: string }>(
            await post("/v1/assets/uploads", {
              filename: "zeros.mp4",
              mime_type: "video/mp4",
              size_bytes: bytesMax,
            }),
          );
          const place = url.replace("https://klieg.example", "");
          const put = (more: object, bytes: number) =>
            ask(port, place, { method: "PUT", headers: { ...more }, body: zeros(bytes) });
          const broken = open(port, place, {
            method: "PUT",
            headers: { "content-length": bytesMax },
          });
          broken.once("error", () => undefined);
          broken.write(Buffer.alloc(1024 ** 2), () => broken.destroy());
          await new Promise((resolve) => {
            broken.once("close", resolve);
          });
          t.equal((await put({ "content-length": bytesMax }, bytesMax)).status, 200);
          t.equal((await put({ "transfer-encoding": "chunked" }, bytesMax)).status, 200);
          t.equal((await put({ "transfer-encoding": "chunked" }, bytesMax - 1)).status, 400);
          t.equal(
            (await ask(port, `/v1/assets/uploads/${id}`, { method: "DELETE", headers })).status,
            204,
          );

          const parted = parse<Upload>(
            await post("/v1/assets/uploads", {
              filename: "zeros.mp4",
              mime_type: "video/mp4",
              size_bytes: partedBytes,
            }),
          );
          const partSize = parted.part_size ?? 0;
          const numbers = Array.from({ length: parted.part_count ?? 0 }, (_, at) => at + 1);
          const parts: { part_number: number; etag: string }[] = [];
          for (const number of numbers) {
            const [part] = parse<{ parts: { url: string }[] }>(
              await post(`/v1/assets/uploads/${parted.id}/parts`, { part_numbers: [number] }),
            ).parts;
            const bytes = Math.min(partSize, partedBytes - (number - 1) * partSize);
            const stored = await ask(port, `${part?.url}`.replace("https://klieg.example", ""), {
              method: "PUT",
              headers: { "content-length": bytes },
              body: zeros(bytes),
            });
            t.equal(stored.status, 200, `part ${number}`);
            parts.push({ part_number: number, etag: `${stored.headers.etag}` });
          }
          const completed = await post(`/v1/assets/uploads/${parted.id}/complete`, { parts });
          t.equal(completed.status, 200);
          // Every byte has come; zeros are no film.
          t.match(parse(completed), { size_bytes: partedBytes, status: "failed" });

          const [busy, calm] = [`127.0.1.${2 * at + 10}`, `127.0.1.${2 * at + 11}`];
          const guess = async (from: string) =>
            (await ask(port, "/v1/me", { from, headers: { "x-forwarded-for": "198.51.100.7" } }))
              .status;
          let status = 401;
          for (let n = 0; n < 100 && status === 401; n++) status = await guess(busy);
          t.equal(status, 429, "what a client says of its address is not believed");
          t.equal(await guess(calm), 401, "and another client is counted apart");

          const events = (await streamed).body.toString();
          t.match(events, /^:/m, "comments keep the stream alive");
          t.match(events, /"status":"succeeded"/, "and it comes to its end");
          t.match(parse<Job>(await waited), { status: "succeeded" });
        }),
      ),
    );
    t.equal(klieg.child.exitCode, null);
  },
);
