/// <reference lib="dom" />
/**
 * The documentation as people use it, in a real browser with its policies in force. All pages of
 * the reference: `test/long/api-pages`.
 */
import t from "tap";
import type { Job } from "../../contract/job.ts";
import type { ShareLink } from "../../contract/share.ts";
import { launch } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { look, openConsole } from "../console/console-page.ts";
import { ask } from "../crash/accounts.ts";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";

const flags = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

t.test("documentation is searched and drawn without a word to other hosts", async (t) => {
  const { port } = await startKlieg(t, t.testdir(), { KLIEG_FARM_WORKERS: "0" });
  const origin = `http://127.0.0.1:${port}`;
  const executablePath = await findChromium(undefined, process.env["PATH"] ?? "");
  const running = await launch({ executablePath, sandbox: false }, flags);
  t.teardown(() => running.close());
  const page = await (await running.browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin))
      complaints.push(`asks ${request.url()}`);
  });

  await page.goto(`${origin}/`);
  await page.click("text=Read the guides");
  await page.waitForURL(`${origin}/docs`);
  await page.keyboard.press("/");
  await page.keyboard.type("what to repeat");
  await page.waitForSelector("#found a");
  t.match(await page.locator("#found a").first().textContent(), /repeat/i);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/client#/);
  await page.fill("#search", "zzzzqqq");
  await page.waitForSelector("#found li");
  t.equal(await page.locator("#found").textContent(), "No page contains these words.");

  await page.goto(`${origin}/docs/api`);
  await page.click("text=Generate images");
  await page.waitForURL(/\/docs\/api\/generate#postGenerateImage$/);
  await page.locator("section.operation", { hasText: "Generate images" }).first().waitFor();
  t.strictSame(complaints, []);
});

/** Makes a picture and a link to it; returns the path of the link. */
async function share(port: number, body: object): Promise<string> {
  const prompt = `a kite for ${Object.keys(body).join() || "all"}`;
  const request = { model: "sim-instant", prompt };
  const { json: job } = await ask<Job>(port, firstToken, "/generate/image", request);
  const { json: ended } = await ask<Job>(port, firstToken, `/jobs/${job.id}/wait`);
  const path = `/assets/${ended.asset?.id}/share`;
  const { json } = await ask<ShareLink>(port, firstToken, path, body);
  return new URL(json.url ?? "").pathname;
}

t.test("pages have no serious accessibility fault, and load less than 300 KiB", async (t) => {
  const { page, origin, port } = await openConsole(t, { KLIEG_FARM_WORKERS: "0" });
  const shares = await Promise.all(
    [{}, { password: "open sesame" }].map((body) => share(port, body)),
  );
  const guides = ["/docs", "/docs/settings", "/docs/problems"];
  const paths = ["/", ...guides, "/docs/api", "/docs/api/generate", "/console", ...shares];
  let bytes = 0;
  page.on("response", (response) => {
    bytes += Number(response.headers()["content-length"] ?? 0);
  });
  for (const path of paths) {
    bytes = 0;
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
    t.ok(bytes > 0 && bytes < 300 * 1024, `${path}: ${bytes} bytes`);
    const isShare = shares.includes(path);
    const name = isShare ? `-share-${shares.indexOf(path)}` : path.replaceAll("/", "-");
    await look(t, page, `page${name}`);
  }
});
