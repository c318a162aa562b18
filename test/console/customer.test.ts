/// <reference lib="dom" />
/** The console as a customer uses it, from the first sign-in on: one service, one browser. */
import t, { type Test } from "tap";
import type { Page } from "../../render-farm/browser/browser.ts";
import { ask } from "../crash/accounts.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { type ConsolePage, desktop, look, openConsole, phone, signIn } from "./console-page.ts";

/** Largest number of bytes of script that the first view may load. */
const scriptBytesMax = 150 * 1024;

t.test("a customer's day in the console", async (t) => {
  const shown = await openConsole(t);
  const { page, complaints, asked, origin } = shown;
  await t.test("a wrong token is refused where it was typed", (t) => refuseToken(t, shown));
  await t.test("a device that is signed in lets the console in", (t) => deviceLogin(t, shown));
  await t.test("the link that the start printed signs in, once", (t) => followLink(t, shown));
  await t.test("the first view is of use to one who has done nothing yet", (t) =>
    firstView(t, shown),
  );
  await t.test("a picture is asked for, followed live, and shown beside its request", (t) =>
    makePicture(t, page),
  );
  await t.test("its job has a page with money and history, and is repeated", (t) =>
    jobPage(t, shown),
  );
  await t.test("a job that runs is canceled", (t) => cancelJob(t, shown));
  await t.test("back and forward lead through the views", (t) => goBack(t, page));
  await t.test("keys lead through lists and views", (t) => useKeys(t, page));
  await t.test("an asset is shared, and a stranger sees it", (t) => shareAsset(t, shown));
  await t.test("a file is uploaded, thrown away and restored", (t) => uploadFile(t, page));
  await t.test("a model in 3D is shown", (t) => showModel(t, shown));
  await t.test("a set of pictures is made of lines", (t) => makeSet(t, shown));
  await t.test("a new tab begins with recent work", (t) => seeRecentWork(t, shown));
  await t.test("a narrow screen folds the filters of a list", (t) => foldFilters(t, shown));
  await t.test("the account shows spend, tokens, members and limits", (t) => seeAccount(t, page));
  t.strictSame(complaints, [], "no errors in the browser's console");
  const elsewhere = asked.filter((url) => !url.startsWith(origin) && !url.startsWith("blob:"));
  t.strictSame(elsewhere, [], "nothing comes from elsewhere");
});

async function refuseToken(t: Test, { page, origin, complaints }: ConsolePage): Promise<void> {
  await page.goto(`${origin}/console`);
  await look(t, page, "sign-in");
  await page.getByLabel("Token").fill("not-a-token");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  t.equal(await page.evaluate(() => sessionStorage.length), 0, "it is not kept");
  t.equal(await page.evaluate(() => localStorage.length), 0);
  complaints.length = 0;
}

async function deviceLogin(t: Test, shown: ConsolePage): Promise<void> {
  const { page, complaints, stranger, port } = shown;
  const given = { name: "no operator", scopes: ["jobs:read", "generate", "tokens"] };
  const { json } = await ask<{ token: string }>(port, firstToken, "/tokens", given);
  await page.getByRole("button", { name: "Sign in with another device" }).click();
  const link = page.locator(".device a");
  const code = (await page.locator(".device-code").textContent()) ?? "";
  const other = await stranger();
  await other.goto((await link.getAttribute("href")) ?? "");
  t.equal(await other.getByLabel("Code that the program shows").inputValue(), code);
  await other.getByLabel("Your access token").fill(json.token);
  await other.getByRole("button", { name: "Approve" }).click();
  await other.getByText("Approved. You can go back").waitFor();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  await page.getByText("admin@localhost").waitFor();
  const token = await page.evaluate(() => sessionStorage.getItem("klieg-token") ?? "");
  t.match(token, /^oat_/);
  const me = await ask<{ token: { scopes: string[] } }>(port, token, "/me");
  t.strictSame(me.json.token.scopes.sort(), [...given.scopes].sort(), "what the approver may do");
  t.equal(await page.getByRole("link", { name: "Nodes" }).count(), 0);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Token").waitFor();
  // The browser logs each answer that says the login is still undecided.
  const noted = complaints.filter((text) => !/status of 400/.test(text));
  t.strictSame(noted, []);
  complaints.length = 0;
}

async function followLink(t: Test, { page, link, complaints }: ConsolePage): Promise<void> {
  await page.goto(link);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  t.notMatch(page.url(), /sign-in=/, "the code is taken out of the address");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.goto("about:blank");
  await page.goto(link);
  await page.getByText("This link was used before or has expired.").waitFor();
  t.strictSame(
    complaints.splice(0).filter((text) => !/status of 401/.test(text)),
    [],
  );
}

