/// <reference lib="dom" />
/** Tests editing a film by hand: edits are stored, and never overwrite another person's. */
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import type { Page } from "../../render-farm/browser/browser.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { type ConsolePage, look, openConsole, signIn } from "./console-page.ts";

const path = "klieg-edits.json";
const seconds = 10;
const film = `<!doctype html><html><body style="margin:0">
<div id="root" data-composition-id="main" data-width="640" data-height="360" data-duration="10"
data-fps="30" style="position:relative;width:640px;height:360px;background:#123;color:#fff">
<h1 class="clip" id="title" data-start="0" data-duration="3" data-track-index="0">Lamp</h1>
<h2 class="clip" id="line" data-start="4" data-duration="2" data-track-index="1">Light</h2>
<video class="clip" id="shot" src="none.mp4" data-start="2" data-duration="5"
data-track-index="2" data-media-start="1" muted></video>
<p class="clip" data-start="7" data-duration="2" data-track-index="1">No name</p>
</div></body></html>`;

interface Edited {
  readonly shown: ConsolePage;
  readonly page: Page;
  readonly klieg: Klieg;
  readonly id: string;
}

t.test("a film is edited by hand", async (t) => {
  const shown = await openConsole(t);
  const { page, origin, complaints } = shown;
  const klieg = new Klieg({ url: origin, token: firstToken });
  const { id } = await klieg.compositions.create({ name: "The lamp" });
  await klieg.compositions.putFile(id, "index.html", new Blob([film]));
  await signIn(shown);
  await page.goto(`${origin}/console/compositions/${id}`);
  await page.locator("iframe.front[data-ready=true]").waitFor();
  // The film refers to a video that does not exist.
  complaints.length = 0;
  await page.getByText("none.mp4 cannot be played by this browser").first().waitFor();
  const edited: Edited = { shown, page, klieg, id };
  await t.test("a clip is dragged along its track, and snaps", (t) => dragAlong(t, edited));
  await t.test("a clip is dragged to a new track", (t) => dragAcross(t, edited));
  await t.test("both edges are trimmed", (t) => trim(t, edited));
  await t.test("Escape gives up", (t) => giveUp(t, edited));
  await t.test("keys move, trim, take out and put back", (t) => pressKeys(t, edited));
  await t.test("a text is added and seen in the preview", (t) => writeText(t, edited));
  await t.test("undo and redo are stored too", (t) => undoAndRedo(t, edited));
  await look(t, page, "studio-edits");
  await t.test("a locked track is left alone", (t) => lock(t, edited));
  await t.test("what is wrong is said at its place", (t) => diagnose(t, edited));
  const own = complaints.filter((one) => !/404|none\.mp4/.test(one));
  t.strictSame(own, [], "no errors in the browser's console");
  await t.test("another's edits are not written over", (t) => conflict(t, edited));
  await t.test("a file that cannot be read is not written over", (t) => invalid(t, edited));
});

function clip(page: Page, name: string) {
  return page.locator("button.clip", { hasText: name });
}

/** Returns `klieg-edits.json` when all edits are stored, or undefined when there is none. */
async function store({ page, klieg, id }: Edited): Promise<unknown> {
  await page.getByText("Edits are stored", { exact: true }).waitFor();
  const { files = [] } = await klieg.compositions.get(id);
  if (!files.some((file) => file.path === path)) return undefined;
  return (await klieg.compositions.getFile(id, path)).json();
}

interface Pull {
  readonly from: "start" | "middle" | "end";
  readonly seconds: number;
  readonly rows?: number;
}

