import { join } from "node:path";
import t, { type Test } from "tap";
import { surveyConfiguration } from "../../config/configuration.ts";
import type { Provider } from "../../providers/provider.ts";
import { plainModel } from "../actors/models.ts";
import { runCommand } from "./run-command.ts";

const local = { name: "local", adapter: "comfyui", url: "http://127.0.0.1:8188" };
const fal = { name: "fal", adapter: "fal", url: "https://queue.fal.run", key: { env: "FAL_KEY" } };
const far = {
  ...plainModel,
  id: "far",
  aliases: [],
  default_for: [],
  provider: "fal",
  callback: true,
  provider_model: "fal-ai/flux/dev",
  mapping: { prompt: "$prompt" },
};

async function check(
  t: Test,
  given: { readonly models?: readonly object[]; readonly health?: "up" | "down" },
  ...options: readonly string[]
) {
  const { models = [far], health = "up" } = given;
  const dated = { version: "1", updated_at: "2026-11-20T00:00:00Z" };
  const folder = t.testdir({
    "providers.json": JSON.stringify({ providers: [local, fal] }),
    "models.json": JSON.stringify({ ...dated, models }),
  });
  const asked: string[] = [];
  const ended = await runCommand(["models", "check", ...options], {
    surveyConfiguration: async () =>
      surveyConfiguration(
        {
          modelFiles: [join(folder, "models.json")],
          providersFile: join(folder, "providers.json"),
          simulatedModels: true,
        },
        { FAL_KEY: "k" },
      ),
    openProvider: async ({ name }) => standIn(() => asked.push(name), health),
  });
  return { ...ended, asked };
}

/** A provider that only reports its health. */
function standIn(onAsked: () => void, health: "up" | "down"): Provider {
  const never = () => Promise.reject(new Error("only its health is asked"));
  return {
    describe: () => ({
      name: "",
      isInProcess: false,
      idempotentSubmit: false,
      cancel: "none",
      callback: "none",
      progress: false,
      reportsBilling: false,
    }),
    submit: never,
    status: never,
    result: never,
    cancel: never,
    verifyCallback: never,
    async health() {
      onAsked();
      return health;
    },
  };
}

t.test("klieg models check prints providers and models, and asks no provider", async (t) => {
  const { code, out, said, asked } = await check(t, {});
  t.equal(code, 0);
  t.strictSame(out, [
    "PROVIDER  ADAPTER  AT                     HEALTH",
    "local     comfyui  http://127.0.0.1:8188  not asked",
    "fal       fal      https://queue.fal.run  not asked",
    "MODEL  MODALITY  PROVIDER  RUNS             CALLS BACK",
    "far    image     fal       fal-ai/flux/dev  yes",
  ]);
  t.strictSame(said, ["All models and providers are usable.\n"]);
  t.strictSame(asked, []);
});

t.test("each fault is one sentence, and the exit code is 1", async (t) => {
  const models = [
    { ...far, mapping: { a: "$promt", b: "$sede" } },
    { ...far, id: "cog", provider: "cog" },
  ];
  const { code, out, said } = await check(t, { models });
  t.equal(code, 1);
  t.match(out.slice(-3), [
    /far has a mapping that names the unknown field \$promt at a/,
    /far has a mapping that names the unknown field \$sede at b/,
    /cog has the provider cog, which is not configured \(farm, sim, local, fal\)/,
  ]);
  t.strictSame(said, ["3 faults found.\n"]);
});

t.test("--live asks each provider's health; one that is down is a fault", async (t) => {
  const { code, out, asked } = await check(t, {}, "--live");
  t.equal(code, 0);
  t.strictSame(asked, ["local", "fal"]);
  t.match(
    out,
    ["", /http:\/\/127.0.0.1:8188 +up$/, /up$/].map((line) => line || /HEALTH/),
  );
  const down = await check(t, { health: "down" }, "--live");
  t.equal(down.code, 1);
  t.match(down.out.at(-1), /The provider fal cannot be reached/);
});