async function seeRecentWork(t: Test, { page, origin }: ConsolePage): Promise<void> {
  await page.goto(`${origin}/console`);
  await page.getByRole("heading", { name: "Recent work" }).waitFor();
  const works = page.locator(".recent a.tile");
  t.ok((await works.count()) > 2);
  await look(t, page, "recent");
  await works.first().click();
  await page.getByText("History").waitFor();
  t.match(page.url(), /\/console\/jobs\/[0-9a-f-]{36}$/);
}

async function foldFilters(t: Test, { page, origin }: ConsolePage): Promise<void> {
  await page.setViewportSize(phone);
  await page.goto(`${origin}/console/jobs`);
  const model = page.getByLabel("Model");
  await page.getByRole("button", { name: "Filters" }).click();
  await model.fill("nothing-of-this-name");
  await model.press("Enter");
  await page.getByText("No matching jobs").waitFor();
  await page.getByRole("link", { name: "Show all" }).click();
  await page.locator("a.row").first().waitFor();
  await page.getByRole("button", { name: "Filters" }).click();
  t.notOk(await model.isVisible());
  await page.setViewportSize(desktop);
  t.ok(await model.isVisible(), "a wide screen always shows them");
}

async function firstView(t: Test, shown: ConsolePage): Promise<void> {
  const { page, asked } = shown;
  const scripts: Promise<number>[] = [];
  const count = (response: { url(): string; body(): Promise<Buffer> }) => {
    if (response.url().endsWith(".js")) scripts.push(response.body().then(({ length }) => length));
  };
  page.on("response", count);
  await signIn(shown);
  await page.getByText("Make something").waitFor();
  page.off("response", count);
  const bytes = (await Promise.all(scripts)).reduce((sum, length) => sum + length, 0);
  t.ok(bytes > 0 && bytes < scriptBytesMax, `${bytes} bytes of script`);
  t.ok(
    asked.every((url) => !url.includes(firstToken)),
    "the token is in no address",
  );
  await look(t, page, "create");
}

async function makeSet(t: Test, { page, origin }: ConsolePage): Promise<void> {
  await page.goto(`${origin}/console/create`);
  await page.getByText("Set", { exact: true }).click();
  await page.getByLabel("Prompt").fill("a lighthouse");
  await page.getByLabel("Its pictures").fill("Dawn: at dawn\n\nNight: at night");
  await page.getByText("4 credits", { exact: true }).waitFor();
  t.match(
    await page.locator(".code pre").textContent(),
    /"label":"Dawn","prompt_suffix":"at dawn"/,
  );
  await page.getByText("CLI", { exact: true }).click();
  t.match(await page.locator(".code pre").textContent(), /--member 'Night=a lighthouse at night'/);
  await page.getByRole("button", { name: "Generate" }).click();
  for (const prompt of ["a lighthouse at dawn", "a lighthouse at night"])
    await page.locator(`article.run .results img[alt="${prompt}"]`).waitFor();
  t.equal(await page.locator("article.run").count(), 2);
  await look(t, page, "set");
  await page.locator("article.run").first().getByRole("link", { name: "Open" }).click();
  await page.getByRole("link", { name: "All pictures of the set" }).click();
  await page.locator("a.row").nth(1).waitFor();
  t.match(page.url(), /\/console\/jobs\?set_id=/);
}

async function makePicture(t: Test, page: Page): Promise<void> {
  await page.getByLabel("Prompt").fill("a kite over dunes");
  await page.getByText("16:9", { exact: true }).click();
  await page.getByText("2 credits", { exact: true }).waitFor();
  t.match(await page.locator(".code pre").textContent(), /"aspect_ratio":"16:9"/);
  await page.getByRole("button", { name: "Generate" }).click();
  const run = page.locator("article.run");
  await run.getByText(/Running|Queued/).waitFor();
  const picture = run.locator(".results img");
  await picture.waitFor();
  t.equal(await picture.getAttribute("alt"), "a kite over dunes");
  t.match(await run.locator(".run-request").textContent(), /a kite over dunes.*aspect ratio 16:9/);
  await look(t, page, "result");
}

