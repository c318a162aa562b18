import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { type Answer, deadOrigin, events, frame, json, standIn } from "./stand-in.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const image = "POST /v1/generate/image";
const png = Buffer.from("89504e470d0a1a0a", "hex");
const bytes: Answer = (response) => response.writeHead(200).end(png);

/** Runs the command in a folder of its own, whose `data` is the data directory. */
async function klieg(t: Test, args: readonly string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: t.testdirName,
    env: { KLIEG_DATA_DIR: "data", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

function job(status: string, more: object = {}): object {
  const created = {
    created_at: "2026-01-01T00:00:00.000Z",
    model: "studio-image",
    summary: "a kite",
  };
  return { id: "j1", status, credits_held: 4, ...created, ...more };
}

function asset(origin: string, id = "a1"): object {
  const signed = { signed_url: `${origin}/objects/${id}`, mime_type: "image/png" };
  return { id, ...signed, width: 1024, height: 576, size_bytes: png.length };
}

/** A stand-in service on which one submit succeeds with these assets. */
async function studio(t: Test, assetIds: readonly string[] = ["a1"]) {
  t.testdir({ data: {} });
  const finish: Answer = (response, asked) => {
    const assets = assetIds.map((id) => asset(`http://${asked.headers.host}`, id));
    const body = job("succeeded", { asset: assets[0], assets, credits_charged: 4 });
    json(200, body)(response, asked);
  };
  return standIn(t, {
    [image]: [json(202, job("queued"))],
    "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s" })],
    "GET /v1/jobs/j1/sse": [
      events(
        frame("status", { status: "running", progress: 0.25 }),
        frame("complete", { status: "succeeded" }),
      ),
    ],
    "GET /v1/jobs/j1": [finish],
    "GET /objects/a1": [bytes],
    "GET /objects/a2": [bytes],
  });
}

t.test("a picture is made, followed, saved whole and reported", async (t) => {
  const { origin, asked } = await studio(t);
  const command = ["generate", "image", "a red kite", "-o", "kite.png", "--aspect-ratio", "16:9"];
  const { code, out, err } = await klieg(
    t,
    [...command, "--resolution", "1k", "--seed", "7", "--model", "studio-image"],
    { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" },
  );
  t.equal(code, 0);
  t.equal(out, "kite.png  1024 x 576, 1 KiB\n4 credits charged\n");
  t.equal(err, "queued\nrunning\nsucceeded\n", "a line a status where nobody sees a bar");
  t.strictSame(readFileSync(join(t.testdirName, "kite.png")), png);
  t.strictSame(readdirSync(t.testdirName).sort(), ["data", "kite.png"], "nothing half-written");
  t.strictSame(asked.find(({ route }) => route === image)?.body, {
    model: "studio-image",
    prompt: "a red kite",
    aspect_ratio: "16:9",
    resolution: "1k",
    seed: 7,
  });
});

t.test("several pictures are numbered, and --json prints job and files", async (t) => {
  const { origin } = await studio(t, ["a1", "a2"]);
  const command = ["generate", "image", "a kite", "-o", "kite.png", "--num-images", "2", "--json"];
  const { code, out } = await klieg(t, command, { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" });
  t.equal(code, 0);
  t.match(JSON.parse(out), {
    job: { id: "j1", credits_charged: 4 },
    files: [
      { path: "kite-1.png", asset_id: "a1", size_bytes: png.length },
      { path: "kite-2.png", asset_id: "a2", size_bytes: png.length },
    ],
  });
});

t.test("service and credential are found in the data directory", async (t) => {
  const { origin, asked } = await studio(t);
  writeFileSync(join(t.testdirName, "data/address"), `${origin}\n`);
  writeFileSync(join(t.testdirName, "data/admin-token"), "pat_admin\n");
  const { code, out } = await klieg(t, ["generate", "image", "a kite"], {});
  t.equal(code, 0);
  t.match(out, /^j1\.png {2}/, "without -o the job names the file");
  t.equal(asked[0]?.headers.authorization, "Bearer pat_admin");
});

t.test("a signed address that has expired is asked for afresh", async (t) => {
  t.testdir({ data: {} });
  const stale: Answer = (response, asked) =>
    json(200, job("succeeded", { asset: asset(`http://${asked.headers.host}`, "old") }))(
      response,
      asked,
    );
  const fresh: Answer = (response, asked) =>
    json(200, asset(`http://${asked.headers.host}`, "a1"))(response, asked);
  const { origin } = await standIn(t, {
    [image]: [json(202, job("queued"))],
    "POST /v1/jobs/j1/sse-ticket": [json(503, { title: "Service Unavailable" })],
    "GET /v1/jobs/j1/wait": [stale],
    "GET /v1/jobs/j1": [stale],
    "GET /objects/old": [json(403, { title: "Forbidden" })],
    "GET /v1/assets/old": [fresh],
    "GET /objects/a1": [bytes],
  });
  const { code } = await klieg(t, ["generate", "image", "a kite", "-o", "kite.png"], {
    KLIEG_URL: origin,
    KLIEG_TOKEN: "pat_1",
  });
  t.equal(code, 0);
  t.strictSame(readFileSync(join(t.testdirName, "kite.png")), png);
});

t.test("a failed job is said in its own words, and nothing is saved", async (t) => {
  t.testdir({ data: {} });
  const failure = { kind: "moderated", message: "The prompt was refused." };
  const { origin } = await standIn(t, {
    [image]: [json(202, job("queued"))],
    "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s" })],
    "GET /v1/jobs/j1/sse": [events(frame("complete", { status: "failed" }))],
    "GET /v1/jobs/j1": [json(200, job("failed", { failure }))],
  });
  const { code, err } = await klieg(t, ["generate", "image", "a kite", "-o", "kite.png"], {
    KLIEG_URL: origin,
    KLIEG_TOKEN: "pat_1",
  });
  t.equal(code, 1);
  t.match(err, /The prompt was refused\.\n$/);
  t.strictSame(readdirSync(t.testdirName), ["data"]);
});

