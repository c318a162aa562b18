import t from "tap";
import { openInProcess } from "./in-process-service.ts";

const mebibyte = 1024 ** 2;

t.test("GET /limits answers the values of the specification's table", async (t) => {
  const house = await openInProcess(t);
  t.match((await house.admin.get("/v1/limits")).json, {
    list_limit: { min: 1, max: 100, default: 20 },
    wait_timeout_seconds: { min: 1, max: 900, default: 60 },
    sse_ticket_seconds: 60,
    duplicate_window_seconds: 300,
    confirmation_token_seconds: 600,
    signed_url_seconds: 3600,
    upload_bytes: {
      direct: 100 * mebibyte,
      presigned: 5 * 1024 * mebibyte,
      by_kind: {
        image: 50 * mebibyte,
        audio: 500 * mebibyte,
        video: 5 * 1024 * mebibyte,
        model: 500 * mebibyte,
        font: 20 * mebibyte,
      },
    },
    set_members: 24,
    shares: {
      active_links: 50,
      expires_in_days: { min: 1, max: 365 },
      resolutions_per_minute: null,
      wrong_passwords: 10,
      signed_url_seconds: 900,
    },
    generation_body_bytes: 256 * 1024,
    json_body_bytes: mebibyte,
    json_depth: 32,
    header_bytes: 16 * 1024,
    url_bytes: 8 * 1024,
    idempotency_key_characters: 255,
    active_tokens: 50,
    organization_members: 500,
    terminal_jobs_days: 400,
  });
});

t.test("limit on GET /compositions is 1 to 200, default 50", async (t) => {
  const ada = await (await openInProcess(t)).account();
  for (let n = 0; n < 51; n++) await ada.post("/v1/compositions", {});
  const count = async (query: string) => {
    const path = `/v1/compositions${query}`;
    return (await ada.get<{ items: readonly unknown[] }>(path)).json.items.length;
  };
  t.strictSame([await count(""), await count("?limit=1"), await count("?limit=200")], [50, 1, 51]);
  for (const limit of ["0", "201"])
    t.equal((await ada.get(`/v1/compositions?limit=${limit}`)).status, 400, limit);
});

t.test("limit on GET /sets, /assets and the ledger is 1 to 100, default 20", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account({ plan: "enterprise", credits: 1_000 });
  const base = { model: "sim-instant" };
  for (let n = 0; n < 21; n++) {
    const members = [{ label: "one", prompt: `cup ${n}` }];
    t.equal((await ada.post("/v1/generate/set", { base, members })).status, 202);
    await house.settle();
  }
  for (const path of ["/v1/sets", "/v1/assets", "/v1/me/credits/ledger"]) {
    const count = async (query: string) =>
      (await ada.get<{ items: readonly unknown[] }>(path + query)).json.items.length;
    t.equal(await count(""), 20, path);
    t.equal(await count("?limit=1"), 1);
    t.ok((await count("?limit=100")) > 20);
    for (const limit of ["0", "101", "-1", "x"]) {
      const { status, json } = await ada.get(`${path}?limit=${limit}`);
      t.equal(status, 400, limit);
      t.match(json.errors, [{ pointer: "?limit" }]);
    }
  }
});
