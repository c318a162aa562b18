import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "../../config/limits.ts";
import type { ChromiumChoice } from "../browser.ts";
import { runChild } from "../child-process.ts";

/**
 * Keeps the browsers of strangers' pages off every network, in a network namespace of their own in
 * which there is nothing, not even loopback; and each of their processes within its memory.
 */
export type Isolation =
  | { readonly kind: "ready"; readonly chromium: ChromiumChoice }
  | { readonly kind: "refused"; readonly sentence: string };

const refusal =
  "this farm node cannot keep pages off the network, because it may not make network namespaces; " +
  "allow them (unshare --net), or set KLIEG_ISOLATION=off to accept the risk";

export interface IsolationSetup {
  readonly wanted: "required" | "off";
  readonly chromium: ChromiumChoice & { readonly executablePath: string };
  readonly unsharePath: string;
  readonly prlimitPath: string;
  /** A folder that lives as long as the node. */
  readonly folder: string;
}

/** Finds out what this machine allows, and makes the program that starts such browsers. */
export async function isolate(setup: IsolationSetup): Promise<Isolation> {
  const { wanted, chromium, unsharePath, prlimitPath, folder } = setup;
  const alone = process.getuid?.() === 0 ? ["--net"] : ["--map-current-user", "--net"];
  const bounded = [`--data=${limits.capture.processBytesMax}`];
  const mayBeAlone = await canRun(unsharePath, [...alone, "true"]);
  const mayBeBounded = await canRun(prlimitPath, [...bounded, "true"]);
  if (wanted === "required" && !mayBeAlone) return { kind: "refused", sentence: refusal };
  const command = [
    ...(mayBeAlone ? [unsharePath, ...alone, "--"] : []),
    ...(mayBeBounded ? [prlimitPath, ...bounded, "--"] : []),
    chromium.executablePath,
  ];
  const executablePath = join(folder, "chromium-alone");
  await writeFile(executablePath, `#!/bin/sh\nexec ${command.map(quoted).join(" ")} "$@"\n`);
  await chmod(executablePath, 0o755);
  return { kind: "ready", chromium: { ...chromium, executablePath } };
}

async function canRun(path: string, args: readonly string[]): Promise<boolean> {
  const { signal } = new AbortController();
  return runChild({ path, args, signal, timeoutMs: 5_000, fault: "not allowed" }).then(
    () => true,
    () => false,
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
