/** The user's login, in a file that only this user can read. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { check, type Static, Type } from "../config/schema.ts";
import type { ClientSettings } from "../config/settings.ts";
import { CommandError } from "./command.ts";

const Login = Type.Object({ origin: Type.String(), token: Type.String() });
export type Login = Static<typeof Login>;
const isLogin = check<Login>(Login);

/** Returns the login, or undefined if there is none. */
export async function readLogin({ configDir }: ClientSettings): Promise<Login | undefined> {
  if (configDir === undefined) return undefined;
  const text = await readFile(join(configDir, "login.json"), "utf8").catch(() => "{}");
  try {
    const login: unknown = JSON.parse(text);
    return isLogin(login) ? login : undefined;
  } catch {
    throw new CommandError(`${join(configDir, "login.json")} is damaged; run klieg login again.`);
  }
}

export async function writeLogin(settings: ClientSettings, login: Login): Promise<string> {
  const folder = getFolder(settings);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "login.json");
  await writeFile(`${file}.new`, `${JSON.stringify(login)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return file;
}

export async function removeLogin(settings: ClientSettings): Promise<void> {
  await rm(join(getFolder(settings), "login.json"), { force: true });
}

function getFolder({ configDir }: ClientSettings): string {
  if (configDir !== undefined) return configDir;
  throw new CommandError(
    "There is no home directory to keep the login in; set HOME or XDG_CONFIG_HOME.",
  );
}
