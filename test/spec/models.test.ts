import t from "tap";
import { openInProcess } from "./in-process-service.ts";

interface Model {
  readonly id: string;
  readonly limits: Readonly<Record<string, unknown>>;
}

interface ModelList {
  readonly items: readonly Model[];
  readonly version: string;
  readonly updated_at: string;
}

t.test("the catalogue is listed with version and date, without pages", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { status, json } = await ada.get<ModelList>("/v1/models");
  t.equal(status, 200);
  t.match(json.version, /./);
  t.match(json.updated_at, /^\d{4}-\d{2}-\d{2}T.*Z$/);
  t.match(json.items[0], {
    id: "studio-image",
    aliases: ["studio"],
    display_name: /./,
    description: /./,
    modality: "image",
    operations: ["generate", "set"],
    status: "available",
    availability: "up",
    plans: [],
    defaults: { aspect_ratio: "1:1", resolution: "1k" },
    limits: { prompt_max: 10000, "image.num_images_max": 4 },
    options: { aspect_ratio: ["1:1", "16:9", "9:16"], resolution: ["1k", "2k"] },
    capabilities: { seed: true },
    prompt_required: true,
    provider_options: false,
    price: { base: 0, per: { images: 2 }, multipliers: { resolution: { "2k": 2 } }, minimum: 1 },
    typical_seconds: 2,
    deadline_seconds: 600,
  });
});

t.test("simulated models are listed only where the operator added them", async (t) => {
  for (const simulatedModels of [true, false]) {
    const house = await openInProcess(t, { simulatedModels });
    const ada = await house.account();
    const { items } = (await ada.get<ModelList>("/v1/models")).json;
    t.equal(
      items.some(({ id }) => id === "sim-instant"),
      simulatedModels,
    );
    const { status } = await ada.get("/v1/models/sim-instant");
    t.equal(status, simulatedModels ? 200 : 404);
  }
});

t.test("what only the operator knows of a model is never served", async (t) => {
  const house = await openInProcess(t);
  for (const caller of [await house.account(), house.admin]) {
    const { text } = await caller.get("/v1/models");
    for (const member of [
      "provider",
      "provider_model",
      "mapping",
      "inline_submit_ms",
      "default_for",
    ])
      t.notMatch(text, new RegExp(`"${member}":`), member);
  }
});

t.test("one model is read by its id or an alias", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const name of ["studio-image", "studio"]) {
    const { status, json } = await ada.get<Model>(`/v1/models/${name}`);
    t.equal(status, 200);
    t.equal(json.id, "studio-image");
  }
});

t.test("an unknown model answers 404", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const name of ["nobody", "Studio-Image", "default"]) {
    const { status, json } = await ada.get(`/v1/models/${name}`);
    t.equal(status, 404, name);
    t.equal(json.title, "Not Found");
  }
});

t.test("models are filtered by modality and operation", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const count = async (query: string) => {
    return (await ada.get<ModelList>(`/v1/models${query}`)).json.items.length;
  };
  t.equal(await count("?modality=image"), 3);
  t.equal(await count("?modality=three_d"), 2);
  t.equal(await count("?operation=set"), 3);
  t.equal(await count("?operation=restoration"), 2);
});

t.test("a wrong filter of models answers 400", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const query of ["?modality=smell", "?operation=sing", "?limit=5"])
    t.equal((await ada.get(`/v1/models${query}`)).status, 400, query);
});

t.test("models carry a strong ETag and answer 304 to it", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  for (const path of ["/v1/models", "/v1/models/studio-image"]) {
    const { headers } = await ada.get(path);
    t.match(headers["etag"], /^"[^"]+"$/);
    const again = await ada.get(path, { "if-none-match": `${headers["etag"]}` });
    t.equal(again.status, 304);
    t.equal(again.text, "");
    t.equal((await ada.get(path, { "if-none-match": '"old"' })).status, 200);
  }
});

t.test("models need a bearer and no scope", async (t) => {
  const house = await openInProcess(t);
  t.equal((await house.stranger.get("/v1/models")).status, 401);
  t.equal((await house.stranger.get("/v1/models/studio-image")).status, 401);
});

t.test("the price of a submit is the price rule's", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const hold = async (more: object) => {
    const body = { model: "studio-image", prompt: JSON.stringify(more), ...more };
    return (await ada.post<{ credits_held: number }>("/v1/generate/image", body)).json.credits_held;
  };
  t.equal(await hold({}), 2);
  t.equal(await hold({ num_images: 3 }), 6);
  t.equal(await hold({ resolution: "2k" }), 4);
  t.equal(await hold({ resolution: "2k", num_images: 4 }), 16);
});

t.test("include_disabled is for administrators, who see the operator's part too", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const refused = await ada.get("/v1/models?include_disabled=true");
  t.equal(refused.status, 403);
  t.equal(refused.json.required_scope, "admin");
  type Page = { items: Record<string, unknown>[] };
  const { json } = await house.admin.get<Page>("/v1/models?include_disabled=true");
  t.ok(json.items.every((model) => typeof model["provider"] === "string"));
  const plain = await house.admin.get<Page>("/v1/models");
  t.ok(plain.json.items.every((model) => model["provider"] === undefined));
});
