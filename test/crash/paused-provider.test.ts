import { join } from "node:path";
import t from "tap";
import type { AdminProviderList } from "../../contract/admin.ts";
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

t.test("a paused provider is paused after SIGKILL too, until it is resumed", async (t) => {
  const fal = { name: "fal", adapter: "fal", url: "http://127.0.0.1:9", key: { env: "FAL_KEY" } };
  const folder = t.testdir({
    data: {},
    "providers.json": JSON.stringify({ providers: [fal] }),
  });
  const settings = { KLIEG_PROVIDERS: join(folder, "providers.json"), FAL_KEY: "k" };
  const start = () => startKlieg(t, join(folder, "data"), settings);
  const isPaused = async (port: number) => {
    const { json } = await ask<AdminProviderList>(port, firstToken, "/admin/providers");
    return json.items[0]?.paused;
  };
  const first = await start();
  t.equal(await isPaused(first.port), false);
  await ask(first.port, firstToken, "/admin/providers/fal:pause", {});
  await first.kill("SIGKILL");
  const second = await start();
  t.equal(await isPaused(second.port), true);
  await ask(second.port, firstToken, "/admin/providers/fal:resume", {});
  t.equal(await isPaused(second.port), false);
});
