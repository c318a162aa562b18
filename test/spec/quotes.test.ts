import t from "tap";
import type { JobCostQuote } from "../../contract/cost.ts";
import type { Job } from "../../contract/job.ts";
import type { Caller, Refused } from "./caller.ts";
import { type InProcess, openInProcess } from "./in-process-service.ts";
import { enter, foundPaidOrganization, join } from "./organizations.ts";

const image = { model: "sim-instant", prompt: "a kite", num_images: 3 };

async function quote(ada: Caller, body: object = { kind: "image", image }): Promise<JobCostQuote> {
  const { status, json, text } = await ada.post<JobCostQuote>("/v1/jobs/cost", body);
  if (status !== 200) throw new Error(text);
  return json;
}

async function open(t: Parameters<typeof openInProcess>[0]): Promise<[InProcess, Caller]> {
  const house = await openInProcess(t);
  return [house, await house.account({ credits: 10 })];
}

t.test("POST /v1/jobs/cost submits, reserves and charges nothing", async (t) => {
  const [, ada] = await open(t);
  const found = await quote(ada);
  t.match(found, {
    kind: "image",
    model: "sim-instant",
    credits: 3,
    basis: "one_generation",
    balance_credits: 10,
    sufficient_credits: true,
    expires_at: "2026-04-15T12:10:00.000Z",
  });
  t.strictSame(
    found.settings.map(({ label }) => label),
    ["Model", "Resolution", "Aspect ratio", "Images", "Format"],
  );
  t.match(found.confirmation_token, /^[A-Za-z0-9_-]{1,512}$/);
  t.match((await ada.get("/v1/jobs")).json, { total: 0 });
  t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 10, held_credits: 0 });
});

t.test("model is the id after defaulting; may differ from the one sent", async (t) => {
  const [, ada] = await open(t);
  const found = await quote(ada, { kind: "image", image: { model: "default", prompt: "a kite" } });
  t.equal(found.model, "studio-image");
});

t.test("credits are computed by the same pricer as submit", async (t) => {
  const [, ada] = await open(t);
  for (const [kind, path, body] of [
    ["image", "/v1/generate/image", image],
    ["video", "/v1/generate/video", { model: "sim-video", prompt: "a", duration_seconds: 2 }],
    ["audio", "/v1/generate/audio", { model: "sim-audio", task: "speech", text: "hello" }],
  ] as const) {
    const { credits } = await quote(ada, { kind, [kind]: body });
    const { status, json } = await ada.post<{ credits_held: number }>(path, body);
    t.equal(status, 202, kind);
    t.equal(json.credits_held, credits, kind);
  }
});

t.test("exactly the body field matching kind must be present", async (t) => {
  const [, ada] = await open(t);
  const wrong = async (body: object) => {
    const { status, json } = await ada.post<Refused>("/v1/jobs/cost", body);
    t.equal(status, 400);
    return json.errors?.map(({ pointer }) => pointer);
  };
  t.strictSame(await wrong({ kind: "image" }), ["/image"]);
  const audio = { model: "sim-audio", text: "hello" };
  t.strictSame(await wrong({ kind: "image", image, audio }), ["/audio"]);
  t.strictSame(await wrong({ kind: "image", image: { ...image, num_images: 99 } }), [
    "/image/num_images",
  ]);
});

t.test("background removal and restoration are quoted by kinds of their own", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const film = { model: "sim-video", prompt: "a film", duration_seconds: 2 };
  const { json: job } = await ada.post<Job>("/v1/generate/video", film);
  await house.settle();
  const source_asset_id = (await ada.read(job.id)).asset?.id;
  for (const [kind, path] of [
    ["video_background_removal", "/v1/remove-background/video"],
    ["video_restoration", "/v1/restore/video"],
  ] as const) {
    const body = { model: "sim-video", source_asset_id };
    const found = await quote(ada, { kind, [kind]: body });
    t.match(found, { kind, model: "sim-video", basis: "one_generation" });
    const { confirmation_token } = found;
    const { status, json } = await ada.post<Job>(path, { ...body, confirmation_token });
    t.equal(status, 202, kind);
    t.equal(json.credits_held, found.credits);
    await house.settle();
    const other = await ada.post<Refused>("/v1/jobs/cost", { kind, video: film });
    t.match(other, { status: 400, json: { errors: [{ pointer: "/video" }] } });
  }
});

t.test("a quote of a video says its billed duration and its quality", async (t) => {
  const [, ada] = await open(t);
  const video = { model: "sim-video", prompt: "a", duration_seconds: 2, quality: "draft" };
  t.match(await quote(ada, { kind: "video", video }), { duration_seconds: 2, quality: "draft" });
  t.notOk((await quote(ada)).duration_seconds, "on videos only");
});

t.test("basis is set_run for kind set, with the members that would be submitted", async (t) => {
  const [, ada] = await open(t);
  const members = [{ label: "a" }, { label: "b" }, { label: "c", overrides: { quality: "odd" } }];
  const set = { base: { model: "sim-instant", prompt: "a cup" }, members };
  t.match(await quote(ada, { kind: "set", set }), { basis: "set_run", members: 2, credits: 2 });
});

t.test("a submit with the token of its quote is accepted once", async (t) => {
  const [, ada] = await open(t);
  const { confirmation_token } = await quote(ada);
  const body = { ...image, confirmation_token };
  t.equal((await ada.post("/v1/generate/image", body)).status, 202);
  const again = await ada.post<Refused>("/v1/generate/image", body);
  t.equal(again.status, 409, "the duplicate rule answers first");
  const other = await ada.post<Refused>("/v1/generate/image", body, { "idempotency-key": "k" });
  t.equal(other.status, 422);
  t.match(other.json, { code: "confirmation_rejected", reason: "consumed" });
});

