/**
 * `klieg login`: the device grant (RFC 8628). What it yields is used once, for a personal access
 * token of this machine that is listed with the others and lives as long as they do; so commands
 * that run side by side never rotate a token under each other's feet.
 */
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import {
  awaitDeviceLogin,
  beginDeviceLogin,
  type DeviceLogin,
  revokeDeviceToken,
} from "../clients/typescript/src/device-login.ts";
import { KliegError } from "../clients/typescript/src/klieg.ts";
import { tokenScopes } from "../contract/account.ts";
import { type Command, CommandError, type Session, type Terminal } from "./command.ts";
import { findOrigin, openClient } from "./credential.ts";
import { readLogin, removeLogin, writeLogin } from "./login-file.ts";

const clientId = "klieg-cli";
const scope =
  "generate jobs:read jobs:cancel assets:read assets:write compositions renders " +
  "shares agents organizations billing:read tokens";

export const login: Command = {
  name: "login",
  usage: "",
  summary: "Log in to the service by approving this machine in a browser.",
  options: [],
  run: async (args, session) => {
    parseArgs({ args: [...args], options: {} });
    await logIn(session);
  },
};

export const logout: Command = {
  name: "logout",
  usage: "",
  summary: "Log this machine out.",
  options: [],
  async run(args, { settings, terminal }) {
    parseArgs({ args: [...args], options: {} });
    const known = await readLogin(settings());
    if (known === undefined) throw new CommandError("Nobody is logged in on this machine.");
    const client = openClient({ url: known.origin, token: known.token });
    await client.tokens.revoke(tokenId(known.token)).catch(passUnauthorized);
    await removeLogin(settings());
    terminal.say(`Logged out from ${known.origin}.\n`);
  },
};

/** Returns the token's id: the eight characters between `pat_` and the secret. */
function tokenId(token: string): string {
  return token.split("_")[1] ?? "";
}

/** Ignores 401 and 404, which mean that the login has already ended. */
function passUnauthorized(error: unknown): void {
  if (!(error instanceof KliegError && [401, 404].includes(error.status))) throw error;
}

async function logIn({ settings, terminal }: Session): Promise<void> {
  const origin = await findOrigin(settings());
  const login = { url: origin, clientId };
  const { token, refresh, scopes } = await awaitApproval(login, terminal);
  const client = openClient({ url: origin, token });
  const made = await client.tokens.create({
    name: `klieg login, ${hostname()}`.slice(0, 100),
    scopes: tokenScopes.filter((name) => scopes.includes(name)),
  });
  const file = await writeLogin(settings(), { origin, token: made.token });
  for (const used of [refresh, token]) if (used !== undefined) await revokeDeviceToken(login, used);
  terminal.say(
    `Logged in at ${origin} until ${made.expires_at ?? "revoked"}; the login is in ${file}.\n`,
  );
}

/** Waits for the user's approval in the browser. Throws `CommandError`. */
async function awaitApproval(login: DeviceLogin, terminal: Terminal) {
  try {
    const device = await beginDeviceLogin(login, scope);
    terminal.say(`Open ${device.verification_uri_complete ?? device.verification_uri}\n`);
    terminal.say(`and approve the code ${device.user_code}\n`);
    const given = await awaitDeviceLogin(login, device);
    const scopes = given.scope.split(" ");
    return { token: given.access_token, refresh: given.refresh_token, scopes };
  } catch (fault) {
    if (!(fault instanceof KliegError) || fault.status === 0) throw fault;
    throw new CommandError(`Not logged in: ${fault.message}`);
  }
}
