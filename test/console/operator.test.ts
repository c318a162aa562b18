/// <reference lib="dom" />
/** Tests the console as an operator uses it, and what is shown to users who are not operators. */
import { hostname } from "node:os";
import t, { type Test } from "tap";
import { ask } from "../crash/accounts.ts";
import { firstToken } from "../crash/klieg-process.ts";
import { type ConsolePage, look, openConsole, signIn } from "./console-page.ts";

t.test("an operator's day in the console", async (t) => {
  const shown = await openConsole(t);
  const { page, port, complaints } = shown;
  const failing = { model: "sim-instant", prompt: "sim:fail" };
  await ask(port, firstToken, "/generate/image", failing);
  await signIn(shown);
  await t.test("the last hour is drawn", (t) => seeOverview(t, shown));
  await t.test("failures are grouped by reason", (t) => seeFailures(t, shown));
  await t.test("an account is made, and given credits", (t) => makeAccount(t, shown));
  await t.test("what was changed stands in the audit", (t) => seeAudit(t, shown));
  await t.test("providers and farm have their pages", async (t) => {
    await page.getByRole("link", { name: "Providers" }).click();
    await page.getByText("No providers").waitFor();
    await look(t, page, "providers");
    await page.getByRole("link", { name: "Farm" }).click();
    await page.getByText(/^1 node, 0 of [2-4] places taken$/).waitFor();
    await page.getByText(/^Idle · room for [2-4] more/).waitFor();
    await look(t, page, "farm");
  });
  await t.test("a node says what its shards wait for", (t) => seeWarning(t, shown));
  await t.test("a farm node is drained", (t) => drainNode(t, shown));
  t.strictSame(complaints, [], "no errors in the browser's console");
  await t.test("one who is no operator is shown none of it", (t) => seeNothing(t, shown));
});

async function seeOverview(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Overview" }).click();
  await page.locator(".chart canvas").nth(2).waitFor();
  t.equal(await page.locator(".chart canvas").count(), 3);
  await page.setViewportSize({ width: 1440, height: 900 });
  const heights = await page
    .locator(".columns > .card")
    .evaluateAll((cards) => cards.map((card) => Math.round(card.getBoundingClientRect().height)));
  t.equal(new Set(heights).size, 1, `E8: cards side by side are of one height: ${heights}`);
  await look(t, page, "overview");
}

async function seeFailures(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Failures" }).click();
  await page.getByText("Job failed").waitFor();
  await look(t, page, "failures");
  await page.getByRole("link", { name: "The last one" }).click();
  await page.locator("header").getByText("Failed").waitFor();
  t.match(page.url(), /\/console\/jobs\//);
}

async function makeAccount(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("button", { name: "New account" }).click();
  await page.getByLabel("Address").fill("ada@klieg.example");
  await page.getByRole("button", { name: "Create with a token" }).click();
  await page.locator(".made-link code").waitFor();
  await page.keyboard.press("Escape");
  const row = page.locator(".line", { hasText: "ada@klieg.example" });
  await row.getByRole("button", { name: "Change" }).click();
  await page.getByLabel("Credits to give").fill("25");
  await page.getByRole("button", { name: "Save" }).click();
  await row.getByText("125 credits").waitFor();
  await look(t, page, "accounts");
}

async function seeAudit(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("cell", { name: "account.create" }).waitFor();
  await look(t, page, "audit");
}

/** Fakes the warning of a cluster node whose shard waits for an owner. */
async function seeWarning(t: Test, { page }: ConsolePage): Promise<void> {
  const path = "**/v1/admin/nodes";
  const warning = "Shard 1 has no owner: this node has records up to 2366 (epoch 12).";
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const { items } = (await response.json()) as { items: object[] };
    const warned = items.map((node) => ({ ...node, warnings: [warning] }));
    await route.fulfill({ response, json: { items: warned } });
  });
  await page.getByRole("link", { name: "Nodes" }).click();
  await page.getByText(warning).first().waitFor();
  await look(t, page, "waiting-nodes");
  await page.unroute(path);
}

async function drainNode(t: Test, { page }: ConsolePage): Promise<void> {
  await page.getByRole("link", { name: "Nodes" }).click();
  const row = page.locator(".line", { hasText: "farm node" });
  await row.waitFor();
  await look(t, page, "nodes");
  const service = page.locator(".line", { hasText: "service" });
  t.equal(await service.locator(".row-title").textContent(), `${hostname()} service`);
  t.match(
    await service.locator(".hint").nth(1).textContent(),
    /^127\.0\.0\.1:\d+ · [0-9a-f-]{36} /,
  );
  t.equal(await service.getByRole("button").count(), 0, "E8: nothing could take its shards over");
  await row.getByRole("button", { name: "Drain" }).click();
  await page.getByRole("button", { name: /^Drain / }).click();
  await row.getByText("Draining").waitFor();
  t.equal(await row.getByRole("button").count(), 0);
}

async function seeNothing(t: Test, { page, port, origin }: ConsolePage): Promise<void> {
  const scopes = { name: "no operator", scopes: ["jobs:read"] };
  const { json } = await ask<{ token: string }>(port, firstToken, "/tokens", scopes);
  await page.getByRole("button", { name: "Sign out" }).click();
  t.equal(await page.evaluate(() => sessionStorage.getItem("klieg-token")), null);
  await page.getByLabel("Token").fill(json.token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  t.equal(await page.getByRole("link", { name: "Nodes" }).count(), 0);
  await page.goto(`${origin}/console/nodes`);
  await page.getByText("This token has no access").waitFor();
  await look(t, page, "forbidden");
}