t.test(
  "a submit with no confirmation_token is never refused for confirmation reasons",
  async (t) => {
    const [, ada] = await open(t);
    await quote(ada);
    t.equal((await ada.post("/v1/generate/image", image)).status, 202);
  },
);

t.test("an expired, malformed, foreign or mismatched token is refused with 422", async (t) => {
  const [house, ada] = await open(t);
  const bob = await house.account();
  const { confirmation_token: token } = await quote(ada);
  const refusal = async (caller: Caller, body: object) => {
    const { status, json } = await caller.post<Refused>("/v1/generate/image", body);
    t.equal(status, 422);
    t.match(json, { title: "Confirmation Rejected", code: "confirmation_rejected" });
    return json.reason;
  };
  t.equal(await refusal(ada, { ...image, confirmation_token: "no token" }), "invalid");
  t.equal(await refusal(ada, { ...image, confirmation_token: `A${token.slice(1)}` }), "invalid");
  t.equal(await refusal(bob, { ...image, confirmation_token: token }), "foreign");
  const more = { ...image, num_images: 4, confirmation_token: token };
  t.equal(await refusal(ada, more), "mismatch");
  await house.advance(600_000);
  t.equal(await refusal(ada, { ...image, confirmation_token: token }), "expired");
  t.match((await ada.get("/v1/me/credits")).json, { held_credits: 0 }, "nothing was held");
});

t.test("POST /v1/generate/video/enhance-prompt costs 1 credit, on a 200 only", async (t) => {
  const [house, ada] = await open(t);
  const path = "/v1/generate/video/enhance-prompt";
  const { status, json } = await ada.post<Record<string, unknown>>(path, {
    prompt: "a kite over dunes",
    model: "sim-video",
    duration_seconds: 4,
  });
  t.equal(status, 200);
  t.match(json, {
    original_prompt: "a kite over dunes",
    prompt: /^a kite over dunes, ./,
    model: "sim-video",
    credits_charged: 1,
    balance_credits: 9,
  });
  t.equal((await ada.post(path, { prompt: " ", model: "sim-video" })).status, 400);
  t.equal((await ada.post(path, { prompt: "a", model: "sim-instant" })).status, 400);
  t.match((await ada.get("/v1/me/credits")).json, { balance_credits: 9 });
  const poor = await house.account({ credits: 0 });
  const refused = await poor.post<Refused>(path, { prompt: "a", model: "sim-video" });
  t.equal(refused.status, 402);
  t.equal(refused.json.code, "out_of_credits");
});

t.test("a better prompt takes no slot and is not deduplicated", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "free", credits: 10 });
  await ada.job("a kite sim:slow=60000");
  const rewrite = () =>
    ada.post("/v1/generate/video/enhance-prompt", { prompt: "a kite", model: "sim-video" });
  t.strictSame([(await rewrite()).status, (await rewrite()).status], [200, 200]);
  t.match((await ada.get("/v1/me")).json, { generation_limits: { concurrent_active: 1 } });
});

t.test(
  "balance_credits is what the role may see; sufficient_credits heeds the budget",
  async (t) => {
    const house = await openInProcess(t);
    const owner = await house.account();
    const org = await foundPaidOrganization(house, owner, 100);
    const people = { owner, member: await house.account(), viewer: await house.account() };
    for (const role of ["member", "viewer"] as const) await join(owner, org, people[role], role);
    for (const caller of Object.values(people)) await enter(caller, org);
    const ask = async (caller: Caller) => {
      const { balance_credits, sufficient_credits } = await quote(caller);
      return [balance_credits, sufficient_credits];
    };
    t.strictSame(await ask(owner), [100, true]);
    t.strictSame(await ask(people.member), [100, true], "no budget: the wallet");
    t.strictSame(await ask(people.viewer), [null, true], "a viewer sees null");
    const budget = `/v1/organizations/${org.id}/members/${people.member.id}/budget`;
    await owner.put(budget, { limit_credits: 2, period: "month" });
    t.strictSame(await ask(people.member), [2, false], "the lower of wallet and own budget");
    t.strictSame(await ask(owner), [100, true]);
    const { json } = await people.member.get<{ balance_credits: number }>("/v1/me");
    t.equal(json.balance_credits, 2);
    t.match((await people.viewer.get("/v1/me")).json, {
      balance_credits: null,
      active_organization: { balance_credits: null },
    });
  },
);

t.test("settings are labelled in order, where they apply", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "studio" });
  const labels = async (kind: string, body: object) => {
    const { settings } = await quote(ada, { kind, [kind]: body });
    return settings.map(({ label }) => label);
  };
  const order = ["Model", "Resolution", "Aspect ratio", "Duration", "Quality", "Audio"].concat([
    ...["Images", "Voice", "Format", "Members"],
  ]);
  for (const [kind, body] of [
    ["image", { model: "studio-image", prompt: "a kite", num_images: 2 }],
    ["video", { model: "studio-video", prompt: "a kite" }],
    ["audio", { model: "studio-voice", text: "a kite" }],
    ["set", { base: { model: "sim-instant" }, members: [{ label: "a", prompt: "a kite" }] }],
  ] as const) {
    const found = await labels(kind, body);
    const places = found.map((label) => order.indexOf(label));
    t.ok(found.includes("Model") && found.length >= 2, `${kind}: ${found.join(", ")}`);
    t.strictSame(
      places,
      [...places].sort((a, b) => a - b),
      kind,
    );
    t.notOk(places.includes(-1), "each is of the list");
  }
});
