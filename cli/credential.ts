import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Klieg } from "../clients/typescript/src/klieg.ts";
import type { ClientSettings } from "../config/settings.ts";
import { CommandError } from "./command.ts";
import { readLogin } from "./login-file.ts";

/** Origin of the service and the credential to use there. */
interface Address {
  readonly url: string;
  readonly token: string;
}

const defaultOrigin = "http://127.0.0.1:8080";

/**
 * Finds the credential: from the settings, else from the login at that origin, else from what the
 * service on this machine left in its data directory: `address` (one line, its origin) and
 * `admin-token`. Throws `CommandError` without a credential.
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

/** Removes `--no-wait`, which every command knows, from the arguments; after `--` all is text. */
export function readPatience(given: readonly string[]): {
  readonly args: readonly string[];
  readonly isHasty: boolean;
} {
  const end = given.indexOf("--");
  const args = given.filter((word, at) => word !== "--no-wait" || (end >= 0 && at > end));
  return { args, isHasty: args.length < given.length };
}

/** A request rate limit asks for a wait of at most one minute. */
const limitWaitMsMax = 65_000;

/** Retries requests that were refused for load, with a note on stderr; not with `--no-wait`. */
export function openClient({ url, token }: Address, isHasty = false): Klieg {
  return new Klieg({
    url,
    token,
    surface: "cli",
    retriesLimits: !isHasty,
    limitWaitMsMax,
    onLimitWait: (delayMs) =>
      process.stderr.write(
        `The service is limiting requests; retrying in ${Math.ceil(delayMs / 1_000)} s (use --no-wait to give up instead).\n`,
      ),
  });
}

/** The login's origin is used unless one is set; without a login, the service on this machine. */
export async function findOrigin(settings: ClientSettings): Promise<string> {
  const login = settings.token === undefined ? await readLogin(settings) : undefined;
  const found =
    settings.url ??
    login?.origin ??
    (await firstLine(settings.dataDir, "address")) ??
    defaultOrigin;
  return URL.canParse(found) ? new URL(found).origin : found;
}

/** Returns the first line of a file, or undefined if there is none. */
async function firstLine(folder: string, name: string): Promise<string | undefined> {
  const text = await readFile(join(folder, name), "utf8").catch(() => "");
  return text.split("\n")[0]?.trim() || undefined;
}
