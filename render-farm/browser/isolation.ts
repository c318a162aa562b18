import { dirname } from "node:path";
import { limits } from "../../config/limits.ts";
import type { Bounds, Fence } from "../fence/fence.ts";
import { OwnFolders } from "../fence/own-folders.ts";
import { type ChromiumChoice, launch } from "./browser.ts";

/**
 * Browsers of foreign pages run in the fence, each as a user of its own, and in Chromium's own
 * sandbox. Where the fence has no network of its own pages are refused, unless the operator accepts
 * the risk; any other missing part of the fence is a warning.
 */
export type Isolation =
  | {
      readonly kind: "ready";
      readonly chromium: ChromiumChoice;
      readonly warning: string | undefined;
    }
  | { readonly kind: "refused"; readonly sentence: string };

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

/** Determines how Chromium can be started on this machine. */
export async function isolate(
  wanted: "required" | "off",
  executablePath: string,
  fence: Fence,
): Promise<Isolation> {
  if (wanted === "required" && !fence.isOffline) return { kind: "refused", sentence: refusal };
  const program = await fence.fit({ path: executablePath, folder: dirname(executablePath) });
  const fenced = {
    words: (user: number | undefined) => program(user, bounds),
    folders: fence.folders,
  };
  const best = { executablePath, sandbox: true, fenced };
  if (await starts(best)) return ready(best, fence.isOffline ? undefined : online);
  const bare = { ...best, sandbox: false };
  if (await starts(bare)) return ready(bare, unboxed);
  const plain = { words: () => program(undefined, bounds), folders: new OwnFolders(false) };
  const rooted = { executablePath, sandbox: false, fenced: plain };
  if (await starts(rooted)) return ready(rooted, unfenced);
  // No way of starting it works; every render will fail with this explanation.
  return ready(best, `${executablePath} does not start`);
}

const bounds: Bounds = {
  bytes: limits.capture.processBytesMax,
  fileBytes: limits.capture.browserFileBytesMax,
};

function ready(chromium: ChromiumChoice, warning?: string): Isolation {
  return { kind: "ready", chromium, warning };
}

async function starts(chromium: ChromiumChoice): Promise<boolean> {
  try {
    const { browser, close } = await launch(chromium);
    await browser.newPage().finally(close);
    return true;
  } catch {
    return false;
  }
}
