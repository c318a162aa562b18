import { chmod, mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { limits } from "../../config/limits.ts";
import { type ChromiumChoice, launch } from "../browser.ts";
import { runChild } from "../child-process.ts";
import { findTool } from "../media-tools.ts";

/**
 * The fences around the browsers of strangers' pages:
 *
 * 1. A network namespace of their own in which there is nothing, not even loopback. Where that is
 *    not allowed pages are refused, unless the operator accepts the risk.
 * 2. Where the farm runs as root, a user who owns nothing but the browser's profile; nowhere any
 *    gain of rights by programs that run as their owner, nor the farm's environment.
 * 3. Chromium's own sandbox.
 * 4. A bound on the memory of each process and the length of each file.
 *
 * A fence of 2 and 3 that does not stand on this machine is a warning.
 */
export type Isolation =
  | {
      readonly kind: "ready";
      readonly chromium: ChromiumChoice;
      readonly warning: string | undefined;
    }
  | { readonly kind: "refused"; readonly sentence: string };

export interface IsolationSetup {
  readonly wanted: "required" | "off";
  readonly executablePath: string;
  /** Where the system's programs are looked for. */
  readonly searchPath: string;
  /** A folder that lives as long as the node. */
  readonly folder: string;
}

const refusal =
  "this farm node cannot keep pages off the network, because it may not make network namespaces; " +
  "allow them (unshare --net), or set KLIEG_ISOLATION=off to accept the risk";
const online = "pages are not kept off the network";
const unboxed =
  "Chromium's own sandbox does not start, because it may not make user namespaces; " +
  "pages run without it, in the other fences";
const unfenced =
  "Chromium does not start as a user of its own; pages run as the farm's user, " +
  "without Chromium's own sandbox";

/** No account has this number, and none needs to. */
const pageUser = 65_321;
const isRoot = process.getuid?.() === 0;
const another = isRoot ? [`--reuid=${pageUser}`, `--regid=${pageUser}`, "--clear-groups"] : [];

/** Finds out what this machine allows, and makes the program that starts such browsers. */
export async function isolate(setup: IsolationSetup): Promise<Isolation> {
  const { wanted, executablePath, searchPath, folder } = setup;
  const allowed = async (name: string, args: readonly string[]): Promise<readonly string[]> => {
    const command = [await findTool(undefined, name, searchPath), ...args, "--"];
    return (await canRun([...command, "true"])) ? command : [];
  };
  const mapped = isRoot ? [] : ["--map-current-user"];
  const alone = await allowed("unshare", [...mapped, "--net"]);
  if (wanted === "required" && alone.length === 0) return { kind: "refused", sentence: refusal };
  const meek = await allowed("setpriv", [...another, "--no-new-privs"]);
  const { processBytesMax, browserFileBytesMax } = limits.capture;
  const most = [`--data=${processBytesMax}`, `--fsize=${browserFileBytesMax}`];
  const bounded = await allowed("prlimit", most);
  const isOpen = await canRun([...meek, "test", "-x", executablePath]);
  const shown = isOpen ? undefined : await showing(executablePath, folder);
  const path = join(folder, "chromium-alone");
  const tell = async (command: readonly string[], sandbox: boolean): Promise<ChromiumChoice> => {
    await writeFile(path, program(command));
    await chmod(path, 0o755);
    return { executablePath: path, sandbox };
  };
  const own = [...(shown?.command ?? []), ...meek, ...bounded, shown?.path ?? executablePath];
  const best = await tell([...alone, ...own], true);
  if (await starts(best)) return ready(best, alone.length === 0 ? online : undefined);
  const bare = { ...best, sandbox: false };
  if (await starts(bare)) return ready(bare, unboxed);
  const plain = await tell([...alone, ...bounded, executablePath], false);
  if (await starts(plain)) return ready(plain, unfenced);
  // Each render will fail and say so.
  return ready(await tell([...alone, ...own], true), `${executablePath} does not start`);
}

function ready(chromium: ChromiumChoice, warning?: string): Isolation {
  return { kind: "ready", chromium, warning };
}

/** A Chromium in a folder of root's own is put where the other user finds it, for its eyes only. */
async function showing(executablePath: string, folder: string) {
  const place = join(folder, "chromium");
  await mkdir(place);
  await chmod(folder, 0o711);
  const bind = 'mount --bind "$0" "$1" && shift && exec "$@"';
  const command = ["unshare", "--mount", "--", "sh", "-c", bind, dirname(executablePath), place];
  return { command, path: join(place, basename(executablePath)) };
}

/** A program that takes Chromium's arguments; the profile that they name becomes the user's own. */
function program(command: readonly string[]): string {
  const give = isRoot ? `\nchown -h ${pageUser}:${pageUser} "$home"` : "";
  return `#!/bin/sh
for word; do case $word in --user-data-dir=*) home=\${word#*=} ;; esac; done${give}
exec env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 HOME="$home" TMPDIR="$home" \
  ${command.map(quoted).join(" ")} "$@"
`;
}

async function starts(chromium: ChromiumChoice): Promise<boolean> {
  try {
    const { browser, kill } = await launch(chromium);
    await browser.newPage().finally(kill);
    return true;
  } catch {
    return false;
  }
}

async function canRun([path = "", ...args]: readonly string[]): Promise<boolean> {
  const { signal } = new AbortController();
  return runChild({ path, args, signal, timeoutMs: 30_000, fault: "not allowed" }).then(
    () => true,
    () => false,
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
