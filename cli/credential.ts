import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Klieg } from "../clients/typescript/src/klieg.ts";
import type { ClientSettings } from "../config/settings.ts";
import { CommandError } from "./command.ts";
import { readLogin } from "./login-file.ts";

/** Where to go and as whom. */
interface Address {
  readonly url: string;
  readonly token: string;
}

const defaultOrigin = "http://127.0.0.1:8080";

/**
 * Settings first, then the login at that origin, then what the service on this machine left in its
 * data directory: `address` (one line, its origin) and `admin-token`. Throws `CommandError` without
 * a credential.
 */
export async function findAddress(settings: ClientSettings): Promise<Address> {
  const origin = await findOrigin(settings);
  const login = settings.token === undefined ? await readLogin(settings) : undefined;
  const token =
    settings.token ??
    (login?.origin === origin ? login.token : await firstLine(settings.dataDir, "admin-token"));
  if (token === undefined)
    throw new CommandError(
      `No credential: ${join(settings.dataDir, "admin-token")} cannot be read; ` +
        "start the service here with npm start, or set KLIEG_URL and KLIEG_TOKEN.",
    );
  return { url: origin, token };
}

/** Takes `--no-wait`, which every command knows, out of the arguments; behind `--` all is text. */
export function readPatience(given: readonly string[]): {
  readonly args: readonly string[];
  readonly isHasty: boolean;
} {
  const end = given.indexOf("--");
  const args = given.filter((word, at) => word !== "--no-wait" || (end >= 0 && at > end));
  return { args, isHasty: args.length < given.length };
}

/** The longest that a rate of requests asks to wait is a minute. */
const limitWaitMsMax = 65_000;

/** What was refused for load is tried again, with a line on standard error; not for `--no-wait`. */
export function openClient({ url, token }: Address, isHasty = false): Klieg {
  return new Klieg({
    url,
    token,
    surface: "cli",
    retriesLimits: !isHasty,
    limitWaitMsMax,
    onLimitWait: (delayMs) =>
      process.stderr.write(
        `The service asks to come later; trying again in ${Math.ceil(delayMs / 1_000)} s (--no-wait gives up).\n`,
      ),
  });
}

/** A login says where it is good; without one the service on this machine is meant. */
export async function findOrigin(settings: ClientSettings): Promise<string> {
  const login = settings.token === undefined ? await readLogin(settings) : undefined;
  const found =
    settings.url ??
    login?.origin ??
    (await firstLine(settings.dataDir, "address")) ??
    defaultOrigin;
  return URL.canParse(found) ? new URL(found).origin : found;
}

/** Undefined when there is none to read. */
async function firstLine(folder: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text.split("\n")[0]?.trim() || undefined;
}
