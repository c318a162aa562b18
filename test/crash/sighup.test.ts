import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import shipped from "../../config/models.json" with { type: "json" };
import { ask } from "./accounts.ts";
import { firstToken, startKlieg } from "./klieg-process.ts";

t.test("SIGHUP reloads the catalogue; an invalid file keeps the previous one", async (t) => {
  const dataDir = t.testdir();
  const file = join(t.testdirName, "models.json");
  const write = (version: string) => writeFileSync(file, JSON.stringify({ ...shipped, version }));
  write("first");
  const klieg = await startKlieg(t, dataDir, { KLIEG_MODELS: file });
  const version = async () => {
    return (await ask<{ version: string }>(klieg.port, firstToken, "/models")).json.version;
  };
  t.equal(await version(), "first");
  write("second");
  klieg.child.kill("SIGHUP");
  while ((await version()) === "first");
  t.equal(await version(), "second");
  writeFileSync(file, "{");
  klieg.child.kill("SIGHUP");
  for (let tries = 0; tries < 20; tries++) t.equal(await version(), "second");
});

t.test("providers are read with the catalogue, and a wrong file keeps both", async (t) => {
  const dataDir = t.testdir();
  const models = join(t.testdirName, "models.json");
  const providers = join(t.testdirName, "providers.json");
  const write = (version: string) => writeFileSync(models, JSON.stringify({ ...shipped, version }));
  const configure = (name: string) => {
    const local = { name, adapter: "comfyui", url: "http://127.0.0.1:8188" };
    writeFileSync(providers, JSON.stringify({ providers: [local] }));
  };
  write("first");
  configure("local");
  const settings = { KLIEG_MODELS: models, KLIEG_PROVIDERS: providers };
  const klieg = await startKlieg(t, dataDir, settings);
  const version = async () => {
    return (await ask<{ version: string }>(klieg.port, firstToken, "/models")).json.version;
  };
  configure("farm");
  write("second");
  klieg.child.kill("SIGHUP");
  for (let tries = 0; tries < 20; tries++) t.equal(await version(), "first");
  configure("other");
  klieg.child.kill("SIGHUP");
  while ((await version()) === "first");
  t.equal(await version(), "second");
});
