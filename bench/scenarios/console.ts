/// <reference lib="dom" />
/**
 * The console's bars: of use within a second of its address, under 2 % of a service's processor
 * time, and as quick with a million jobs in the store. Chromium takes the same cores as the
 * service, so load is compared by processor time of the service alone, by turns with and without.
 */
import { type Browser, launch, type Page } from "../../render-farm/browser/browser.ts";
import { findChromium } from "../../render-farm/browser/chromium-path.ts";
import { type Account, createAccounts, untilSettled } from "../load/accounts.ts";
import { drive } from "../load/closed-loop.ts";
import { pace } from "../load/open-loop.ts";
import { writeNumbered, writeSubmits } from "../load/requests.ts";
import { processorTimeUs } from "../machine/processor-time.ts";
import { readOptions } from "../options.ts";
import type { Finding } from "../report/result.ts";
import { percentile } from "../report/statistics.ts";
import type { Scenario, Setting } from "../scenario.ts";
import type { Subject } from "../service/server-process.ts";

interface Options {
  readonly jobs: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly submits: number;
}

const accountCount = 100;
const openings = 5;
const flags = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

export const consoleBars: Scenario = {
  question: "How soon is the console of use, and what does it cost a service under load?",
  excludes: "slow networks and machines",
  options: [
    "--jobs N         in thousands, made before the views are timed (1000)",
    "--rounds N       of load, with and without a console each (4)",
    "--seconds N      of one round (10)",
    "--submits N      a second in a round (500)",
  ],
  plan: (args) => {
    const options = readOptions(args, { jobs: 1_000, rounds: 4, seconds: 10, submits: 500 });
    return (setting) => measure({ ...options, jobs: 1_000 * options.jobs }, setting);
  },
};

async function measure(options: Options, setting: Setting): Promise<Finding> {
  const subject = await setting.start({ mustBeOwn: true });
  const { origin, token, pid = 0 } = subject;
  const executablePath = await findChromium(undefined, setting.environment["PATH"] ?? "");
  const { browser, close } = await launch({ executablePath, sandbox: false }, flags);
  try {
    const lines = [await timeOpenings(browser, origin, token)];
    setting.say(lines[0] ?? "");
    const accounts = await createAccounts(origin, token, accountCount);
    const load = await compareLoad(options, subject, setting.say, browser, accounts, pid);
    lines.push(...load.lines);
    const jobs = await fill(options.jobs, subject, setting.say, accounts);
    lines.push(`jobs in the store: ${jobs}`, ...(await timeViews(browser, accounts, subject)));
    return { isSound: load.isSound && jobs >= options.jobs, lines };
  } finally {
    await close();
  }
}

/** Times how long the console takes to open, each time with an empty cache. */
async function timeOpenings(browser: Browser, origin: string, token: string): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < openings; n++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const began = performance.now();
    await signIn(page, origin, token);
    await page.getByLabel("Prompt").fill("a kite");
    times.push(performance.now() - began);
    await context.close();
  }
  return `from the address to a first view that is typed into: ${spread(times)} (bar: 1000)`;
}

