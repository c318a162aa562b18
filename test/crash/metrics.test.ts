/** Tests the metrics port of a whole service, scraped by a real Prometheus. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import t, { type Test } from "tap";
import type { Job } from "../../contract/job.ts";
import { freePort } from "../http/raw-http.ts";
import { page } from "../spec/composition-steps.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

const monitoring = join(import.meta.dirname, "..", "..", "..", "config", "deploy", "monitoring");
const prompt = "a kite that no figure names";

/** Starts a service with an unreachable provider and without a farm. */
async function openHouse(t: Test) {
  const folder = t.testdir();
  const providers = join(folder, "providers.json");
  const key = { env: "FAL_KEY" };
  const fal = { name: "fal", adapter: "fal", url: "http://127.0.0.1:9", key };
  writeFileSync(providers, JSON.stringify({ providers: [fal] }));
  const metricsPort = await freePort();
  const { port } = await startKlieg(t, join(folder, "data"), {
    KLIEG_OPERATOR_PORT: `${metricsPort}`,
    KLIEG_PROVIDERS: providers,
    FAL_KEY: "a-key",
  });
  const origin = `http://127.0.0.1:${metricsPort}`;
  const read = async () => (await fetch(`${origin}/metrics`)).text();
  const submit = async (words = "") => {
    const body = { model: "sim-instant", prompt: `${prompt} ${words}` };
    return (await ask<Job>(port, firstToken, "/generate/image", body)).json.id;
  };
  return { folder, port, metricsPort, origin, read, submit };
}

/** Returns the value of the series whose line begins with `series`. */
function figure(text: string, series: string): number {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1));
}

/** Names as Prometheus stores them, with the suffixes of histograms and counters. */
const required = [
  "http_requests_total",
  "http_request_duration_seconds_bucket",
  "jobs_total",
  "jobs_active",
  "job_duration_seconds_bucket",
  "provider_requests_total",
  "provider_up",
  "callbacks_total",
  "sse_streams",
  "waiters",
  "credits_held",
  "credits_settled_total",
  "renders_total",
  "render_queue_depth",
  "render_nodes",
  "replication_lag_messages",
  "store_bytes",
];

