import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import shipped from "../../config/models.json" with { type: "json" };
import type { JobCostQuote } from "../../contract/cost.ts";
import type { Refused } from "./caller.ts";
import { openInProcess } from "./in-process-service.ts";

const path = "/v1/admin/models:reload";
const image = { model: "sim-instant", prompt: "a kite" };

/** A catalogue of the test's own; `change` replaces members of the simulated image model. */
async function open(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), "klieg-models-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const modelsFile = join(folder, "models.json");
  const write = (change: object, version: string) => {
    const models = shipped.models.map((model) => {
      return model.id === image.model ? { ...model, ...change } : model;
    });
    writeFileSync(modelsFile, JSON.stringify({ ...shipped, version, models }));
  };
  write({}, "first");
  const house = await openInProcess(t, { modelFiles: [modelsFile] });
  return { house, write, modelsFile };
}

t.test("POST /admin/models:reload reads the catalogue again", async (t) => {
  const { house, write } = await open(t);
  const before = await house.admin.get("/v1/models");
  write({ display_name: "Another name" }, "second");
  const { status, json } = await house.admin.post(path);
  t.equal(status, 200);
  t.match(json, { version: "second", models: shipped.models.length });
  const after = await house.admin.get("/v1/models");
  t.match(after.json, { version: "second" });
  t.not(after.headers["etag"], before.headers["etag"]);
  t.match((await house.admin.get(`/v1/models/${image.model}`)).json, {
    display_name: "Another name",
  });
  const { json: audit } = await house.admin.get<{ items: readonly object[] }>("/v1/admin/audit");
  t.match(audit.items[0], { action: "models.reload", target: "second" });
});

t.test("an invalid file keeps the previous catalogue", async (t) => {
  const { house, modelsFile } = await open(t);
  for (const text of ["{", '{"version":"x"}']) {
    writeFileSync(modelsFile, text);
    const { status, json } = await house.admin.post<Refused>(path);
    t.equal(status, 409);
    t.match(json.detail, /KLIEG_MODELS/);
    t.match((await house.admin.get("/v1/models")).json, { version: "first" });
  }
  t.equal((await (await house.account()).submit("a kite")).status, 202);
});

t.test("a price change invalidates outstanding confirmation tokens, not holds", async (t) => {
  const { house, write } = await open(t);
  const ada = await house.account();
  const held = await ada.job("a slow kite sim:slow=1000");
  const { json: quote } = await ada.post<JobCostQuote>("/v1/jobs/cost", { kind: "image", image });
  write({ price: { base: 7, per: {}, multipliers: {}, minimum: 1 } }, "dearer");
  await house.admin.post(path);
  const token = { confirmation_token: quote.confirmation_token };
  const refused = await ada.submit<Refused>("a kite", token);
  t.equal(refused.status, 422);
  t.match(refused.json, { code: "confirmation_rejected", reason: "mismatch" });
  t.equal((await ada.job("a kite")).credits_held, 7);
  await house.advance(2_000);
  t.match(await ada.read(held.id), { status: "succeeded", credits_held: 1, credits_charged: 1 });
});

t.test(
  "a disabled model answers 400 at submit and is listed for administrators only",
  async (t) => {
    const { house, write } = await open(t);
    const ada = await house.account();
    write({ status: "disabled" }, "without");
    await house.admin.post(path);
    const { status, json } = await ada.submit<Refused>("a kite");
    t.equal(status, 400);
    t.equal(json.errors?.[0]?.pointer, "/model");
    const ids = async (query: string) => {
      const page = await house.admin.get<{ items: readonly { id: string }[] }>(
        `/v1/models${query}`,
      );
      return page.json.items.map(({ id }) => id);
    };
    t.notOk((await ids("")).includes(image.model));
    t.ok((await ids("?include_disabled=true")).includes(image.model));
    t.equal((await ada.get("/v1/models?include_disabled=true")).status, 403);
  },
);

t.test("a deprecated model carries sunset_at and replacement", async (t) => {
  const { house, write } = await open(t);
  const sunset_at = "2027-01-01T00:00:00Z";
  write({ status: "deprecated", sunset_at, replacement: "studio-image" }, "old");
  await house.admin.post(path);
  const ada = await house.account();
  t.match((await ada.get(`/v1/models/${image.model}`)).json, {
    status: "deprecated",
    sunset_at,
    replacement: "studio-image",
  });
  t.equal((await ada.submit("a kite")).status, 202);
});

t.test("a deprecated model answers with Deprecation, Sunset and Link", async (t) => {
  const { house, write } = await open(t);
  const ada = await house.account();
  const plain = await ada.submit("a kite of today");
  t.notOk(plain.headers["deprecation"] ?? plain.headers["sunset"] ?? plain.headers["link"]);
  const dates = { deprecated_at: "2026-04-01T00:00:00Z", sunset_at: "2026-10-01T12:00:00Z" };
  write({ status: "deprecated", ...dates, replacement: "studio-image" }, "old");
  await house.admin.post(path);
  const base = { prompt: "a kite", model: image.model };
  const members = [{ label: "one", prompt: "one" }];
  const answers = [
    await ada.get(`/v1/models/${image.model}`),
    await ada.submit("a kite"),
    await ada.post("/v1/generate/set", { base, members }),
    await ada.post("/v1/jobs/cost", { kind: "image", image }),
  ];
  for (const { status, headers, text } of answers) {
    t.ok(status < 300, text);
    t.match(headers, {
      deprecation: "@1775001600",
      sunset: "Thu, 01 Oct 2026 12:00:00 GMT",
      link: '<https://klieg.example/v1/models/studio-image>; rel="successor-version"',
    });
  }
  t.equal((await ada.get("/v1/models/studio-image")).headers["deprecation"], undefined);
});

t.test("a deprecated model says so at least 180 days ahead", async (t) => {
  const { house, write } = await open(t);
  const sunset_at = "2026-10-01T00:00:00Z";
  const whole = { status: "deprecated", sunset_at, replacement: "studio-image" };
  for (const [change, fault] of [
    [{ ...whole, deprecated_at: "2026-04-05T00:00:00Z" }, /180 days/],
    [{ ...whole, sunset_at: undefined }, /sunset_at/],
    [{ ...whole, sunset_at: "in autumn" }, /sunset_at/],
    [{ ...whole, replacement: "nothing" }, /replacement/],
  ] as const) {
    write(change, "wrong");
    const { status, json } = await house.admin.post<Refused>(path);
    t.equal(status, 409);
    t.match(json.detail, fault);
  }
});
