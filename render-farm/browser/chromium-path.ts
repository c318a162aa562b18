import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, join } from "node:path";

const debianHeadlessShell = "/usr/bin/chromium-headless-shell";
const commandNames = ["chromium-headless-shell", "chromium"];

/** The Chromium to start; `undefined` means the one that playwright installed, if any. */
export async function findChromium(
  setting: string | undefined,
  searchPath: string,
): Promise<string | undefined> {
  if (setting !== undefined) return setting;
  const folders = searchPath.split(delimiter).filter((folder) => folder !== "");
  const onPath = commandNames.flatMap((name) => folders.map((folder) => join(folder, name)));
  for (const candidate of [debianHeadlessShell, ...onPath])
    if (await isExecutable(candidate)) return candidate;
  return undefined;
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
