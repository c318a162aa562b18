/**
 * `klieg login`: the device grant (RFC 8628). What it yields is used once, for a personal access
 * token of this machine that is listed with the others and lives as long as they do; so commands
 * that run side by side never rotate a token under each other's feet.
 */
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { tokenScopes } from "../../actors/contract/account.ts";
import type { AccessToken, DeviceAuthorization } from "../../actors/contract/oauth.ts";
import { ApiProblem, postForm } from "../client/call.ts";
import { Client } from "../client/client.ts";
import { type Command, CommandError, type Session } from "./command.ts";
import { findOrigin } from "./credential.ts";
import { readLogin, removeLogin, writeLogin } from "./login-file.ts";

const client_id = "klieg-cli";
const slowDownSeconds = 5;

export const login: Command = {
  name: "login",
  usage: "",
  summary: "Log in at the service: a person approves in the browser.",
  options: [],
  run: async (args, session) => {
    parseArgs({ args: [...args], options: {} });
    await logIn(session);
  },
};

export const logout: Command = {
  name: "logout",
  usage: "",
  summary: "End the login of this machine.",
  options: [],
  async run(args, { settings, terminal }) {
    parseArgs({ args: [...args], options: {} });
    const known = await readLogin(settings());
    if (known === undefined) throw new CommandError("Nobody is logged in here.");
    const client = new Client({ ...known, surface: "cli" });
    await client.revokeToken(tokenId(known.token)).catch(passUnauthorized);
    await removeLogin(settings());
    terminal.say(`Logged out at ${known.origin}.\n`);
  },
};

/** The eight characters between `pat_` and the secret. */
function tokenId(token: string): string {
  return token.split("_")[1] ?? "";
}

/** Ignores 401: the login has ended already. */
function passUnauthorized(error: unknown): void {
  if (!(error instanceof ApiProblem && [401, 404].includes(error.status))) throw error;
}

interface Refusal {
  readonly error: string;
  readonly error_description?: string;
  readonly detail?: string;
}

async function logIn({ settings, terminal }: Session): Promise<void> {
  const origin = await findOrigin(settings());
  const device = await begin(origin);
  terminal.say(`Open ${device.verification_uri_complete ?? device.verification_uri}\n`);
  terminal.say(`and approve the code ${device.user_code}\n`);
  const { access_token: token, refresh_token: refresh, scope } = await granted(origin, device);
  const client = new Client({ origin, token, surface: "cli" });
  const made = await client.createToken({
    name: `klieg login, ${hostname()}`.slice(0, 100),
    scopes: tokenScopes.filter((name) => scope.split(" ").includes(name)),
  });
  const file = await writeLogin(settings(), { origin, token: made.token });
  for (const used of [refresh, token])
    if (used !== undefined) await postForm(origin, "/oauth/revoke", { token: used, client_id });
  terminal.say(`Logged in at ${origin} until ${made.expires_at ?? "revoked"}; kept in ${file}.\n`);
}

async function begin(origin: string): Promise<DeviceAuthorization> {
  const scopes = "generate jobs:read jobs:cancel assets:read assets:write compositions renders";
  const scope = `${scopes} shares agents organizations billing:read tokens`;
  const path = "/oauth/device_authorization";
  const { status, body } = await postForm<DeviceAuthorization & Refusal>(origin, path, {
    client_id,
    scope,
  });
  if (status === 200) return body;
  throw refused(body, status);
}

/** Polls as often as allowed until a person has decided. */
async function granted(origin: string, device: DeviceAuthorization): Promise<AccessToken> {
  const fields = {
    client_id,
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: device.device_code,
  };
  let { interval } = device;
  for (;;) {
    await pause(interval * 1_000);
    const { status, body } = await postForm<AccessToken & Refusal>(origin, "/oauth/token", fields);
    if (status === 200) return body;
    if (body.error === "slow_down") interval += slowDownSeconds;
    else if (body.error !== "authorization_pending") throw refused(body, status);
  }
}

function refused({ error, error_description: said, detail }: Refusal, status: number) {
  const reason = said ?? detail ?? error ?? `The service answered ${status}.`;
  return new CommandError(`Not logged in: ${reason}`);
}