async function jobPage(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Open" }).click();
  await page.getByText("Hold placed").waitFor();
  await page.getByText("Settled").waitFor();
  t.match(page.url(), /\/console\/jobs\/[0-9a-f-]{36}$/);
  await look(t, page, "job");
  await page.getByRole("button", { name: "Repeat" }).click();
  t.equal(await page.getByLabel("Prompt").inputValue(), "a kite over dunes");
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await page.locator("a.row").waitFor();
  await look(t, page, "jobs");
}

async function cancelJob(t: Test, { page, port }: ConsolePage): Promise<void> {
  const body = { model: "sim-instant", prompt: "sim:slow=60000" };
  const { json } = await ask<{ id: string }>(port, firstToken, "/generate/image", body);
  await page.locator(`a.row[href$="${json.id}"]`).click();
  await page.getByText("In the making").waitFor();
  await look(t, page, "running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.locator("header").getByText("Canceled").waitFor();
  await page
    .getByText(/credits? (was|were) (returned|charged)|credits settle/)
    .first()
    .waitFor();
}

async function goBack(t: Test, page: Page): Promise<void> {
  await page.goBack();
  await page.getByRole("heading", { name: "Jobs" }).waitFor();
  await page.getByLabel("Status").selectOption("canceled");
  await page.waitForURL(/status=canceled/);
  const others = page.locator("a.row").filter({ hasNotText: "Canceled" });
  await others.first().waitFor({ state: "detached" });
  await page.locator("a.row .badge", { hasText: "Canceled" }).waitFor();
  t.equal(await page.locator("a.row").count(), 1);
  await page.goForward();
  await page.getByText("Hold placed").waitFor();
  await page.reload();
  await page.getByText("Hold placed").waitFor();
}

async function useKeys(t: Test, page: Page): Promise<void> {
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.locator("a.row").nth(1).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const second = await page.locator("a.row").nth(1).getAttribute("href");
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute("href")), second);
  await page.keyboard.press("/");
  t.equal(await page.evaluate(() => document.activeElement?.matches("[data-search]")), true);
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

async function shareAsset(t: Test, { page, stranger }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Assets", exact: true }).click();
  await page.locator("a.tile").first().waitFor();
  await look(t, page, "assets");
  await page.locator("a.tile").first().click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const url = (await page.locator(".made-link a").getAttribute("href")) ?? "";
  await look(t, page, "asset");
  const other = await stranger();
  t.equal((await other.goto(url))?.status(), 200);
  t.equal(await other.locator("h1").textContent(), "a kite over dunes");
  await page.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("button", { name: "Withdraw" }).waitFor({ state: "detached" });
  t.equal((await other.goto(url))?.status(), 410);
}

/** A PNG of one pixel. */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function uploadFile(t: Test, page: Page): Promise<void> {
  await page.getByRole("link", { name: "Assets", exact: true }).click();
  const file = { name: "own.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") };
  await page.locator('input[type="file"]').setInputFiles(file);
  await page.getByRole("link", { name: "own.png" }).click();
  await page.getByLabel("Add a tag").fill("mine");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "mine" }).waitFor();
  await page.getByRole("button", { name: "Trash" }).click();
  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("link", { name: "own.png" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("button", { name: "Make a link" }).waitFor();
  t.pass("it is back");
}

async function showModel(t: Test, { page, port, origin }: ConsolePage): Promise<void> {
  const { json } = await ask<{ items: { id: string }[] }>(port, firstToken, "/assets");
  const body = { model: "sim-3d", image_asset_ids: [json.items[0]?.id] };
  const job = await ask<{ id: string }>(port, firstToken, "/generate/3d", body);
  const wait = `/jobs/${job.json.id}/wait?timeout_seconds=60`;
  const waited = await ask<{ asset: { id: string } }>(port, firstToken, wait);
  await page.goto(`${origin}/console/assets/${waited.json.asset.id}`);
  await page.locator("#model canvas").waitFor();
  t.equal(await page.locator("#model-fault").isVisible(), false);
}

async function seeAccount(t: Test, page: Page): Promise<void> {
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.locator(".chart canvas").waitFor();
  await page.getByText("Hold", { exact: true }).first().waitFor();
  await look(t, page, "account");
  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByText("This one").waitFor();
  await look(t, page, "tokens");
  await page.getByRole("link", { name: "Organization" }).click();
  await page.getByLabel("A new organization").fill("Lantern Films");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(/Lantern Films/).click();
  await page.getByText("admin@localhost").first().waitFor();
  await look(t, page, "organization");
  await page.getByText("Yourself").click();
  await page.getByRole("link", { name: "Limits" }).click();
  await page.getByText("Generations at once").waitFor();
  await look(t, page, "limits");
}
