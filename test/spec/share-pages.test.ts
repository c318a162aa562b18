import t, { type Test } from "tap";
import { html } from "../../http/look/markup.ts";
import { type InProcess, openInProcess, origin } from "./in-process-service.ts";
import {
  browser,
  type MadeLink,
  open,
  readFilm,
  share,
  shareAt,
  withPicture,
} from "./share-steps.ts";

const accept = { accept: browser };

function isPage(t: Test, page: Awaited<ReturnType<typeof open>>, status: number): void {
  t.equal(page.status, status);
  t.match(page.headers, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    vary: "Accept",
  });
  t.match(page.text, /^<!doctype html>/);
}

/** Returns the policy with the page's nonce, which differs from page to page, as `N`. */
function getPolicy({ headers }: Awaited<ReturnType<typeof open>>): string {
  return (headers["content-security-policy"] ?? "").replaceAll(/'nonce-[\w-]{22}'/g, "'nonce-N'");
}

t.test("text/html preferred gives a page, anything else JSON", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  for (const [wanted, type] of [
    [browser, "text/html"],
    ["text/html", "text/html"],
    ["application/json;q=0.5, text/html", "text/html"],
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/html;q=0.5, application/json", "application/json"],
    ["image/png", "application/json"],
    [";;;", "application/json"],
  ] as const) {
    const { status, headers } = await open(
      house,
      link,
      wanted === undefined ? {} : { accept: wanted },
    );
    t.equal(status, 200);
    t.match(headers["content-type"], new RegExp(`^${type}`), `${wanted}`);
  }
});

t.test("a page shows the media, its name and a download, and no script", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset, { name: `"Kite" & <b>dune</b>`, expires_in_days: 30 });
  const page = await open(house, link, accept);
  isPage(t, page, 200);
  t.match(page.text, /<h1>&quot;Kite&quot; &amp; &lt;b&gt;dune&lt;\/b&gt;<\/h1>/);
  t.match(page.text, /<img src="https:\/\/klieg\.example\/objects\/sim\/tiny\.png\?expires=/);
  t.match(page.text, /<a class="button" href="[^"]+&amp;filename=a%20kite\.png">Download<\/a>/);
  t.match(page.text, /link until 15 May 2026/);
  t.notMatch(page.text, /<script|style="|onclick|javascript:/);
  t.equal(
    getPolicy(page),
    `default-src 'none'; media-src ${origin}; img-src ${origin}; style-src 'nonce-N'; ` +
      "form-action 'self'; frame-ancestors *",
  );
});

t.test("each page has a nonce of its own, and its style carries it", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset);
  const nonces = new Set<string>();
  for (let count = 0; count < 3; count++) {
    const { headers, text } = await open(house, link, accept);
    const [, nonce = ""] = /'nonce-([\w-]+)'/.exec(headers["content-security-policy"] ?? "") ?? [];
    t.ok(text.includes(`<link rel="stylesheet" nonce="${nonce}" href="/look/`));
    nonces.add(nonce);
  }
  t.equal(nonces.size, 3);
});

t.test("Open Graph title, type and image", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { text } = await open(house, await share(ada, asset), accept);
  t.match(text, /<meta property="og:title" content="a kite">/);
  t.match(text, /<meta property="og:type" content="website">/);
  t.match(text, /<meta property="og:image" content="https:[^"]+">/);
});

