/** Tests a composition's preview in the console: it plays and is no danger to the viewer. */
import t, { type Test } from "tap";
import { Klieg } from "../../clients/typescript/src/klieg.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { type ConsolePage, openConsole, signIn } from "./console-page.ts";
import { hostileMarkup, openHost, readReachedByPage } from "./hostile-page.ts";
import { exampleFiles, upload } from "./uploaded.ts";

t.test("a composition's preview", async (t) => {
  const shown = await openConsole(t);
  const klieg = new Klieg({ url: shown.origin, token: firstToken });
  await t.test("a hostile page reaches no token, API, parent or host", (t) =>
    beHostile(t, shown, klieg),
  );
  await t.test("is played and sought in the console", (t) => play(t, shown, klieg));
});

async function beHostile(t: Test, shown: ConsolePage, klieg: Klieg): Promise<void> {
  const { host, reached } = await openHost(t);
  const { origin } = shown;
  const markup = hostileMarkup({ host, api: `${origin}/v1/models`, page: `${origin}/console` });
  const { id } = await upload(klieg, "hostile", { "index.html": Buffer.from(markup) });
  const { page } = shown;
  await signIn(shown);
  await page.goto(`${shown.origin}/console/compositions/${id}`);
  await page.locator("iframe[data-ready=true]").waitFor();
  t.equal(await readReachedByPage(page), "reached:", "each attempt was refused");
  t.strictSame(reached, [], "no host was asked");
  t.equal(page.url(), `${shown.origin}/console/compositions/${id}`, "the console stays");
  const { url } = await klieg.compositions.preview(id);
  const answer = await fetch(url);
  t.match(answer.headers.get("content-security-policy"), /^sandbox allow-scripts;/);
  t.equal(answer.headers.get("access-control-allow-origin"), "*");
  const forged = url.replace(/\.(.)([^./]*)\/index/, (_, first: string, rest: string) =>
    first === "A" ? `.B${rest}/index` : `.A${rest}/index`,
  );
  t.not(forged, url);
  t.equal((await fetch(forged)).status, 403, "a ticket is signed");
  await klieg.compositions.putFile(id, "more.txt", new Blob(["more"]));
  t.equal((await fetch(url)).status, 404, "and shows that revision only");
  shown.complaints.length = 0;
}

async function play(t: Test, shown: ConsolePage, klieg: Klieg): Promise<void> {
  const { id } = await upload(klieg, "played", await exampleFiles("product-film"));
  const { page } = shown;
  await page.goto(`${shown.origin}/console/compositions/${id}`);
  await page.locator("iframe[data-ready=true]").waitFor();
  const [frame, room] = await Promise.all(
    ["iframe[title=Preview]", ".player .screen"].map((name) => page.locator(name).boundingBox()),
  );
  t.match(frame, { width: room?.width, height: room?.height }, "the film fills its room");
  const scrubber = page.getByRole("slider", { name: "Frame" });
  await scrubber.fill("30");
  await page.getByText("frame 30", { exact: false }).first().waitFor();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const at = Number(await scrubber.inputValue());
  t.ok(at >= 30, `it went on from where it was, to frame ${at}`);
  t.strictSame(shown.complaints, [], "no errors in the browser's console");
}
