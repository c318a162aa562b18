/** Plays the scenario of `scenario.json` with a client, against the service as it is started. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Test } from "tap";
import { firstToken, startKlieg } from "../crash/klieg-process.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const scenario = join(root, "test/clients/scenario.json");
const { steps }: { readonly steps: readonly object[] } = JSON.parse(readFileSync(scenario, "utf8"));

/** Outside the source tree, so that no module of it is found by accident. */
export function emptyFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "klieg-client-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** URL and token of a service that runs already: the long tests start a whole cluster. */
const given = process.env["TEST_SERVICE"]?.split(" ");

async function service(t: Test): Promise<readonly string[]> {
  if (given !== undefined) return openAccount(...given);
  const { port } = await startKlieg(t, t.testdir(), { KLIEG_FARM_WORKERS: "1" });
  return [`http://127.0.0.1:${port}`, firstToken];
}

/** Opens an account of its own for a client, so that no other one changes what it lists. */
async function openAccount(url = "", admin = ""): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
  const account = {
    email: `${randomUUID()}@klieg.example`,
    plan: "enterprise",
    credits: 100_000,
    issue_token: true,
  };
  const body = JSON.stringify(account);
  const answer = await fetch(`${url}/v1/admin/accounts`, { method: "POST", headers, body });
  const { token }: { token: string } = await answer.json();
  return [url, token];
}

/** Plays the scenario; its path, the service's URL and a token are appended to `args`. */
export async function play(
  t: Test,
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<void> {
  const { stdout } = await run(command, [...args, scenario, ...(await service(t))], {
    cwd,
  }).catch((fault: { readonly stdout: string; readonly stderr: string }) => fault);
  const lines = stdout.trimEnd().split("\n");
  t.strictSame(
    lines.filter((line) => !line.startsWith("passed ")),
    [],
  );
  t.equal(lines.length, steps.length, "every step was played");
}
