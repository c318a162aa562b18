import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { peerSources } from "../render/film-folder.ts";
import type { Setting } from "../scenario.ts";
import { output } from "../service/command.ts";

/** Returns a folder with the peer's files and the packages its package.json pins, none of ours. */
export async function installPeer(
  peer: string,
  { dataDir, environment, say }: Pick<Setting, "dataDir" | "environment" | "say">,
): Promise<string> {
  const folder = join(dataDir, "bench-peers", peer);
  const wanted = await readFile(join(peerSources(peer), "package.json"), "utf8");
  const stamp = join(folder, "node_modules/.package-lock.json");
  const present = await readFile(join(folder, "package.json"), "utf8").catch(() => "");
  const isComplete = await readFile(stamp).then(
    () => true,
    () => false,
  );
  const isThere = present === wanted && isComplete;
  if (!isThere) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(peerSources(peer), folder, { recursive: true });
  await cp(peerSources("queue-rounds.mjs"), join(folder, "queue-rounds.mjs"));
  if (isThere) return folder;
  say(`installing ${peer} into ${folder}`);
  const args = ["install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
  await output({ path: "npm", args: [...args, "--loglevel=error"], cwd: folder, env: environment });
  return folder;
}
