/**
 * The first start on an empty store: one administrator, the signing keys, and the token in a file
 * that only this user can read. The file is written before the directory learns of the token, so a
 * crash between the two cannot lock everyone out of the store.
 */

import { readFileSync } from "node:fs";
import { type Bootstrap, directoryKey } from "../actors/directory/directory-messages.ts";
import { SettingsError } from "../config/environment.ts";
import type { Settings } from "../config/settings.ts";
import { tokenScopes } from "../contract/account.ts";
import type { Gateway } from "../engine/gateway.ts";
import { expectReply } from "./problems/replies.ts";
import { type Mints, mintToken, newAccount } from "./sign-in/new-account.ts";

export const tokenFile = "admin-token";
export const firstEmail = "admin@localhost";
export const firstCredits = 1_000_000;

interface TokenFiles {
  read(name: string): string | undefined;
  writePrivate(name: string, text: string): void;
}

/** Returns the token that the operator configured, if any. Throws `SettingsError`. */
export function chooseToken(settings: Settings): string | undefined {
  const { bootstrapToken, bootstrapTokenFile: file } = settings;
  const token = bootstrapToken ?? (file === undefined ? undefined : readToken(file));
  if (token === undefined || /^[\x21-\x7e]{20,255}$/.test(token)) return token;
  throw new SettingsError(
    "KLIEG_BOOTSTRAP_TOKEN is not usable; set it to 20 to 255 visible ASCII characters.",
  );
}

export async function bootstrap(
  gateway: Gateway,
  mints: Mints,
  files: TokenFiles,
  chosen: string | undefined,
): Promise<void> {
  if (gateway.read(directoryKey) !== undefined) return;
  const token = chosen ?? files.read(tokenFile)?.trim() ?? mintToken(mints.entropy);
  files.writePrivate(tokenFile, `${token}\n`);
  const request = {
    email: firstEmail,
    display_name: "Administrator",
    plan: "enterprise",
    credits: firstCredits,
  } as const;
  const secret = () => Buffer.from(mints.entropy.bytes(32)).toString("base64url");
  const message: Bootstrap = {
    kind: "bootstrap",
    first: newAccount(mints, request, token, tokenScopes),
    signingKeys: { urls: secret(), cursors: secret(), quotes: secret(), callbacks: secret() },
  };
  expectReply(await gateway.ask(directoryKey, message, "work"), "created");
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new SettingsError(`KLIEG_BOOTSTRAP_TOKEN_FILE names ${file}, which cannot be read.`, {
      cause: error,
    });
  }
}
