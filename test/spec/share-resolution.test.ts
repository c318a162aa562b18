import t from "tap";
import type { ShareList } from "../../contract/share.ts";
import { startMs } from "./in-process-service.ts";
import { open, picture, readFilm, share, shareAt, withPicture } from "./share-steps.ts";

const dayMs = 86_400_000;

t.test("GET /v1/share/{token} says without a bearer where a link leads", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { status, json, headers } = await open(house, await share(ada, asset));
  t.equal(status, 200);
  t.equal(headers["cache-control"], "no-store");
  const { media_url: media, thumbnail_url: _, download_url: download = "", ...rest } = json;
  t.strictSame(rest, {
    kind: "asset",
    name: "a kite",
    mime_type: "image/png",
    width: 1,
    height: 1,
    duration_seconds: null,
    has_audio: null,
    size_bytes: rest.size_bytes,
    created_at: new Date(startMs).toISOString(),
    view_only: false,
    expires_at: null,
  });
  const shown = await house.stranger.get(media);
  t.equal(shown.status, 200);
  t.equal(
    shown.headers["content-disposition"],
    `inline; filename="a kite.png"; filename*=UTF-8''a%20kite.png`,
    "C4: shown under its name",
  );
  const saved = await house.stranger.get(download);
  t.equal(
    saved.headers["content-disposition"],
    `attachment; filename="a kite.png"; filename*=UTF-8''a%20kite.png`,
  );
  t.strictSame(saved.bytes, shown.bytes);
});

t.test("links to media work for 900 s, and only as they were signed", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { json } = await open(house, await share(ada, asset));
  const { media_url: media, download_url: download = "" } = json;
  const status = async (url: string) => (await house.stranger.get(url)).status;
  t.equal(await status(`${media}&filename=evil.exe`), 403);
  t.equal(await status(download.replace("filename=a", "filename=b")), 403);
  t.equal(await status(download.replace(/&filename=.*/, "")), 403);
  await house.advance(899_000);
  for (const url of [media, download]) t.equal(await status(url), 200);
  await house.advance(2_000);
  for (const url of [media, download]) t.equal(await status(url), 403);
});

t.test("a file is saved under the display name, made fit for any system", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  for (const [name, expected] of [
    ["Kite.PNG", `attachment; filename="Kite.PNG"; filename*=UTF-8''Kite.PNG`],
    ["..\\../*/etc:gnp", `filename="..  .. etc gnp.png"`],
    ['a"b%c', `filename="a b_c.png"; filename*=UTF-8''a%20b%25c.png`],
    [
      "Lichtbrücke (1)",
      `filename="Lichtbr_cke (1).png"; filename*=UTF-8''Lichtbr%C3%BCcke%20%281%29`,
    ],
    ["///", `filename="file.png"`],
  ] as const) {
    await ada.patch(`/v1/assets/${asset}`, { display_name: name });
    const { json } = await open(house, link);
    const { headers } = await house.stranger.get(json.download_url ?? "");
    const given = headers["content-disposition"] ?? "";
    t.ok(given.replaceAll(/ {2,}/g, " ").includes(expected.replaceAll(/ {2,}/g, " ")), given);
  }
});

t.test("a view-only link has no download_url", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { json } = await open(house, await share(ada, asset, { view_only: true }));
  t.notOk("download_url" in json);
  t.equal(json.view_only, true);
});

t.test("the name is the link's, else the composition's, else the asset's", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const name = async (token: string) => (await open(house, { token })).json.name;
  t.equal(await name((await share(ada, asset, { name: "For Bo" })).token), "For Bo");
  const plain = await share(ada, asset);
  await ada.patch(`/v1/assets/${asset}`, { display_name: "Red kite" });
  t.equal(await name(plain.token), "Red kite");
  const { render, composition } = await readFilm(house, ada);
  const { token } = (await shareAt(ada, `/v1/renders/${render}/share`)).json;
  await ada.patch(`/v1/compositions/${composition}`, { name: "Harbor film" });
  t.equal(await name(token), "Harbor film");
  await ada.delete(`/v1/compositions/${composition}`);
  t.match(await name(token), /^video /, "without a composition its asset's");
});

t.test("an unknown token answers 404, in equal bytes whatever it is like", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { token } = await share(ada, asset);
  const bytes = Buffer.from(token, "base64url");
  const alter = (at: number) => {
    const other = Buffer.from(bytes);
    other.writeUInt8(255 - other.readUInt8(at), at);
    return other.toString("base64url");
  };
  const headers = { "x-request-id": "same" };
  const answers = [];
  for (const unknown of [
    alter(0),
    alter(8),
    alter(16),
    token.slice(0, 6),
    `${token.slice(0, 22)}${token.endsWith("A") ? "B" : "A"}`,
    `${token}A`,
    "A",
    "nonsense",
    "%00",
    "x".repeat(4_000),
  ])
    answers.push(await open(house, { token: unknown }, headers));
  const [first] = answers;
  t.equal(first?.status, 404);
  for (const { status, text, headers: given } of answers)
    t.strictSame(
      { status, text, given },
      { status: 404, text: first?.text, given: first?.headers },
    );
});

