/// <reference lib="dom" />
/** Share links as strangers see them: the real service, a real browser, its policies in force. */
import t, { type Test } from "tap";
import type { Job } from "../../contract/job.ts";
import type { ShareLink } from "../../contract/share.ts";
import { type Browser, launch, type Page } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { ask } from "../crash/accounts.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";

const flags = [
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];
const password = "open sesame";

async function openBrowser(t: Test): Promise<Browser> {
  const executablePath = await findChromium(undefined, process.env["PATH"] ?? "");
  const running = await launch({ executablePath, sandbox: false }, flags);
  t.teardown(() => running.close());
  return running.browser;
}

/** Opens a page, and records its requests and its complaints. */
async function openPage(browser: Browser, hasScripts: boolean) {
  const context = await browser.newContext({ javaScriptEnabled: hasScripts });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  return { page, asked, complaints };
}

async function make(port: number, path: string, body: object): Promise<string> {
  const { json } = await ask<Job>(port, firstToken, path, body);
  const waited = await ask<Job>(port, firstToken, `/jobs/${json.id}/wait?timeout_seconds=60`);
  return waited.json.asset?.id ?? "";
}

async function linkTo(port: number, asset: string, body: object = {}): Promise<string> {
  const { json } = await ask<ShareLink>(port, firstToken, `/assets/${asset}/share`, body);
  return json.url ?? "";
}

/** Plays the film; returns its size and how far it has played. */
function play(page: Page) {
  return page.locator("video").evaluate(async (film: HTMLVideoElement) => {
    film.muted = true;
    await film.play();
    if (film.currentTime === 0)
      await new Promise((resolve) => film.addEventListener("timeupdate", resolve, { once: true }));
    return { width: film.videoWidth, time: film.currentTime };
  });
}

t.test("a stranger with the password sees the film, without it nothing but a form", async (t) => {
  const { port } = await startKlieg(t, t.testdir());
  const film = await make(port, "/generate/video", { model: "sim-video", prompt: "a boat" });
  const url = await linkTo(port, film, { password, name: "Secret plans" });
  const browser = await openBrowser(t);
  const { page, asked, complaints } = await openPage(browser, true);
  t.equal((await page.goto(url))?.status(), 401);
  t.equal(await page.locator("h1").textContent(), "This link needs a password");
  t.equal(await page.locator("video, img, script").count(), 0);
  t.notMatch(await page.content(), /Secret|boat|objects/);
  await page.fill("#password", "guess");
  await page.click("button");
  t.equal(await page.locator(".wrong").textContent(), "The password is wrong. Try again.");
  const others = asked.filter((one) => one !== url && !/\/look\/[a-z]+-\w+\.css$/.test(one));
  t.strictSame(others, [], "nothing but stylesheets was asked for");
  complaints.length = 0;
  await page.fill("#password", password);
  await page.click("button");
  await page.waitForURL(url);
  t.equal(await page.locator("h1").textContent(), "Secret plans");
  const { width, time } = await play(page);
  t.equal(width, 64);
  t.ok(time > 0, "it plays");
  t.equal((await page.reload())?.status(), 200, "the cookie remembers");
  t.strictSame(complaints, [], "the page keeps its own policy");
  const origins = new Set(asked.map((one) => new URL(one).origin));
  t.strictSame([...origins], [new URL(url).origin], "nothing comes from elsewhere");
  const other = await openPage(browser, true);
  t.equal((await other.page.goto(url))?.status(), 401, "another browser is asked anew");
});

t.test("without scripts all but 3D works", async (t) => {
  const { port } = await startKlieg(t, t.testdir());
  const film = await make(port, "/generate/video", { model: "sim-video", prompt: "a boat" });
  const url = await linkTo(port, film, { password });
  const { page } = await openPage(await openBrowser(t), false);
  await page.goto(url);
  await page.fill("#password", password);
  await page.click("button");
  await page.waitForURL(url);
  const box = await page.locator("video").boundingBox();
  t.ok((box?.width ?? 0) > 200, "the player has its room");
});

t.test("a picture is seen, and the page fits a phone", async (t) => {
  const { port } = await startKlieg(t, t.testdir());
  const picture = await make(port, "/generate/image", { model: "sim-instant", prompt: "a kite" });
  const url = await linkTo(port, picture, { view_only: true });
  const { page, complaints } = await openPage(await openBrowser(t), true);
  await page.setViewportSize({ width: 360, height: 640 });
  await page.goto(url, { waitUntil: "load" });
  const seen = await page.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth);
  t.equal(seen, 1);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  t.equal(wide, 360, "nothing sticks out");
  t.strictSame(complaints, []);
});

t.test("a GLB is drawn by the viewer, under the page's policy", async (t) => {
  const { port } = await startKlieg(t, t.testdir());
  const picture = await make(port, "/generate/image", { model: "sim-instant", prompt: "a kite" });
  const body = { model: "sim-3d", image_asset_ids: [picture] };
  const model = await make(port, "/generate/3d", body);
  const { page, asked, complaints } = await openPage(await openBrowser(t), true);
  await page.goto(await linkTo(port, model));
  await page.locator("#model canvas").waitFor();
  t.equal(await page.locator("#model-fault").isVisible(), false);
  t.strictSame(complaints, []);
  t.ok(asked.every((one) => /^(blob:)?http:\/\/127\.0\.0\.1:/.test(one)));
  t.ok(asked.some((one) => one.includes(".glb?")));
});

t.test("404 and 410 are clear pages", async (t) => {
  const { port } = await startKlieg(t, t.testdir());
  const picture = await make(port, "/generate/image", { model: "sim-instant", prompt: "a kite" });
  const url = await linkTo(port, picture);
  const { page } = await openPage(await openBrowser(t), true);
  const readHeading = async (at: string) => {
    const answer = await page.goto(at);
    return [answer?.status(), await page.locator("h1").textContent()];
  };
  t.strictSame(await readHeading(`${url}x`), [404, "Nothing here"]);
  await fetch(`http://127.0.0.1:${port}/v1/assets/${picture}/share/${url.split("/").at(-1)}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${firstToken}` },
  });
  t.strictSame(await readHeading(url), [410, "This link was withdrawn"]);
});
