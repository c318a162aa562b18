/** A user of ComfyUI gets a picture through Klieg by one example file and two variables. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import t from "tap";
import type { Job } from "../../contract/job.ts";
import { systemClock } from "../../engine/adapters/system-clock.ts";
import { ask } from "../crash/accounts.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";
import { ComfyuiSimulator } from "./comfyui-simulator.ts";

const example = join(import.meta.dirname, "../../../examples/providers/comfyui");

t.test("a copy of examples/providers/comfyui and two variables make a picture", async (t) => {
  const simulator = await new ComfyuiSimulator({ clock: systemClock }).listen();
  t.teardown(() => simulator.close());
  // Only the port is changed, because the test's server has another one.
  const copy = readdirSync(example).map((name) => {
    const text = readFileSync(join(example, name), "utf8");
    return [name, text.replaceAll("http://127.0.0.1:8188", simulator.url)] as const;
  });
  const folder = t.testdir(Object.fromEntries([...copy, ["data", {}]]));
  const { port } = await startKlieg(t, join(folder, "data"), {
    KLIEG_FARM_WORKERS: "1",
    KLIEG_ISOLATION: "off",
    KLIEG_PROVIDERS: join(folder, "providers.json"),
    KLIEG_MODELS: `shipped,${join(folder, "models.json")}`,
  });
  const body = { model: "comfyui-sd15", prompt: "a red kite over dunes", seed: 7 };
  let { json: job } = await ask<Job>(port, firstToken, "/generate/image", body);
  while (job.status === "queued" || job.status === "running") {
    await pause(100);
    job = (await ask<Job>(port, firstToken, `/jobs/${job.id}`)).json;
  }
  t.match(job, { status: "succeeded", asset: { mime_type: "image/png", status: "ready" } });
  const picture = await fetch(job.asset?.signed_url ?? "");
  t.equal(picture.status, 200);
  t.equal(Buffer.from(await picture.arrayBuffer()).toString("latin1", 1, 4), "PNG");
});
