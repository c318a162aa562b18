/// <reference lib="dom" />
/** Tests a composition in the console: editing, checking, live render progress, sharing, export. */
import { readFileSync } from "node:fs";
import t, { type Test } from "tap";
import type { ExportManifest } from "../../contract/composition.ts";
import { ask } from "../crash/accounts.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { unzip } from "../spec/unzip.ts";
import { type ConsolePage, look, openConsole, signIn } from "./console-page.ts";

t.test("a composition and an agent in the console", async (t) => {
  const shown = await openConsole(t);
  await signIn(shown);
  await t.test("a composition is made and edited", (t) => edit(t, shown));
  await t.test("a still of it is seen", (t) => renderStill(t, shown));
  await t.test("the render is shared with a stranger", (t) => shareRender(t, shown));
  await t.test("its film is rendered with live progress, and plays", (t) => renderFilm(t, shown));
  await t.test("its timeline is exported", (t) => exportIt(t, shown));
  await t.test("an agent's turn has a ceiling, and is stopped", (t) => runAgent(t, shown));
  t.strictSame(shown.complaints, [], "no errors in the browser's console");
});

const film = `<!doctype html><html><body style="margin:0">
<div id="root" data-composition-id="main" data-width="320" data-height="180" data-duration="1"
style="position:relative;width:320px;height:180px;background:#123">
<h1 class="clip" id="title" data-start="0" data-duration="1" data-track-index="0">Lamp</h1>
</div></body></html>`;

async function edit(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Compositions" }).click();
  await page.getByText("No compositions yet").waitFor();
  await look(t, page, "compositions");
  await page.getByRole("button", { name: "New composition" }).click();
  await page.getByLabel("Name").fill("The lamp");
  await page.getByRole("button", { name: "Create the composition" }).click();
  const editor = page.getByRole("textbox", { name: "index.html" });
  await editor.fill(film.replace('data-duration="1" data-track', "data-track"));
  await page.getByText("not saved").waitFor();
  await page.keyboard.press("Control+s");
  await page.getByText("revision 2").waitFor();
  await editor.fill(film);
  await page.keyboard.press("Control+s");
  await page.getByText("revision 3").waitFor();
  await page.getByText("Nothing to mend").waitFor();
  const clip = page.locator("button.clip", { hasText: "title" });
  await clip.waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await clip.click();
  const box = await page.getByRole("region", { name: "The chosen clip" }).boundingBox();
  t.ok(box !== null && box.y + box.height < 900, "E8: what is chosen is seen beside the film");
  t.match(await page.locator(".view-head .hint").textContent(), /320 × 180/);
}

async function renderStill(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByLabel("Time of the still, in seconds").fill("0.5");
  await page.getByRole("button", { name: "Take a still at this time" }).click();
  await page.locator(".renders progress").waitFor();
  await page.locator(".renders .good, .renders .wrong").waitFor();
  t.strictSame(await page.locator(".renders .wrong").allTextContents(), [], "it did not fail");
  const picture = page.locator(".preview img");
  await picture.waitFor();
  await picture.evaluate((image: HTMLImageElement) => image.decode());
  t.equal(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth), 320);
  await look(t, page, "composition");
}

async function shareRender(t: Test, { page, stranger }: ConsolePage): Promise<void> {
  await page.locator(".renders").getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const url = (await page.locator(".made-link a").getAttribute("href")) ?? "";
  const other = await stranger();
  t.equal((await other.goto(url))?.status(), 200);
  t.equal(await other.locator("h1").textContent(), "The lamp");
  t.equal(await other.locator("img").count(), 1);
  await page.keyboard.press("Escape");
}

async function renderFilm(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByLabel("Quality").selectOption("fast");
  await page.getByRole("button", { name: "Render the film" }).click();
  await page.locator(".renders progress").waitFor();
  await page.locator(".preview video, .renders .wrong").first().waitFor({ timeout: 120_000 });
  t.strictSame(await page.locator(".renders .wrong").allTextContents(), [], "it did not fail");
  const width = await page.locator(".preview video").evaluate(async (film: HTMLVideoElement) => {
    film.muted = true;
    await film.play();
    return film.videoWidth;
  });
  t.equal(width, 320);
  await page.getByRole("link", { name: "To all compositions" }).click();
  await page.locator("a.row .row-picture img").waitFor();
  await page.locator("a.row").click();
}

/** A PNG of one pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function exportIt(t: Test, { page }: ConsolePage): Promise<void> {
  const file = { name: "lamp.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") };
  await page.locator('.file-list input[type="file"]').setInputFiles(file);
  await page.getByRole("button", { name: "lamp.png" }).waitFor();
  const picture = `<img class="clip" id="lamp" src="lamp.png" data-start="0" data-duration="1"
data-track-index="1" style="position:absolute;left:0;top:0;width:80px;height:80px"></div>`;
  await page.getByRole("textbox", { name: "index.html" }).fill(film.replace("</div>", picture));
  await page.keyboard.press("Control+s");
  await page.locator("button.clip", { hasText: "lamp" }).waitFor();
  const refusal = page.locator(".notice.refused");
  for (const [button, timeline] of [
    ["Premiere, Resolve", "sequence.xml"],
    ["After Effects", "build.jsx"],
  ] as const) {
    const saving = page.waitForEvent("download");
    saving.catch(() => undefined);
    await page.getByRole("button", { name: button }).click();
    await page.locator(".notice", { hasText: "Exported" }).or(refusal).first().waitFor();
    t.strictSame(await refusal.allTextContents(), [], "it is not refused");
    const saved = await saving;
    t.match(saved.suggestedFilename(), /^The lamp \((fcpxml|aejsx)\)\.zip$/);
    const files = unzip(readFileSync(await saved.path()));
    t.ok(
      files.some(({ path }) => path === timeline),
      `${timeline} is in it`,
    );
    const manifest = files.find(({ path }) => path === "manifest.json");
    const { media } = JSON.parse(`${manifest?.bytes}`) as ExportManifest;
    t.match(media, [{ ref: "lamp.png", path: /lamp\.png$/ }]);
  }
}

async function runAgent(t: Test, { page, port, complaints }: ConsolePage): Promise<void> {
  complaints.length = 0;
  await page.getByRole("link", { name: "Agents" }).click();
  await page.getByLabel("A new session").fill("Stills of the lamp");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByLabel("Brief").fill("Make one still.");
  await page.getByLabel("May spend, in credits").fill("5");
  await page.getByRole("button", { name: "Start the turn" }).click();
  const credential = (await page.locator(".made-link code").textContent()) ?? "";
  t.match(credential, /^agt_/);
  const body = { model: "sim-instant", prompt: "a lamp" };
  t.equal((await ask(port, credential, "/generate/image", body)).status, 202);
  await page.getByText("1 credit of 5 credits").waitFor();
  await page.getByRole("link", { name: "Job 1" }).waitFor();
  await look(t, page, "agent");
  await page.getByRole("button", { name: "Stop the turn" }).click();
  await page.getByText("Stopped", { exact: true }).first().waitFor();
  t.equal((await ask(port, credential, "/me")).status, 409, "the credential has ended with it");
  t.equal((await ask(port, firstToken, "/me")).status, 200);
}