async function signIn(page: Page, origin: string, token: string): Promise<void> {
  await page.goto(`${origin}/console`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
}

async function compareLoad(
  { rounds, seconds, submits: aSecond }: Options,
  { origin, token }: Subject,
  say: Setting["say"],
  browser: Browser,
  accounts: readonly Account[],
  pid: number,
): Promise<Finding> {
  const [bare, watched]: [number[], number[]] = [[], []];
  const requestOf = writeNumbered(writeSubmits(accounts, new URL(origin).host, 1));
  let [base, refused] = [0, 0];
  const round = async () => {
    const before = await processorTimeUs(pid);
    const from = base;
    base += aSecond * seconds;
    const result = await pace(origin, { aSecond, seconds }, (n) => requestOf(from + n));
    refused += result.refused;
    return ((await processorTimeUs(pid)) - before) / (aSecond * seconds);
  };
  await round();
  for (let n = 0; n < rounds; n++) {
    bare.push(await round());
    const context = await browser.newContext();
    const [overview, jobs] = [await context.newPage(), await context.newPage()];
    for (const page of [overview, jobs]) await signIn(page, origin, token);
    await overview.getByRole("link", { name: "Overview" }).click();
    await overview.locator(".chart canvas").nth(2).waitFor();
    await jobs.getByRole("link", { name: "Jobs", exact: true }).click();
    await jobs.getByRole("heading", { name: "Jobs" }).waitFor();
    watched.push(await round());
    await context.close();
    say(
      `round ${n + 1}: ${bare.at(-1)?.toFixed(0)} us a job, ${watched.at(-1)?.toFixed(0)} with it`,
    );
  }
  const [one, other] = [percentile(bare, 0.5), percentile(watched, 0.5)];
  const share = 100 * (other / one - 1);
  return {
    isSound: refused === 0,
    lines: [
      `processor time of a job at ${aSecond} a second: ${one.toFixed(0)} us, ` +
        `${other.toFixed(0)} us with a console: ${share.toFixed(1)} % more (bar: 2)`,
      `rounds without: ${bare.map((us) => us.toFixed(0)).join(", ")}; ` +
        `with: ${watched.map((us) => us.toFixed(0)).join(", ")}`,
    ],
  };
}

/** Over a tenth of jobs are the first account's, whose console is timed; open jobs are bounded. */
async function fill(
  count: number,
  { origin }: Subject,
  say: Setting["say"],
  accounts: readonly Account[],
): Promise<number> {
  const { host } = new URL(origin);
  const [first] = accounts;
  if (first === undefined) throw new Error("There is no account to make jobs.");
  const weighted = accounts.flatMap((account, n) => (n % 8 === 0 ? [account, first] : [account]));
  let made = 0;
  for (let run = 2; made < count; run++) {
    const requests = writeSubmits(weighted, host, run);
    const load = { seconds: 10, connections: 128, threads: 1, requests };
    const { requests: sent, refused } = await drive(origin, load);
    made += sent - refused;
    say(`${made} jobs made, ${refused} of these ${sent} refused`);
    if (sent === refused) throw new Error("No job was taken.");
  }
  const open = await untilSettled(accounts);
  if (open > 0) throw new Error(`${open} jobs have not ended.`);
  return made;
}

/** Times the console's views: the jobs are the first account's, the other views the operator's. */
async function timeViews(
  browser: Browser,
  [first]: readonly Account[],
  { origin, token }: Subject,
): Promise<string[]> {
  const lines: string[] = [];
  const time = async (name: string, act: () => Promise<unknown>) => {
    const began = performance.now();
    await act();
    lines.push(`${name}: ${(performance.now() - began).toFixed(0)} ms`);
  };
  const own = await (await browser.newContext()).newPage();
  await signIn(own, origin, first?.token ?? "");
  const rows = own.locator("a.row");
  await time("jobs", async () => {
    await own.getByRole("link", { name: "Jobs", exact: true }).click();
    await rows.nth(29).waitFor();
  });
  lines.push(`jobs of it: ${await own.locator(".view-head .hint").textContent()}`);
  await time("the next page", async () => {
    await own.getByRole("button", { name: "Show more" }).click();
    await rows.nth(59).waitFor();
  });
  for (const status of ["succeeded", "running"])
    await time(`only ${status}`, async () => {
      const answer = own.waitForResponse((reply) => reply.url().includes(`status=${status}`));
      await own.getByLabel("Status").selectOption(status);
      await (await answer).finished();
    });
  await own.getByLabel("Status").selectOption("");
  await time("a job", async () => {
    await rows.first().click();
    await own.getByText("Hold placed").waitFor();
  });
  const page = await (await browser.newContext()).newPage();
  await signIn(page, origin, token);
  await time("overview", async () => {
    await page.getByRole("link", { name: "Overview" }).click();
    await page.locator(".chart canvas").nth(2).waitFor();
  });
  await time("failures", async () => {
    await page.getByRole("link", { name: "Failures" }).click();
    await page.locator(".view .state, .view .amount.failures").first().waitFor();
  });
  return lines;
}

function spread(times: readonly number[]): string {
  const shown = [...times].map((ms) => ms.toFixed(0)).join(", ");
  return `${percentile(times, 0.5).toFixed(0)} ms (${shown})`;
}
