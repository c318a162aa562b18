/**
 * The directory's one actor, so that an address, a slug and a code are taken once. Each noun
 * decides in a file of its own; wallets are told by the outbox.
 */

import { type Actor, answer, put, type TurnView } from "../../engine/actor.ts";
import type { ReplyTo } from "../../engine/address.ts";
import { decideDevice, openDevice, redeemDevice } from "./devices.ts";
import { type Directory, signingKeyKey, signingPurposes } from "./directory.ts";
import type { Bootstrap, DirectoryMessage } from "./directory-messages.ts";
import { answered, changed, type DirectoryTurn } from "./directory-turn.ts";
import { deleteClient, issueAccess, makeClient, refresh, revoke } from "./oauth.ts";
import {
  addMember,
  changeMember,
  createOrganization,
  deleteOrganization,
  patchOrganization,
} from "./organizations.ts";
import { issueToken, noteUse, resetFirstToken, revokeToken } from "./tokens.ts";
import { activate, admitted, createUser, giveCredits, patchUser } from "./users.ts";

const empty: Directory = { version: 0, users: 0 };

export const directoryActor: Actor<Directory, DirectoryMessage, never> = {
  kind: "directory",
  decide(given, message, turn) {
    const head = given ?? empty;
    switch (message.kind) {
      case "bootstrap":
        return given === undefined
          ? bootstrap(message, turn)
          : answered(given, turn, message.first.reply);
      case "note":
        return changed(head, turn, { rows: [], reply: { kind: "noted" }, audit: message.audit });
      case "create_user":
        return createUser(head, message, turn);
      case "patch_user":
        return patchUser(head, message, turn);
      case "give_credits":
        return giveCredits(head, message, turn);
      case "activate":
        return activate(head, message, turn);
      case "issue_token":
        return issueToken(head, message, turn);
      case "revoke_token":
        return revokeToken(head, message, turn);
      case "token_used":
        return noteUse(head, message, turn);
      case "reset_first_token":
        return resetFirstToken(head, message, turn);
      case "create_organization":
        return createOrganization(head, message, turn);
      case "patch_organization":
        return patchOrganization(head, message, turn);
      case "delete_organization":
        return deleteOrganization(head, message, turn);
      case "add_member":
        return addMember(head, message, turn);
      case "change_member":
        return changeMember(head, message, turn);
      case "make_client":
        return makeClient(head, message, turn);
      case "delete_client":
        return deleteClient(head, message, turn);
      case "issue_access":
        return issueAccess(head, message, turn);
      case "refresh":
        return refresh(head, message, turn);
      case "revoke":
        return revoke(head, message, turn);
      case "open_device":
        return openDevice(head, message, turn);
      case "decide_device":
        return decideDevice(head, message, turn);
      case "redeem_device":
        return redeemDevice(head, message, turn);
    }
  },
  dueAt: () => undefined,
};

function bootstrap(
  { first, signingKeys }: Bootstrap,
  turn: TurnView<ReplyTo<Bootstrap>>,
): DirectoryTurn {
  const keys = signingPurposes.map((purpose) =>
    put(signingKeyKey(purpose), { current: signingKeys[purpose], previous: null }),
  );
  const { rows, opening } = admitted(first, answer(turn, first.reply));
  return changed(empty, turn, {
    head: { users: 1 },
    rows: [...keys, ...rows],
    tells: [opening],
  });
}