t.test("a place that cannot be written is refused before anything is charged", async (t) => {
  const { origin, asked } = await studio(t);
  mkdirSync(join(t.testdirName, "kites.png"));
  const environment = { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" };
  const command = ["generate", "image", "a kite", "-o"];
  const missing = await klieg(t, [...command, "nowhere/kite.png"], environment);
  t.match(missing, {
    code: 1,
    err: "nowhere is not a folder that can be written to; name another file",
  });
  const folder = await klieg(t, [...command, "kites.png"], environment);
  t.match(folder, { code: 1, err: "kites.png is a folder; name a file in it" });
  t.strictSame(asked, []);
});

t.test("a command written wrongly ends with 2 and names its help", async (t) => {
  t.testdir({ data: {} });
  const wrong: readonly (readonly [readonly string[], string])[] = [
    [["generate", "image"], "Name the prompt."],
    [["generate", "image", "a", "kite"], '"kite" is one argument too many'],
    [["generate", "image", "a", "--num-images", "two"], '--num-images is "two"'],
    [["generate", "image", "a", "--colour", "red"], "Unknown option '--colour'"],
    [["generate", "image", "a", "-o", "kite.gif"], "not as .gif"],
    [["account", "create"], "Set the email address of the account with --email."],
    [["account", "create", "--email", "a@b.c", "--plan", "gold"], '--plan is "gold"'],
    [["job"], "Name the job."],
    [["paint"], 'klieg has no command "paint"; see klieg --help.'],
  ];
  for (const [args, words] of wrong) t.match(await klieg(t, args, {}), { code: 2, err: words });
});

t.test("--help lists the commands and each command's options", async (t) => {
  t.testdir({ data: {} });
  t.match(await klieg(t, ["--help"], {}), { code: 0, out: /generate image[\s\S]*account create/ });
  const help = await klieg(t, ["generate", "image", "--help"], {});
  t.match(help, { code: 0, out: /klieg generate image "<prompt>"[\s\S]*--aspect-ratio/ });
});

t.test("without a credential it says where one comes from", async (t) => {
  t.testdir({ data: {} });
  const { code, err } = await klieg(t, ["me"], {});
  t.equal(code, 1);
  t.match(err, /^No credential: .*admin-token cannot be read; start the service here.*\n$/);
});

t.test("where nothing listens it says how to start the service", async (t) => {
  t.testdir({ data: {} });
  const origin = await deadOrigin();
  const unheard = { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" };
  t.strictSame(await klieg(t, ["me"], unheard), {
    code: 1,
    out: "",
    err: `${origin} is not reachable: start it with npm start, or set KLIEG_URL.\n`,
  });
});

t.test("a refusal names title, reason, fields and remedy", async (t) => {
  t.testdir({ data: {} });
  const { origin } = await standIn(t, {
    [image]: [
      json(400, {
        title: "Invalid Request",
        detail: "The request is not valid.",
        errors: [{ pointer: "/seed", detail: "must be at most 4294967295" }],
      }),
    ],
    "GET /v1/me": [
      json(401, { title: "Unauthorized", detail: "Valid authentication is required." }),
    ],
    "GET /v1/jobs": [
      json(429, { title: "Too Many Requests", detail: "Slow down." }, { "retry-after": "9" }),
    ],
  });
  const environment = { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" };
  const seed = await klieg(t, ["generate", "image", "a", "--seed", "9999999999"], environment);
  t.match(seed, {
    code: 1,
    err: "Invalid Request: --seed must be at most 4294967295.\n",
  });
  t.match(await klieg(t, ["me"], environment), { code: 1, err: "Set KLIEG_TOKEN" });
  t.match(await klieg(t, ["jobs", "--no-wait"], environment), {
    code: 1,
    err: "Try again in 9 s.",
  });
});

t.test("E4: what is refused for load is tried again, with a line on standard error", async (t) => {
  t.testdir({ data: {} });
  const { origin, asked } = await standIn(t, {
    "GET /v1/me": [
      json(429, { title: "Too Many Requests" }, { "retry-after": "1" }),
      json(200, { id: "u1", email: "a@b.c", plan: "pro", balance_credits: 7 }),
    ],
  });
  const environment = { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" };
  const { code, err } = await klieg(t, ["me"], environment);
  t.equal(code, 0);
  t.match(err, /^The service is limiting requests; retrying in 2 s \(use --no-wait to give up/m);
  t.equal(asked.length, 2);
});

t.test("account create prints id and token", async (t) => {
  t.testdir({ data: {} });
  const { origin, asked } = await standIn(t, {
    "POST /v1/admin/accounts": [json(201, { id: "u1", email: "a@b.c", token: "pat_9" })],
  });
  const { code, out } = await klieg(
    t,
    ["account", "create", "--email", "a@b.c", "--plan", "pro", "--credits", "50", "--json"],
    { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" },
  );
  t.equal(code, 0);
  t.strictSame(JSON.parse(out), { account_id: "u1", token: "pat_9" });
  const body = { email: "a@b.c", plan: "pro", credits: 50, issue_token: true };
  t.strictSame(asked[0]?.body, body);
});

t.test("job, jobs, cancel, me and models show what the service says", async (t) => {
  t.testdir({ data: {} });
  const cancellation = {
    settlement: "refunded",
    message: "Canceled. Your 4 credits were returned.",
  };
  const { origin } = await standIn(t, {
    "GET /v1/jobs/j1": [json(200, job("running", { progress: 0.5 }))],
    "GET /v1/jobs": [json(200, { items: [job("queued")], total: 3, next_cursor: "c1" })],
    "POST /v1/jobs/j1/cancel": [json(200, job("canceled", { cancellation, credits_charged: 0 }))],
    "GET /v1/me": [
      json(200, {
        email: "a@b.c",
        plan: "pro",
        balance_credits: 12,
        generation_limits: { concurrent_max: 4, concurrent_active: 1 },
      }),
    ],
    "GET /v1/models": [
      json(200, {
        items: [{ id: "m1", modality: "image", status: "available", display_name: "One" }],
      }),
    ],
  });
  const ask = (...args: string[]) => klieg(t, args, { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" });
  t.match(await ask("job", "j1"), {
    code: 0,
    out: /^j1 {2}running.*\na kite\nprogress 50 %\n4 credits held/,
  });
  t.match(await ask("jobs"), { code: 0, out: /^j1 {2}queued/, err: /1 of 3 jobs\n.*--cursor c1/ });
  t.match(await ask("cancel", "j1"), { code: 0, out: /Your 4 credits were returned\./ });
  t.match(await ask("me"), { code: 0, out: "a@b.c  pro  12 credits\n1 of 4 running\n" });
  t.match(await ask("models"), { code: 0, out: "m1  image    available  One\n" });
  t.match(JSON.parse((await ask("models", "--json")).out), { items: [{ id: "m1" }] });
});

t.test("providers are shown, paused and resumed", async (t) => {
  t.testdir({ data: {} });
  const state = { name: "fal", adapter: "fal", status: "up", in_flight: 3, waiting: 1 };
  const { origin, asked } = await standIn(t, {
    "GET /v1/admin/providers": [
      json(200, { items: [{ ...state, paused: false }] }),
      json(200, { items: [{ ...state, paused: true }] }),
    ],
    "POST /v1/admin/providers/fal:pause": [json(200, { ...state, paused: true })],
    "POST /v1/admin/providers/fal:resume": [json(200, { ...state, paused: false })],
  });
  const ask = (...args: string[]) => klieg(t, args, { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" });
  const head = "PROVIDER  ADAPTER  STATUS  IN FLIGHT  WAITING\n";
  t.match(await ask("providers"), {
    code: 0,
    out: `${head}fal       fal      up      3          1\n`,
  });
  t.match(await ask("providers", "pause", "fal"), { out: "fal is paused; its jobs wait.\n" });
  t.match((await ask("providers")).out, /^fal +fal +paused/m);
  t.match(await ask("providers", "resume", "fal"), { out: "fal receives work again.\n" });
  t.match(await ask("providers", "pause"), { code: 2, err: /Name the provider\./ });
  t.equal(asked.length, 4);
});

t.test("each medium asks its route, and a photo is uploaded first", async (t) => {
  t.testdir({ data: {}, "cup.png": "a photo" });
  const onEnd: Answer = (response, asked) => {
    const made = { ...asset(`http://${asked.headers.host}`), mime_type: "audio/mpeg" };
    json(200, job("succeeded", { asset: made, credits_charged: 1 }))(response, asked);
  };
  const { origin, asked } = await standIn(t, {
    "POST /v1/generate/audio": [json(202, job("queued"))],
    "POST /v1/generate/video": [json(202, job("queued"))],
    "POST /v1/generate/3d": [json(202, job("queued"))],
    "POST /v1/assets": [json(201, { id: "p1", status: "processing" })],
    "GET /v1/assets/p1": [json(200, { id: "p1", status: "ready" })],
    "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s" })],
    "GET /v1/jobs/j1/sse": [events(frame("complete", { status: "succeeded" }))],
    "GET /v1/jobs/j1": [onEnd],
    "GET /objects/a1": [bytes],
  });
  const ask = async (...args: string[]) => {
    const environment = { KLIEG_URL: origin, KLIEG_TOKEN: "pat_1" };
    const { code, err } = await klieg(t, ["generate", ...args], environment);
    t.equal(code, 0, err);
    return asked.findLast(({ route }) => route.startsWith("POST /v1/generate"));
  };
  t.match(await ask("speech", "Hello", "--voice", "amber"), {
    route: "POST /v1/generate/audio",
    body: { model: "studio-voice", task: "speech", text: "Hello", voice: "amber" },
  });
  t.match(await ask("video", "a kite", "--duration-seconds", "3", "--fps", "30"), {
    route: "POST /v1/generate/video",
    body: { model: "default", prompt: "a kite", duration_seconds: 3, fps: 30 },
  });
  t.match(await ask("3d", "cup.png", "-o", "cup.glb"), {
    route: "POST /v1/generate/3d",
    body: { image_asset_ids: ["p1"] },
  });
  t.ok(readdirSync(t.testdirName).includes("j1.mp3"), "named by its type");
});
