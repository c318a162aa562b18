/**
 * The directory is a single actor, so that an address, a slug or a code is taken only once. Each
 * kind of entity decides in its own file; wallets are notified through the outbox.
 */

import { type Actor, answer, type Context, put } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { decideDevice, openDevice, redeemDevice } from "./devices.ts";
import { type Directory, signingKeyKey, signingPurposes } from "./directory.ts";
import { answerWith, changeDirectory, type DirectoryDecision } from "./directory-decision.ts";
import type { Bootstrap, DirectoryMessage } from "./directory-messages.ts";
import { deleteClient, issueAccess, makeClient, refresh, revoke } from "./oauth.ts";
import {
  addMember,
  changeMember,
  createOrganization,
  deleteOrganization,
  patchOrganization,
} from "./organizations.ts";
import { pauseProvider } from "./paused-providers.ts";
import { issueToken, noteUse, resetFirstToken, revokeToken } from "./tokens.ts";
import { activate, admitUser, createUser, giveCredits, patchUser } from "./users.ts";

const empty: Directory = { version: 0, users: 0 };

export const directoryActor: Actor<Directory, DirectoryMessage, never> = {
  kind: "directory",
  decide(given, message, ctx) {
    const head = given ?? empty;
    switch (message.kind) {
      case "bootstrap":
        return given === undefined
          ? bootstrap(message, ctx)
          : answerWith(given, ctx, message.first.reply);
      case "note":
        return changeDirectory(head, ctx, {
          rows: [],
          reply: { kind: "noted" },
          audit: message.audit,
        });
      case "create_user":
        return createUser(head, message, ctx);
      case "patch_user":
        return patchUser(head, message, ctx);
      case "give_credits":
        return giveCredits(head, message, ctx);
      case "activate":
        return activate(head, message, ctx);
      case "issue_token":
        return issueToken(head, message, ctx);
      case "revoke_token":
        return revokeToken(head, message, ctx);
      case "token_used":
        return noteUse(head, message, ctx);
      case "reset_first_token":
        return resetFirstToken(head, message, ctx);
      case "create_organization":
        return createOrganization(head, message, ctx);
      case "patch_organization":
        return patchOrganization(head, message, ctx);
      case "delete_organization":
        return deleteOrganization(head, message, ctx);
      case "add_member":
        return addMember(head, message, ctx);
      case "change_member":
        return changeMember(head, message, ctx);
      case "make_client":
        return makeClient(head, message, ctx);
      case "delete_client":
        return deleteClient(head, message, ctx);
      case "issue_access":
        return issueAccess(head, message, ctx);
      case "refresh":
        return refresh(head, message, ctx);
      case "revoke":
        return revoke(head, message, ctx);
      case "open_device":
        return openDevice(head, message, ctx);
      case "decide_device":
        return decideDevice(head, message, ctx);
      case "redeem_device":
        return redeemDevice(head, message, ctx);
      case "pause_provider":
        return pauseProvider(head, message, ctx);
    }
  },
  dueAt: () => undefined,
};

function bootstrap(
  { first, signingKeys }: Bootstrap,
  ctx: Context<ReplyTo<Bootstrap>>,
): DirectoryDecision {
  const keys = signingPurposes.map((purpose) =>
    put(signingKeyKey(purpose), { current: signingKeys[purpose], previous: null }),
  );
  const { rows, opening } = admitUser(first, answer(ctx, first.reply));
  return changeDirectory(empty, ctx, {
    head: { users: 1 },
    rows: [...keys, ...rows],
    tells: [opening],
  });
}
