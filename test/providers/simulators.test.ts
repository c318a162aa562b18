import t, { type Test } from "tap";
import { ManualClock } from "../../engine/adapters/manual-clock.ts";
import { simulatedMedia } from "../../providers/simulated/simulated-media.ts";
import { FalSimulator } from "./fal-simulator.ts";
import type { Call } from "./simulator.ts";
import {
  receiveCallbacks,
  stageCog,
  stageFal,
  stageOpenaiVideos,
  stageReplicate,
} from "./stages.ts";
import { begin } from "./submissions.ts";

const job = "0198c0de-0000-7000-8000-000000000001";

t.test("a simulator's journal has each call, its job and its time", async (t) => {
  const stage = await stageFal(t);
  const ref = await begin(stage, "a kite sim:slow=1000");
  await stage.pass(500);
  await stage.provider.status(ref);
  const { id } = JSON.parse(ref);
  t.match(stage.simulator.journal, [
    { method: "POST", path: /^\/kites\/image\?fal_webhook=/, job: id, status: 200, atMs: 1e9 },
    { method: "GET", path: /status\?logs=0$/, job: id, status: 202, atMs: 1e9 + 500 },
  ]);
});

t.test("a hook is called before and after each answer", async (t) => {
  const moments: string[] = [];
  const onCall = (call: Call, moment: string) => {
    moments.push(`${call.method} ${moment} ${call.status}`);
  };
  const stage = await stageFal(t, { onCall });
  await begin(stage, "a kite");
  t.strictSame(moments, ["POST before undefined", "POST after 200"]);
});

for (const [modality, model] of [
  ["image", "kites/image"],
  ["video", "kites/video"],
  ["audio", "kites/speech"],
  ["three_d", "kites/mesh"],
] as const)
  t.test(`${model} makes a real file, whole and in parts`, async (t) => {
    const stage = await stageFal(t);
    const ref = await begin(stage, "a kite sim:slow=10", { model });
    await stage.pass(10);
    const url = await firstUrl(t, await stage.provider.result(ref));
    const { bytes, media } = simulatedMedia[modality];
    const whole = await fetch(url);
    t.equal(whole.headers.get("content-type"), media.mimeType);
    t.equal(whole.headers.get("content-length"), String(bytes.length));
    t.strictSame(Buffer.from(await whole.arrayBuffer()), bytes);
    const part = await fetch(url, { headers: { range: "bytes=40-" } });
    t.equal(part.status, 206);
    t.equal(part.headers.get("content-range"), `bytes 40-${bytes.length - 1}/${bytes.length}`);
    t.strictSame(Buffer.from(await part.arrayBuffer()), bytes.subarray(40));
    t.equal((await fetch(url, { headers: { range: "bytes=99999-" } })).status, 416);
  });

async function firstUrl(
  t: Test,
  { files }: { readonly files: readonly { readonly kind: string; readonly url?: string }[] },
): Promise<string> {
  const [file] = files;
  if (file?.url === undefined) t.fail("the first file has no URL");
  return file?.url ?? "";
}

t.test("hostile files redirect without end, lead inside, or are pages", async (t) => {
  const stage = await stageReplicate(t);
  const getFile = async (word: string) => {
    const ref = await begin(stage, `hostile:${word} sim:slow=10`);
    await stage.pass(10);
    return firstUrl(t, await stage.provider.result(ref));
  };
  await t.rejects(fetch(await getFile("redirects")), { message: "fetch failed" });
  t.equal(await (await fetch(await getFile("loopback"))).text(), "inside");
  t.strictSame(stage.simulator.trapped, ["/secret"]);
  t.equal((await fetch(await getFile("media"))).headers.get("content-type"), "text/html");
});

const callbackCounts = [
  ["sim:ok", 1],
  ["sim:dup_callback", 2],
  ["sim:drop_callback", 0],
  ["sim:bad_signature", 1],
  ["sim:lost", 0],
  ["sim:fail", 1],
  ["sim:unknown_submit", 1],
] as const;

for (const open of [stageFal, stageOpenaiVideos, stageReplicate, stageCog])
  for (const [word, count] of callbackCounts)
    t.test(`${open.name} makes ${count} callbacks of ${word}`, async (t) => {
      const stage = await open(t);
      const callbackUrl = `${stage.callbackUrl}?job=${job}&t=token`;
      await begin(stage, `${word} sim:slow=10`, { job, callbackUrl }).catch(() => "");
      await stage.pass(10);
      const ended = stage.callbacks.filter((one) => !isOfStart(one.rawBody));
      t.equal(ended.length, count);
      if (open !== stageCog || word !== "sim:bad_signature") return;
      t.match(ended, [{ path: /&t=tokenforged$/ }], "a token is what is forged");
    });

function isOfStart(rawBody: Uint8Array): boolean {
  return Buffer.from(rawBody).includes("processing");
}

t.test("a callback that is not taken is sent again", async (t) => {
  const stage = await stageFal(t);
  const { callbacks, url, close } = await receiveCallbacks();
  close();
  await begin(stage, "sim:slow=10", { callbackUrl: `${url}/callbacks/fal?job=${job}` });
  await stage.pass(10);
  const { port } = new URL(url);
  const again = await receiveCallbacks(Number(port));
  t.teardown(again.close);
  await stage.pass(15_000);
  t.equal(callbacks.length + again.callbacks.length, 1);
});

t.test("a simulator takes the clock and the port that it is given", async (t) => {
  const simulator = await new FalSimulator({ clock: new ManualClock(5_000) }).listen();
  t.teardown(() => simulator.close());
  await fetch(`${simulator.url}/kites/image`, { method: "POST", body: "not json" });
  t.match(simulator.journal, [{ atMs: 5_000, status: 401 }]);
});