t.test("a revoked link answers 410 with its reason", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { id, token } = await share(ada, asset, { expires_in_days: 1, password: "sesame" });
  await ada.delete(`/v1/assets/${asset}/share/${id}`);
  await ada.delete(`/v1/assets/${asset}`);
  await house.advance(dayMs);
  const { status, json } = await open(house, { token });
  t.equal(status, 410);
  t.match(json, { title: "Gone", reason: "revoked" }, "revoked comes before expired");
  t.match(json.type, /\/v1\/problems\/gone$/);
});

t.test("a link answers 410 from the instant at which it expires", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset, { expires_in_days: 2 });
  await house.advance(2 * dayMs - 1_000);
  t.equal((await open(house, link)).status, 200);
  await ada.delete(`/v1/assets/${asset}`);
  await house.advance(1_000);
  const { status, json } = await open(house, link);
  t.equal(status, 410);
  t.equal(json.reason, "expired", "expired comes before media that are gone");
});

t.test("trashed or deleted media answer 410, restored ones are shown again", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset, { password: "sesame" });
  await ada.delete(`/v1/assets/${asset}`);
  const { status, json } = await open(house, link);
  t.equal(status, 410, "before a password is asked for");
  t.equal(json.reason, "media_unavailable");
  await ada.post(`/v1/assets/${asset}/restore`);
  t.equal((await open(house, link)).status, 401, "an unrevoked link works again");
  await ada.delete(`/v1/assets/${asset}?permanent=true`);
  await house.settle();
  const gone = await open(house, link);
  t.equal(gone.status, 410);
  t.equal(gone.json.reason, "media_unavailable");
});

t.test(
  "access_count and last_accessed_at change on each 200 to GET, and on nothing else",
  async (t) => {
    const { house, ada, asset } = await withPicture(t);
    const link = await share(ada, asset);
    const path = `/v1/share/${link.token}`;
    const list = async () => {
      const { json } = await ada.get<ShareList>(`/v1/assets/${asset}/share`);
      return json.items[0];
    };
    t.equal((await list())?.last_accessed_at, undefined, "absent until the first visit");
    await house.advance(5_000);
    const { json } = await open(house, link);
    await open(house, link, { accept: "text/html" });
    const lastAt = new Date(startMs + 5_000).toISOString();
    t.match(await list(), { access_count: 2, last_accessed_at: lastAt });
    await house.advance(5_000);
    t.equal((await house.stranger.request("HEAD", path)).status, 200);
    t.equal((await house.stranger.post(path, {})).status, 200);
    await house.stranger.get(json.media_url);
    await ada.delete(`/v1/assets/${asset}`);
    t.equal((await open(house, link)).status, 410);
    await ada.post(`/v1/assets/${asset}/restore`);
    t.match(await list(), { access_count: 2, last_accessed_at: lastAt });
  },
);

t.test("counts survive the shard's death", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  for (let visit = 0; visit < 3; visit++) await open(house, link);
  house.engine.lose(0);
  t.equal((await open(house, link)).status, 503);
  await house.engine.reopen(0);
  await open(house, link);
  const { json } = await ada.get<ShareList>(`/v1/assets/${asset}/share`);
  t.equal(json.items[0]?.access_count, 4);
});

t.test(
  "an address resolves 60 times a minute, a token 600 times; every answer counts",
  async (t) => {
    const { house, ada, asset } = await withPicture(t, { rates: true });
    const link = await share(ada, asset);
    const unknown = { token: "A".repeat(23) };
    for (let count = 0; count < 60; count++)
      t.equal(
        (await open(house, count % 2 === 0 ? link : unknown)).status,
        count % 2 === 0 ? 200 : 404,
      );
    for (const token of [link, unknown]) {
      const { status, headers, json } = await open(house, token);
      t.equal(status, 429, "before anything is looked up");
      t.equal(headers["retry-after"], "60");
      t.equal(json.code, "rate_limit");
    }
    t.equal((await open(house, link, {}, "192.0.2.2")).status, 200, "another address");
    for (let count = 31; count < 600; count++)
      await open(house, link, {}, `198.51.100.${Math.floor(count / 50)}`);
    t.equal((await open(house, link, {}, "192.0.2.2")).status, 429, "600 of this token");
    const other = await share(ada, await picture(house, ada, "another"));
    t.equal((await open(house, other, {}, "192.0.2.2")).status, 200);
    await house.advance(60_000);
    t.equal((await open(house, link)).status, 200, "the next minute");
  },
);

t.test("KLIEG_RATE_LIMITS=off lifts the rates of resolutions", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  for (let count = 0; count < 61; count++) t.equal((await open(house, link)).status, 200);
});

t.test("pages of any origin may resolve a link, with a password too", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  const { headers } = await open(house, link, { origin: "https://blog.example" });
  t.equal(headers["access-control-allow-origin"], "*");
  t.equal(headers["access-control-allow-credentials"], undefined);
  const asked = await house.stranger.request("OPTIONS", `/v1/share/${link.token}`);
  t.equal(asked.headers["access-control-allow-methods"], "GET, HEAD, POST");
  t.match(asked.headers["access-control-allow-headers"], /X-Share-Password/);
});

t.test("the request log names the route and never the token", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { token } = await share(ada, asset);
  await open(house, { token });
  await ada.delete(`/v1/assets/${asset}/share/${token}`);
  await open(house, { token });
  const lines = JSON.stringify(house.requests);
  t.match(lines, /"\/v1\/share\/\{token\}","status":410/);
  t.notOk(lines.includes(token));
});
