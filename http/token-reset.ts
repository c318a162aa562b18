/**
 * Lets an operator who has lost the credential back in. `klieg token reset` leaves a token in the
 * data directory, where only the operator can write; here it replaces the first account's first
 * credential. Repeating it after a crash does no harm.
 */

import { userByEmailKey } from "../actors/directory/directory.ts";
import { directoryKey } from "../actors/directory/directory-messages.ts";
import type { ResetFirstToken } from "../actors/directory/tokens.ts";
import { limits } from "../config/limits.ts";
import { tokenScopes } from "../contract/account.ts";
import { computeDigest } from "./auth/principals.ts";
import { firstEmail, tokenFile } from "./bootstrap.ts";
import { expectReply } from "./problems/replies.ts";
import type { Service } from "./service.ts";
import { firstCredential } from "./sign-in/new-account.ts";

const wishFile = "token-reset";

interface ResetFiles {
  read(name: string): string | undefined;
  writePrivate(name: string, text: string): void;
  remove(name: string): void;
}

interface Notes {
  warn(sentence: string): void;
  error(error: unknown, sentence: string): void;
}

/** Checks now and regularly whether the operator has requested a new first credential. */
export async function watchTokenReset(
  service: Service,
  files: ResetFiles,
  notes: Notes,
): Promise<void> {
  try {
    if (await resetFirstToken(service, files)) notes.warn("first credential replaced");
  } catch (error) {
    notes.error(error, "first credential not replaced, retrying");
  }
  const again = () => void watchTokenReset(service, files, notes);
  service.clock.after(limits.http.tokenResetCheckMs, again);
}

/** Resolves to true when there was a request to carry out. */
export async function resetFirstToken(
  { gateway, clock }: Pick<Service, "gateway" | "clock">,
  files: ResetFiles,
): Promise<boolean> {
  const token = files.read(wishFile)?.trim();
  if (token === undefined) return false;
  const user = gateway.read(userByEmailKey(computeDigest(firstEmail)));
  if (user !== undefined && /^pat_[0-9a-f]{8}_[\w-]{43}$/.test(token)) {
    const message: ResetFirstToken = {
      kind: "reset_first_token",
      token: firstCredential(user, token, tokenScopes, clock.nowMs()),
      audit: {
        actor: user,
        action: "token.reset",
        target: user,
        requestId: "token-reset",
        address: "the data directory",
      },
    };
    expectReply(await gateway.ask(directoryKey, message, "work"), "reset");
    files.writePrivate(tokenFile, `${token}\n`);
  }
  files.remove(wishFile);
  return true;
}