t.test("every metric of the list is there and moves, and no label names whose it is", async (t) => {
  const { port, metricsPort, origin, read, submit } = await openHouse(t);
  const done = await submit();
  await ask<Job>(port, firstToken, `/jobs/${done}/wait?timeout_seconds=10`);
  const open = await submit("sim:slow=600000");
  const headers = { authorization: `Bearer ${firstToken}` };
  const waiting = fetch(`http://127.0.0.1:${port}/v1/jobs/${open}/wait`, { headers });
  const tickets = `/jobs/${open}/sse-ticket`;
  const { json: ticket } = await ask<{ ticket: string }>(port, firstToken, tickets, {});
  const stream = await fetch(
    `http://127.0.0.1:${port}/v1/jobs/${open}/sse?ticket=${ticket.ticket}`,
  );
  await fetch(`http://127.0.0.1:${port}/v1/callbacks/fal`, { method: "POST", body: "{}" });
  const { json: composition } = await ask<{ id: string }>(port, firstToken, "/compositions", {});
  const file = `http://127.0.0.1:${port}/v1/compositions/${composition.id}/file?path=index.html`;
  await fetch(file, { method: "PUT", headers, body: page({ seconds: 1 }) });
  const rendering = `/compositions/${composition.id}/render`;
  const { json: render } = await ask<{ id: string }>(port, firstToken, rendering, {});
  await ask(port, firstToken, rendering, { quality: "fast" });
  while (figure(await read(), "render_queue_depth") !== 2) await delay(50);
  await ask(port, firstToken, `/renders/${render.id}/cancel`, {});

  const text = await read();
  for (const name of required) t.match(text, new RegExp(`^${name}[{ ]`, "m"), name);
  const values: readonly (readonly [string, number])[] = [
    ['http_requests_total{route="/v1/generate/image",method="POST",status="202"}', 2],
    ['jobs_total{modality="image",model="sim-instant",status="succeeded"}', 1],
    ['jobs_active{modality="image",state="running"}', 1],
    ['job_duration_seconds_count{modality="image",phase="running"}', 1],
    ['provider_up{provider="sim"}', 1],
    ['renders_total{target="video",status="canceled"}', 1],
    ["render_queue_depth", 1],
    ["sse_streams", 1],
    ["waiters", 1],
    ["replication_lag_messages", 0],
  ];
  for (const [series, value] of values) t.equal(figure(text, series), value, series);
  t.ok(figure(text, "credits_held") > 0);
  t.ok(figure(text, "store_bytes") > 0);
  const { json: me } = await ask<{ id: string }>(port, firstToken, "/me");
  for (const secret of [me.id, done, open, render.id, composition.id, prompt, firstToken])
    t.notOk(text.includes(secret), secret);
  const check = spawnSync("promtool", ["check", "metrics"], { input: text });
  t.equal(`${check.status} ${check.stderr}${check.stdout}`, "0 ");

  t.equal((await fetch(`${origin}/`)).status, 404);
  const makeNamed = (host: string) =>
    spawnSync("curl", ["-s", "-o", "-", "-w", " %{http_code}", "-H", `Host: ${host}`, origin])
      .stdout;
  t.equal(`${makeNamed(`localhost:${metricsPort}`)}`, " 404");
  t.equal(`${makeNamed(`site.example:${metricsPort}`)}`, " 403", "A6: the Host is this machine's");
  t.equal((await fetch(`${origin}/metrics`, { method: "POST" })).status, 405);
  t.equal((await fetch(`http://127.0.0.1:${port}/metrics`)).status, 404, "not for clients");
  await stream.body?.cancel();
  await ask(port, firstToken, `/jobs/${open}/cancel`, {});
  await (await waiting).arrayBuffer();
});

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

t.test("each query of the dashboard, and each alert, runs in Prometheus", async (t) => {
  const { folder, metricsPort, submit } = await openHouse(t);
  await submit();
  const port = await freePort();
  const settings = readFileSync(join(monitoring, "prometheus.yaml"), "utf8")
    .replace("127.0.0.1:8081", `127.0.0.1:${metricsPort}`)
    .replace("alerts.yaml", join(monitoring, "alerts.yaml"))
    .replaceAll("15s", "1s");
  writeFileSync(join(folder, "prometheus.yaml"), settings);
  const prometheus = spawn(
    "setpriv",
    [
      ...["--pdeathsig", "KILL", "--", "prometheus", `--config.file=${folder}/prometheus.yaml`],
      ...[`--storage.tsdb.path=${folder}/tsdb`, `--web.listen-address=127.0.0.1:${port}`],
    ],
    { stdio: "ignore" },
  );
  t.teardown(() => void prometheus.kill("SIGKILL"));
  const query = async (expr: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`;
    const reply = await fetch(url).catch(() => undefined);
    // While Prometheus starts, it answers 503 in plain text.
    if (reply === undefined || reply.status === 503) return undefined;
    return (await reply.json()) as { status: string; data: { result: unknown[] } };
  };
  while (((await query('jobs_total{status="succeeded"}'))?.data.result.length ?? 0) === 0)
    await delay(200);

  const dashboard = JSON.parse(readFileSync(join(monitoring, "klieg-dashboard.json"), "utf8"));
  const panels: readonly Panel[] = dashboard.panels;
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );
  t.ok(queries.length > 20);
  for (const [title, expr] of queries) {
    const asked = expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*");
    t.match(await query(asked), { status: "success" }, `${title}: ${expr}`);
  }
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/rules`);
  const rules = (await reply.json()) as {
    data: { groups: { rules: { name: string; lastError?: string }[] }[] };
  };
  const known = rules.data.groups.flatMap((group) => group.rules);
  t.ok(known.length >= 10);
  for (const { name, lastError } of known) t.equal(lastError, undefined, name);
});
