/** Opens addresses in the browser that the desktop of this machine has chosen. */
import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";

/** How long an opener may take to say that it cannot open anything. */
const patienceMs = 2_000;

/** Resolves to false when this machine has no browser to show. */
export async function openBrowser(address: string): Promise<boolean> {
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(opener, [address], { stdio: "ignore", detached: true });
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
  });
  child.unref();
  // Some openers stay until the browser is closed.
  return Promise.race([ended, delay(patienceMs, true)]);
}
