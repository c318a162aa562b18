/** Tests the command line from a user's side: options, interrupts, help and completion (E4). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { version } from "../../config/version.ts";
import { type Answer, events, frame, json, standIn } from "./stand-in.ts";

const main = join(import.meta.dirname, "../../cli/main.js");
const png = Buffer.from("89504e470d0a1a0a", "hex");

function start(t: Test, args: readonly string[], environment: Record<string, string>) {
  return spawn(process.execPath, [main, ...args], {
    cwd: t.testdirName,
    env: { KLIEG_DATA_DIR: "data", KLIEG_TOKEN: "pat_1", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function klieg(t: Test, args: readonly string[], environment: Record<string, string> = {}) {
  const child = start(t, args, environment);
  const ended = once(child, "exit");
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

const onEnd: Answer = (response, asked) => {
  const signed_url = `http://${asked.headers.host}/objects/a1`;
  const asset = { id: "a1", signed_url, mime_type: "image/png", size_bytes: png.length };
  const warnings = ["Not drawn, because this model does not know these words: cup."];
  const body = { id: "j1", status: "succeeded", asset, warnings, credits_charged: 1 };
  json(200, body)(response, asked);
};

const run: Readonly<Record<string, readonly Answer[]>> = {
  "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s" })],
  "GET /v1/jobs/j1/sse": [events(frame("complete", { status: "succeeded" }))],
  "GET /v1/jobs/j1": [onEnd],
  "GET /objects/a1": [(response) => response.writeHead(200).end(png)],
  "POST /v1/assets": [json(201, { id: "p1", status: "ready" })],
};
const queued = json(202, { id: "j1", status: "queued" });

t.test("--version and help need no service", async (t) => {
  t.testdir({ data: {} });
  t.match(await klieg(t, ["--version"]), { code: 0, out: `${version}\n` });
  const { code, out } = await klieg(t, ["help", "generate", "image"]);
  t.equal(code, 0);
  t.match(out, /^klieg generate image "<prompt>"/);
  t.match(out, /--negative-prompt/);
  t.match(await klieg(t, ["help"]), { code: 0, out: /^klieg <command>/ });
});

t.test("completion scripts name commands and options, and bash can read its own", async (t) => {
  t.testdir({ data: {} });
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, out } = await klieg(t, ["completion", shell]);
    t.equal(code, 0);
    for (const word of ["remove-background", "aspect-ratio", "enhance-prompt"])
      t.match(out, word, shell);
  }
  const { out } = await klieg(t, ["completion", "bash"]);
  const ask = `${out}\nCOMP_WORDS=(klieg generate im); COMP_CWORD=2; _klieg; echo "$COMPREPLY"`;
  const asked = spawnSync("bash", ["-c", ask], { encoding: "utf8" });
  t.match(asked, { status: 0, stdout: "image\n" });
  t.match(await klieg(t, ["completion", "tcsh"]), { code: 2, err: /name bash, zsh or fish/ });
});

t.test("a file that is missing is named in a sentence", async (t) => {
  t.testdir({ data: {} });
  for (const args of [
    ["upload", "nowhere.png"],
    ["generate", "3d", "nowhere.png"],
    ["restore", "nowhere.mp4"],
    ["render", "nowhere"],
    ["lint", "nowhere"],
  ]) {
    const { code, err } = await klieg(t, args, { KLIEG_URL: "http://127.0.0.1:9" });
    t.equal(code, 1);
    t.match(err, /^nowhere(\.\w+)? cannot be read\.\n$/, args.join(" "));
  }
});

t.test("an interrupt names the job, which goes on", async (t) => {
  t.testdir({ data: {} });
  const { origin } = await standIn(t, {
    "POST /v1/generate/image": [queued],
    "POST /v1/jobs/j1/sse-ticket": [json(201, { ticket: "s" })],
    "GET /v1/jobs/j1/sse": [
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(frame("status", { status: "running" }));
      },
    ],
  });
  const child = start(t, ["generate", "image", "a kite"], { KLIEG_URL: origin });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (words: string) => {
    said += words;
    if (words.includes("running")) child.kill("SIGINT");
  });
  const [code] = await once(child, "close");
  t.equal(code, 130);
  t.match(
    said,
    /The job j1 continues\. See it with klieg job j1, end it with klieg cancel j1\.\n$/,
  );
});

t.test("-o - prints the result and nothing else", async (t) => {
  t.testdir({ data: {} });
  const { origin } = await standIn(t, { "POST /v1/generate/image": [queued], ...run });
  const child = start(t, ["generate", "image", "a cup", "-o", "-"], { KLIEG_URL: origin });
  const closed = once(child, "close");
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const err = await text(child.stderr);
  t.strictSame(await closed, [0, null]);
  t.strictSame(Buffer.concat(chunks), png);
  t.match(err, /1 credit charged/);
  t.match(err, /warning: Not drawn, because this model does not know these words: cup\./, "(E2)");
  t.strictSame(readdirSync(t.testdirName), ["data"]);
});

t.test("a refusal names the options that a person wrote, once", async (t) => {
  t.testdir({ data: {}, "a.png": "x" });
  const errors = [
    { pointer: "/duration_seconds", detail: "must be one of 2, 4" },
    { pointer: "/first_frame_asset_id", detail: "is not a picture" },
  ];
  const { origin } = await standIn(t, {
    ...run,
    "POST /v1/generate/video": [
      json(400, { title: "Invalid Request", detail: "/duration_seconds must be ...", errors }),
    ],
  });
  const args = ["generate", "video", "x", "--duration-seconds", "9", "--first-frame", "a.png"];
  const { code, err } = await klieg(t, args, { KLIEG_URL: origin });
  t.equal(code, 1);
  const fields = "--duration-seconds must be one of 2, 4; --first-frame is not a picture.";
  t.equal(err, `Invalid Request: ${fields}\n`);
});

t.test("the next page of a list keeps its filters", async (t) => {
  t.testdir({ data: {} });
  const page = { items: [], total: 9, next_cursor: "c2" };
  const { origin } = await standIn(t, {
    "GET /v1/jobs": [json(200, page)],
    "GET /v1/assets": [json(200, page)],
  });
  const jobs = await klieg(t, ["jobs", "--limit", "2", "--status", "failed,canceled"], {
    KLIEG_URL: origin,
  });
  t.match(jobs.err, "more: klieg jobs --limit 2 --status failed,canceled --cursor c2\n");
  const assets = await klieg(t, ["assets", "--q", "red kite"], { KLIEG_URL: origin });
  t.match(assets.err, "more: klieg assets --q 'red kite' --limit 20 --cursor c2\n");
});

t.test("a login is used without KLIEG_URL", async (t) => {
  t.testdir({ data: {}, config: { klieg: {} } });
  const { origin, asked } = await standIn(t, { "GET /v1/me": [json(200, { email: "a@b.c" })] });
  const login = JSON.stringify({ origin, token: "pat_login" });
  writeFileSync(join(t.testdirName, "config/klieg/login.json"), login);
  mkdirSync(join(t.testdirName, "data"), { recursive: true });
  writeFileSync(join(t.testdirName, "data/address"), "http://127.0.0.1:9\n");
  const environment = { KLIEG_TOKEN: "", XDG_CONFIG_HOME: join(t.testdirName, "config") };
  await klieg(t, ["me"], environment);
  t.equal(asked[0]?.headers.authorization, "Bearer pat_login");
});

t.test("each kind of work asks its route with its options", async (t) => {
  t.testdir({ data: {}, "a.png": "x", "b.mp4": "y" });
  const routes = ["image", "video", "audio"].map((kind) => `POST /v1/generate/${kind}`);
  const edits = ["POST /v1/remove-background/video", "POST /v1/restore/video"];
  const script = Object.fromEntries([...routes, ...edits].map((route) => [route, [queued]]));
  const { origin, asked } = await standIn(t, { ...run, ...script });
  const ask = async (...args: string[]) => {
    const { code, err } = await klieg(t, args, { KLIEG_URL: origin });
    t.equal(code, 0, err);
    return asked.findLast(({ route }) => route in script);
  };
  const id = "01990000-0000-7000-8000-000000000001";
  const image = ["generate", "image", "a kite", "--negative-prompt", "rain", "-o", "k.webp"];
  t.match(await ask(...image, "--reference", "a.png", "--reference", id, "--enhance-prompt"), {
    body: {
      prompt: "a kite",
      negative_prompt: "rain",
      reference_asset_ids: ["p1", id],
      enhance_prompt: true,
      output_format: "webp",
    },
  });
  const video = ["generate", "video", "a kite", "--first-frame", "a.png", "--last-frame", id];
  t.match(await ask(...video), {
    body: { first_frame_asset_id: "p1", last_frame_asset_id: id },
  });
  t.match(await ask("generate", "speech", "Hello", "--speed", "1.5", "-o", "h.wav"), {
    body: { text: "Hello", speed: 1.5, output_format: "wav" },
  });
  const matte = ["remove-background", "b.mp4", "--background", "color"];
  t.match(await ask(...matte, "--background-color", "#00ff00"), {
    route: "POST /v1/remove-background/video",
    body: { source_asset_id: "p1", background: "color", background_color: "#00ff00" },
  });
  t.match(await ask("restore", "b.mp4", "--scale", "4", "--denoise", "0.5"), {
    body: { source_asset_id: "p1", scale: 4, denoise: 0.5 },
  });
  t.match(await klieg(t, ["restore"], { KLIEG_URL: origin }), { code: 2, err: /Name the video/ });
});

t.test("cost prices what another command would ask for", async (t) => {
  t.testdir({ data: {} });
  const settings = [{ label: "Model", value: "Studio Image" }];
  const { origin, asked } = await standIn(t, {
    "POST /v1/jobs/cost": [json(200, { credits: 1, settings, balance_credits: 7 })],
  });
  const args = ["cost", "generate", "image", "a kite", "--num-images", "2"];
  const { code, out, err } = await klieg(t, args, { KLIEG_URL: origin });
  t.equal(code, 0);
  t.equal(out, "1 credit\nModel: Studio Image\n");
  t.equal(err, "7 credits are left\n");
  t.strictSame(asked[0]?.body, {
    kind: "image",
    image: { model: "default", prompt: "a kite", num_images: 2 },
  });
  t.match(await klieg(t, ["cost", "nothing"]), { code: 2 });
});

t.test("a set is followed to its end and saved by its labels", async (t) => {
  t.testdir({ data: {} });
  const member = (label: string, host: string) => {
    const signed_url = `${host}/objects/a1`;
    return { label, job_id: "j", status: "succeeded", asset: { id: "a1", signed_url } };
  };
  const ready: Answer = (response, asked) => {
    const members = ["one", "two"].map((label) => member(label, `http://${asked.headers.host}`));
    json(200, { id: "s1", status: "ready", members, problems: [], credits_charged: 2 })(
      response,
      asked,
    );
  };
  const { origin, asked } = await standIn(t, {
    ...run,
    "POST /v1/generate/set": [json(202, { id: "s1", status: "generating" })],
    "GET /v1/sets/s1": [json(200, { id: "s1", status: "generating" }), ready],
  });
  const args = ["generate", "set", "a kite", "--member", "one", "--member", "two=a boat"];
  const { code, out } = await klieg(t, args, { KLIEG_URL: origin });
  t.equal(code, 0);
  t.match(asked[0]?.body, { members: [{ label: "one" }, { label: "two", prompt: "a boat" }] });
  t.match(out, "2 credits charged");
  t.strictSame(readFileSync(join(t.testdirName, "two.png")), png);
  const wrong = ["generate", "set", "a kite", "--member", "../up"];
  t.match(await klieg(t, wrong, { KLIEG_URL: origin }), { code: 2, err: /is not a valid label/ });
});

t.test("assets and agents are shown, changed and ended", async (t) => {
  t.testdir({ data: {} });
  const asset = { id: "a1", status: "ready", mime_type: "image/png", size_bytes: 9 };
  const { origin, asked } = await standIn(t, {
    "GET /v1/assets/a1": [json(200, { ...asset, display_name: "a kite" })],
    "DELETE /v1/assets/a1": [(response) => response.writeHead(204).end()],
    "POST /v1/assets/a1/restore": [json(200, asset)],
    "POST /v1/agent/sessions": [json(201, { id: "g1" })],
    "POST /v1/agent/sessions/g1/turns": [
      json(201, { id: "t1", credential: "agt_1", expires_at: "2026-01-01T00:00:00.000Z" }),
    ],
    "POST /v1/agent/sessions/g1/interrupt": [
      json(200, { id: "t1", status: "stopped", credits_committed: 3 }),
    ],
    "GET /v1/agent/sessions": [
      json(200, { items: [{ id: "g1", status: "idle", credits_spent: 3, title: "" }] }),
    ],
    "POST /v1/generate/video/enhance-prompt": [json(200, { prompt: "a kite, slow pan" })],
  });
  const ask = async (...args: string[]) => {
    const { code, out, err } = await klieg(t, args, { KLIEG_URL: origin });
    t.equal(code, 0, err);
    return out;
  };
  t.match(await ask("asset", "a1"), "a1  ready       image/png  1 KiB  a kite\n");
  await ask("asset", "delete", "a1", "--permanent");
  t.equal(asked.at(-1)?.route, "DELETE /v1/assets/a1");
  await ask("asset", "restore", "a1");
  t.equal(await ask("agent", "start", "make a film", "--ceiling", "40"), "agt_1\n");
  t.strictSame(asked.at(-1)?.body, { brief: "make a film", credit_ceiling: 40 });
  t.equal(await ask("agent", "stop", "g1"), "t1  stopped  3 credits\n");
  t.equal(await ask("agents"), "g1  idle     3 credits\n");
  t.equal(await ask("enhance-prompt", "a kite"), "a kite, slow pan\n");
});

t.test("klieg audit goes through all pages and says what is broken", async (t) => {
  t.testdir({ data: {} });
  const broken = {
    account_id: "a1",
    invariant: "held",
    detail: "Credits held by open jobs: 2 expected, 3 found.",
    expected: 2,
    found: 3,
  };
  const page = { items: [], accounts: 20, jobs: 7, moving: [], next_cursor: null };
  const first = { ...page, items: [broken], next_cursor: "more" };
  const route = "GET /v1/admin/invariants";
  const bad = await standIn(t, { [route]: [json(200, first), json(200, page)] });
  const found = await klieg(t, ["audit"], { KLIEG_URL: bad.origin });
  t.equal(found.code, 1);
  t.equal(found.out, `Account a1 breaks held: ${broken.detail}\n`);
  t.equal(found.err, "40 accounts and 14 jobs were checked; 1 invariant is broken.\n");
  t.equal(bad.asked.length, 2);
  const asJson = await klieg(t, ["audit", "--json"], { KLIEG_URL: bad.origin });
  t.strictSame([asJson.code, asJson.out], [0, '{"accounts":20,"jobs":7,"broken":0}\n']);

  const good = await standIn(t, { [route]: [json(200, page)] });
  const whole = await klieg(t, ["audit"], { KLIEG_URL: good.origin });
  const line = "20 accounts and 7 jobs were checked; no invariant is broken.\n";
  t.strictSame([whole.code, whole.out, whole.err], [0, line, ""]);

  const busy = await standIn(t, { [route]: [json(200, { ...page, moving: ["a2"] })] });
  const unsure = await klieg(t, ["audit"], { KLIEG_URL: busy.origin });
  t.equal(unsure.code, 1);
  t.match(unsure.err, "Too busy to be checked, so run it again: account a2.");
});