t.test("a film has a player, with a download control only where it may be saved", async (t) => {
  const house = await openInProcess(t);
  const ada = await house.account();
  const { render } = await readFilm(house, ada);
  const path = `/v1/renders/${render}/share`;
  const { text } = await open(house, (await shareAt(ada, path)).json, accept);
  t.match(text, /<video controls playsinline preload="metadata" src="https:/);
  t.match(text, /<meta property="og:type" content="video\.other">/);
  t.match(text, /<a class="button"/);
  const body = { view_only: true };
  const only = await open(house, (await shareAt(ada, path, body)).json, accept);
  t.match(
    only.text,
    /<div class="stage film view-only">\n<video controls controlslist="nodownload"/,
  );
  t.notMatch(only.text, /<a |Download/);
});

t.test("sound has a player", async (t) => {
  const { house, link } = await simulate(t, "audio", { task: "music", prompt: "a waltz" });
  const { text } = await open(house, link, accept);
  t.match(text, /<audio controls preload="metadata" src="https:/);
  t.match(text, /<meta property="og:type" content="music\.song">/);
});

t.test("a GLB has a viewer, whose script is our own", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const { link } = await simulate(t, "3d", { image_asset_ids: [asset] }, { house, ada });
  const page = await open(house, link, accept);
  t.match(page.text, /<div class="stage model" id="model" data-src="https:/);
  t.match(page.text, /<script nonce="[\w-]{22}" src="\/share-viewer\.js" defer><\/script>/);
  t.match(page.text, /<noscript>/);
  t.equal(
    getPolicy(page),
    `default-src 'none'; media-src ${origin}; script-src 'nonce-N'; connect-src ${origin}; ` +
      `img-src ${origin} blob:; style-src 'nonce-N'; form-action 'self'; frame-ancestors *`,
  );
  const { status, headers, text } = await house.stranger.get("/share-viewer.js");
  t.equal(status, 200);
  t.match(headers["content-type"], /^text\/javascript/);
  t.ok(text.length > 100_000, "the library is in it");
  t.notMatch(text, /\bimport\(|\beval\(|new Function\(/);
  const again = await house.stranger.get("/share-viewer.js", {
    "if-none-match": headers["etag"] ?? "",
  });
  t.equal(again.status, 304);
});

t.test("a locked page has a form, and nothing of what it locks", async (t) => {
  const { house, ada, asset } = await withPicture(t);
  const link = await share(ada, asset, { password: "open sesame", name: "Secret plans" });
  const page = await open(house, link, accept);
  isPage(t, page, 401);
  t.match(page.text, /<form method="post">/);
  t.match(page.text, /<input id="password" name="password" type="password"/);
  t.notMatch(page.text, /Secret|kite|objects|og:|<img|<video/);
  t.equal(
    getPolicy(page),
    "default-src 'none'; style-src 'nonce-N'; form-action 'self'; frame-ancestors *",
  );
});

t.test("404, 410 and 429 are pages too, and say what a person can do", async (t) => {
  const { house, ada, asset } = await withPicture(t, { rates: true });
  const link = await share(ada, asset, { expires_in_days: 1 });
  const revoked = await share(ada, asset);
  await ada.delete(`/v1/assets/${asset}/share/${revoked.id}`);
  const unknown = await open(house, { token: "nothing" }, accept);
  isPage(t, unknown, 404);
  t.match(unknown.text, /Nothing here/);
  const withdrawn = await open(house, revoked, accept);
  isPage(t, withdrawn, 410);
  t.match(withdrawn.text, /This link was withdrawn/);
  await ada.delete(`/v1/assets/${asset}`);
  const trashed = await open(house, link, accept);
  isPage(t, trashed, 410);
  t.match(trashed.text, /No longer available/);
  await house.advance(86_400_000);
  const expired = await open(house, link, accept);
  isPage(t, expired, 410);
  t.match(expired.text, /This link has expired/);
  for (let count = 0; count < 60; count++) await open(house, link);
  const often = await open(house, link, accept);
  isPage(t, often, 429);
  t.equal(often.headers["retry-after"], "60");
  t.match(often.text, /Too many requests/);
});

t.test("a value in a page is text, whatever signs it has", async (t) => {
  const sly = `"><script>alert('x')</script>&`;
  const { markup } = html`<a title="${sly}">${7}</a>`;
  t.equal(
    markup,
    `<a title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">7</a>`,
  );
});

/** Makes a link to what a simulated model made. */
async function simulate(
  t: Test,
  kind: string,
  body: object,
  known?: Pick<Awaited<ReturnType<typeof withPicture>>, "house" | "ada">,
): Promise<{ readonly house: InProcess; readonly link: MadeLink }> {
  const house = known?.house ?? (await openInProcess(t));
  const ada = known?.ada ?? (await house.account());
  const model = { audio: "sim-audio", "3d": "sim-3d" }[kind];
  const { json } = await ada.post<{ id: string }>(`/v1/generate/${kind}`, { model, ...body });
  await house.advance(5_000);
  const { asset } = await ada.read(json.id);
  return { house, link: await share(ada, asset?.id ?? "") };
}
