import t from "tap";
import { CatalogueError, readCatalogue } from "../../config/catalogue-files.ts";
import { planNames, plans } from "../../config/plans.ts";
import { plainModel } from "./models.ts";

const file = { version: "1", updated_at: "2026-11-20T00:00:00Z", models: [plainModel] };

function read(
  t: { testdir(files: Record<string, string>): string },
  value: unknown,
  simulatedModels = true,
) {
  const folder = t.testdir({
    "models.json": typeof value === "string" ? value : JSON.stringify(value),
  });
  return readCatalogue([`${folder}/models.json`], { simulatedModels, providers: [] });
}

t.test("the shipped catalogue has simulated models only when asked", async (t) => {
  const ids = (simulatedModels: boolean) =>
    readCatalogue(["shipped"], { simulatedModels, providers: [] }).models.map(({ id }) => id);
  t.ok(ids(false).includes("studio-image"));
  t.notOk(ids(false).some((id) => id.startsWith("sim-")));
  t.ok(ids(true).includes("sim-instant"));
});

t.test("a model is found by id, alias, or default, within its modality", async (t) => {
  const { find } = readCatalogue(["shipped"], { simulatedModels: true, providers: [] });
  t.equal(find("studio-image", "image")?.id, "studio-image");
  t.equal(find("studio", "image")?.id, "studio-image");
  t.equal(find("default", "image")?.id, "studio-image");
  t.equal(find("sim-instant", "image")?.id, "sim-instant");
  t.equal(find("studio-image", "video"), undefined);
  t.equal(find("default", "video")?.id, "studio-video");
  t.equal(find("default", "audio")?.id, "studio-voice");
  t.equal(find("default", "three_d")?.id, "studio-relief");
  t.equal(find("sim-video", "audio"), undefined);
  t.equal(find("Studio", "image"), undefined);
});

t.test("a catalogue file replaces the shipped one", async (t) => {
  const catalogue = read(t, file);
  t.strictSame([catalogue.version, catalogue.updatedAt], ["1", "2026-11-20T00:00:00Z"]);
  t.equal(catalogue.find("plain-alias", "image")?.id, "plain");
});

t.test(
  "a model whose provider is not configured stops with its name and the provider's",
  async (t) => {
    const models = [{ ...plainModel, id: "far", provider: "fal" }];
    t.throws(() => read(t, { ...file, models }), {
      name: "CatalogueError",
      message: /models\.json: far has the provider fal, which is not configured \(farm, sim\); /,
    });
    t.throws(() => read(t, file, false), {
      message: /plain has the provider sim, which is not/,
    });
  },
);

for (const [what, value, message] of [
  ["no JSON", "{", /not valid JSON/],
  ["an unknown member", { ...file, extra: 1 }, /extra/],
  ["no models", { version: "1", updated_at: file.updated_at }, /models/],
  ["a model without a price", { ...file, models: [{ ...plainModel, price: undefined }] }, /price/],
  ["a negative price", makePriced({ base: -1 }), /price\/base/],
  ["a bad id", { ...file, models: [{ ...plainModel, id: "No Spaces" }] }, /models\/0\/id/],
  ["an unknown plan", { ...file, models: [{ ...plainModel, plans: ["gold"] }] }, /plans/],
  [
    "one name twice",
    { ...file, models: [plainModel, { ...plainModel, aliases: [] }] },
    /named image plain/,
  ],
] as const)
  t.test(`a catalogue with ${what} stops with a sentence that says where`, async (t) => {
    const attempt = () => read(t, value);
    t.throws(attempt, { name: "CatalogueError", message });
    t.throws(attempt, CatalogueError);
  });

t.test("a catalogue file that is not there stops with its name", async (t) => {
  t.throws(
    () => readCatalogue(["/nowhere/models.json"], { simulatedModels: false, providers: [] }),
    {
      message: /\/nowhere\/models.json/,
    },
  );
});

t.test("plan defaults: ceilings, monthly credits, generations per UTC day", async (t) => {
  t.strictSame(
    planNames.map((name) => [name, plans[name].monthlyCredits, plans[name].generationsPerDay]),
    [
      ["free", 100, 50],
      ["starter", 1_000, 500],
      ["pro", 4_000, 2_000],
      ["studio", 12_000, 5_000],
      ["team", 20_000, 10_000],
      ["enterprise", 0, undefined],
    ],
  );
  t.ok(planNames.every((name) => plans[name].concurrentMax >= 1));
});

function makePriced(price: object) {
  return { ...file, models: [{ ...plainModel, price: { ...plainModel.price, ...price } }] };
}
