import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Test } from "tap";

const main = join(import.meta.dirname, "../../cli/main.js");

export interface PreviewProcess {
  /** URL of the preview; undefined when the process ended before it printed one. */
  readonly url: string | undefined;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

/** Starts `klieg preview` as a separate process, as a user does. */
export async function startPreview(t: Test, ...args: readonly string[]): Promise<PreviewProcess> {
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, [main, "preview", ...args], { stdio: [...stdio] });
  const said: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const ended = once(child, "close").then(([code]) => ({ code, said: said.join("") }));
  t.teardown(() => {
    child.kill("SIGKILL");
    return ended;
  });
  const lines = child.stdout === null ? undefined : createInterface(child.stdout);
  const printed = lines === undefined ? [] : await Promise.race([once(lines, "line"), ended]);
  const [url] = Array.isArray(printed) ? printed : [];
  return { url, child, ended };
}