async function pull(edited: Edited, name: string, { from, ...by }: Pull): Promise<void> {
  const { page } = edited;
  const [bar, lanes, row] = await stillBoxes(edited, name);
  const inside = { start: 2, middle: bar.width / 2, end: bar.width - 2 }[from];
  const [x, y] = [bar.x + inside, bar.y + bar.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  const to = x + (by.seconds / seconds) * lanes.width;
  await page.mouse.move(to, y + (by.rows ?? 0) * row.height, { steps: 4 });
}

/** Boxes of a clip, the lanes and one lane, once the last edit no longer moves anything. */
async function stillBoxes({ page }: Edited, name: string) {
  const places = [clip(page, name), page.locator(".lane-rows"), page.locator(".lane").first()];
  const measure = () => Promise.all(places.map((one) => one.boundingBox()));
  let before = "";
  for (;;) {
    await page.getByText("Edits are not saved yet").waitFor({ state: "detached" });
    await page.locator("iframe.front[data-ready=true]").waitFor();
    await page.getByText("none.mp4 cannot be played by this browser").first().waitFor();
    const [bar, lanes, row] = await measure();
    const now = JSON.stringify([bar, lanes]);
    if (bar && lanes && row && now === before) return [bar, lanes, row] as const;
    before = now;
  }
}

async function dragAlong(t: Test, edited: Edited): Promise<void> {
  const { page, klieg, id } = edited;
  // Ends 20 ms past the start of the line, to which it should snap.
  await pull(edited, "title", { from: "middle", seconds: 1.02 });
  await page.mouse.up();
  t.strictSame(await store(edited), { version: 1, clips: { title: { start: 1 } } });
  const { clips } = await klieg.compositions.timeline(id);
  t.match(clips[0], { id: "title", start_seconds: 1, end_seconds: 4 });
}

async function dragAcross(t: Test, edited: Edited): Promise<void> {
  await pull(edited, "title", { from: "middle", seconds: 0, rows: 3 });
  t.equal(await edited.page.locator(".clip.ghost").count(), 1, "where it would lie is seen");
  await edited.page.mouse.up();
  t.strictSame(await store(edited), {
    version: 1,
    clips: { title: { start: 1, track_index: 3 } },
  });
}

async function trim(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  // Snaps to the start of the clip without a name.
  await pull(edited, "line", { from: "end", seconds: 0.98 });
  await page.mouse.up();
  await pull(edited, "shot", { from: "start", seconds: 2.02 });
  await page.mouse.up();
  t.match(await store(edited), {
    clips: { line: { duration: 3 }, shot: { start: 4, duration: 3, media_start: 3 } },
  });
  await page.keyboard.down("Alt");
  await pull(edited, "line", { from: "end", seconds: -0.1 });
  await page.mouse.up();
  await page.keyboard.up("Alt");
  const { clips } = (await store(edited)) as {
    readonly clips: Readonly<Record<string, { readonly duration: number }>>;
  };
  const frames = (clips["line"]?.duration ?? 0) * 30;
  t.ok(Math.abs(frames - Math.round(frames)) < 1e-6, "in whole frames");
  t.ok(frames >= 86 && frames <= 88, `not snapped with Alt held: ${frames}`);
}

async function giveUp(t: Test, edited: Edited): Promise<void> {
  const before = await store(edited);
  await pull(edited, "line", { from: "middle", seconds: 2 });
  await edited.page.keyboard.press("Escape");
  await edited.page.mouse.up();
  t.equal(await edited.page.locator(".clip.ghost").count(), 0);
  t.strictSame(await store(edited), before);
}

async function pressKeys(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  const line = clip(page, "line");
  await line.focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("ArrowRight");
  t.match(await store(edited), { clips: { line: { start: 3.033333333 } } });
  await page.keyboard.press("Alt+Shift+ArrowRight");
  t.match(await store(edited), { clips: { line: { start: 3.066666667 } } });
  await page.keyboard.press("Delete");
  t.match(await store(edited), { deleted: ["line"] });
  t.equal(await line.count(), 0);
  await page.getByTitle("Put it back").click();
  await line.waitFor();
  t.notMatch(await store(edited), { deleted: ["line"] });
}

async function writeText(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  await page.getByRole("slider", { name: "Frame" }).fill("150");
  await page.getByText("frame 150").first().waitFor();
  await page.getByRole("button", { name: "Add text" }).click();
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Light it");
  await page.getByLabel("Size (px)").fill("40");
  await page.getByLabel("Size (px)").press("Enter");
  await page.getByLabel("Alignment").selectOption("right");
  const text = { id: "text-1", text: "Light it", start: 5, duration: 3, track_index: 4 };
  t.match(await store(edited), { texts: [{ ...text, font_size: 40, align: "right" }] });
  await page.frameLocator("iframe.front").getByText("Light it").waitFor();
  t.equal(await page.getByRole("slider", { name: "Frame" }).inputValue(), "150");
}

async function undoAndRedo(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  const newest = await store(edited);
  const undo = page.getByRole("button", { name: "Undo" });
  await page.locator(".ruler").click();
  for (let step = 0; step < 3; step++) await undo.click();
  t.match(await store(edited), { texts: [{ text: "New text" }] }, "letters are one step");
  await page.locator("body").press("Control+z");
  await page.frameLocator("iframe.front").getByText("text").waitFor({ state: "detached" });
  while (await undo.isEnabled()) await undo.click();
  t.equal(await store(edited), undefined, "as the author wrote it");
  const redo = page.getByRole("button", { name: "Redo" });
  await page.locator("body").press("Control+Shift+z");
  while (await redo.isEnabled()) await redo.click();
  t.strictSame(await store(edited), newest);
}

async function lock(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  await page.getByRole("button", { name: "Track 1 is locked" }).click();
  const before = await store(edited);
  t.match(before, { tracks: { 1: { locked: true } } });
  await pull(edited, "line", { from: "middle", seconds: 2 });
  await page.mouse.up();
  await clip(page, "line").click();
  await clip(page, "line").press("ArrowRight");
  t.strictSame(await store(edited), before);
  await page.getByText("Its track is locked.").first().waitFor();
  await page.getByRole("button", { name: "Track 1 is locked" }).click();
  t.notMatch(await store(edited), { tracks: { 1: { locked: true } } });
}

async function diagnose(t: Test, edited: Edited): Promise<void> {
  const { page } = edited;
  const sentence = "leads to none.mp4, which is not in the bundle";
  await page.locator(".diagnostics li", { hasText: sentence }).getByRole("button").click();
  const inspector = page.getByRole("region", { name: "The chosen clip" });
  await inspector.getByText(sentence).waitFor();
  t.equal(await clip(page, "shot").locator("svg").count(), 1, "its clip is marked");
  await page.getByRole("button", { name: "Line 6" }).waitFor();
  const selected = await page
    .getByRole("textbox", { name: "index.html" })
    .evaluate((area: HTMLTextAreaElement) =>
      area.value.slice(area.selectionStart, area.selectionEnd),
    );
  t.match(selected, /^<video class="clip" id="shot"/);
}

const theirs = `{ "version": 1, "clips": { "title": { "start": 5 } }, "note": "theirs" }`;

async function conflict(t: Test, edited: Edited): Promise<void> {
  const { page, klieg, id } = edited;
  await store(edited);
  await klieg.compositions.putFile(id, path, new Blob([theirs]));
  await clip(page, "line").press("ArrowRight");
  await page.getByText("Someone else has changed the edits").waitFor();
  t.equal(await (await klieg.compositions.getFile(id, path)).text(), theirs, "theirs are there");
  await page.getByRole("button", { name: "Load theirs" }).click();
  await page.getByText("Someone else has changed the edits").waitFor({ state: "detached" });
  await clip(page, "title").press("ArrowRight");
  const expected = { version: 1, clips: { title: { start: 5.033333333 } }, note: "theirs" };
  t.strictSame(await store(edited), expected, "what is not known is kept");
}

async function invalid(t: Test, edited: Edited): Promise<void> {
  const { page, klieg, id, shown } = edited;
  await klieg.compositions.putFile(id, path, new Blob(["{"]));
  await page.goto(`${shown.origin}/console/compositions/${id}`);
  await page.getByText("klieg-edits.json is not valid JSON.").waitFor();
  await clip(page, "line").press("ArrowRight");
  t.equal(await (await klieg.compositions.getFile(id, path)).text(), "{");
  await page.getByRole("button", { name: "Start without these edits" }).click();
  t.equal(await store(edited), undefined);
}
