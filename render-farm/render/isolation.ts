import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChromiumChoice } from "../browser.ts";
import { runChild } from "../child-process.ts";

/**
 * Keeps the browsers of strangers' pages off every network: they start in a network namespace of
 * their own, in which there is nothing, not even loopback.
 */
export type Isolation =
  | { readonly kind: "ready"; readonly chromium: ChromiumChoice }
  | { readonly kind: "refused"; readonly sentence: string };

const refusal =
  "this farm node cannot keep pages off the network, because it may not make network namespaces; " +
  "allow them (unshare --net), or set KLIEG_ISOLATION=off to accept the risk";

export interface IsolationSetup {
  readonly wanted: "required" | "off";
  readonly chromium: ChromiumChoice;
  readonly unsharePath: string;
  /** A folder that lives as long as the node. */
  readonly folder: string;
}

export async function isolate(setup: IsolationSetup): Promise<Isolation> {
  const { wanted, chromium, unsharePath, folder } = setup;
  const options = process.getuid?.() === 0 ? ["--net"] : ["--map-current-user", "--net"];
  const isPossible = await canUnshare(unsharePath, options);
  if (wanted === "off" && !isPossible) return { kind: "ready", chromium };
  if (!isPossible || chromium.executablePath === undefined)
    return wanted === "off" ? { kind: "ready", chromium } : { kind: "refused", sentence: refusal };
  const executablePath = join(folder, "chromium-alone");
  const command = [unsharePath, ...options, "--", chromium.executablePath].map(quoted).join(" ");
  await writeFile(executablePath, `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(executablePath, 0o755);
  return { kind: "ready", chromium: { ...chromium, executablePath } };
}

async function canUnshare(path: string, options: readonly string[]): Promise<boolean> {
  const fault = "no namespaces";
  const signal = new AbortController().signal;
  return runChild({ path, args: [...options, "true"], signal, timeoutMs: 5_000, fault }).then(
    () => true,
    () => false,
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
