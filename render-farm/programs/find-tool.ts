import { delimiter, join } from "node:path";
import { isExecutable } from "../browser/chromium-path.ts";

/** Returns the setting's path, else the first match on the path, else a name that cannot start. */
export async function findTool(
  setting: string | undefined,
  name: string,
  searchPath: string,
): Promise<string> {
  if (setting !== undefined) return setting;
  for (const folder of searchPath.split(delimiter).filter((part) => part !== ""))
    if (await isExecutable(join(folder, name))) return join(folder, name);
  return name;
}
