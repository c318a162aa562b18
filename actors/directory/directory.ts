/**
 * The directory: who may come in. Users, credentials as SHA-256 of their tokens, and signing keys,
 * in a small shard of its own that every HTTP thread reads. One actor, so that an address is taken
 * once.
 *
 * Wallets stand elsewhere: a new user's account is told to open by the outbox and gives the answer
 * itself, so whoever was answered can submit.
 */
import type { PlanName } from "../../config/plans.ts";
import { type Actor, put, type RowWrite, type Turn, tell } from "../../engine/actor.ts";
import type { Id } from "../../engine/id.ts";
import type { OpenAccount } from "../account/account.ts";
import type { TokenScope } from "../contract/account.ts";
import { refused } from "../refusal.ts";
import { accountKey, credentialKey, signingKeyKey, userByEmailKey, userKey } from "../tables.ts";

export interface Directory {
  readonly version: number;
  readonly users: number;
}

export interface User {
  readonly id: Id;
  readonly email: string;
  readonly displayName: string;
  readonly plan: PlanName;
  readonly status: "active" | "suspended";
  readonly createdAtMs: number;
}

export interface Credential {
  /** Eight characters, as shown in listings; no secret. */
  readonly id: string;
  readonly name: string;
  readonly user: Id;
  readonly scopes: readonly TokenScope[];
  readonly expiresAtMs: number | null;
}

/** Base64url of 32 random bytes each; the previous one still verifies. */
export interface SigningKey {
  readonly current: string;
  readonly previous: string | null;
}

export const signingPurposes = ["urls", "cursors", "quotes"] as const;
export type SigningPurpose = (typeof signingPurposes)[number];

/** A credential and the digest under which it stands. */
export interface NewCredential {
  readonly digest: string;
  readonly credential: Credential;
}

export interface CreateUser {
  readonly kind: "create_user";
  readonly user: User;
  readonly emailDigest: string;
  readonly credential: NewCredential | undefined;
  readonly credits: number | undefined;
  /** What the caller gets in the end. */
  readonly reply: unknown;
}

export type DirectoryMessage =
  | CreateUser
  /** On an empty store: the first user, and the signing keys. */
  | {
      readonly kind: "bootstrap";
      readonly first: CreateUser;
      readonly signingKeys: Readonly<Record<SigningPurpose, string>>;
    };

export const directoryActor: Actor<Directory, DirectoryMessage, never> = {
  kind: "directory",
  decide(head, message, turn) {
    const { request } = turn;
    switch (message.kind) {
      case "bootstrap": {
        if (head !== undefined) return answer(head, request, message.first.reply);
        const keys = signingPurposes.map((purpose) =>
          put(signingKeyKey(purpose), { current: message.signingKeys[purpose], previous: null }),
        );
        return admit({ version: 0, users: 0 }, message.first, request, keys);
      }
      case "create_user": {
        if (turn.get(userByEmailKey(message.emailDigest)) === undefined)
          return admit(head ?? { version: 0, users: 0 }, message, request, []);
        const detail = "An account with this email address exists already.";
        return answer(head, request, refused({ code: "conflict", detail }));
      }
    }
  },
  dueAt: () => undefined,
};

function admit(
  head: Directory,
  { user, emailDigest, credential, credits, reply }: CreateUser,
  request: number | undefined,
  rows: readonly RowWrite[],
): Turn<Directory, never> {
  const opening: OpenAccount = { kind: "open", plan: user.plan, credits, request, reply };
  return {
    head: { version: head.version + 1, users: head.users + 1 },
    rows: [
      ...rows,
      put(userKey(user.id), user),
      put(userByEmailKey(emailDigest), user.id),
      ...(credential === undefined
        ? []
        : [put(credentialKey(credential.digest), credential.credential)]),
    ],
    replies: [],
    effects: [tell(accountKey(user.id), opening)],
  };
}

function answer(
  head: Directory | undefined,
  request: number | undefined,
  reply: unknown,
): Turn<Directory, never> {
  return {
    head,
    rows: [],
    replies: request === undefined ? [] : [{ to: request, reply }],
    effects: [],
  };
}
