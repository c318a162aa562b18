import t from "tap";
import {
  credentialKey,
  signingKeyKey,
  userByEmailKey,
  userKey,
} from "../../actors/directory/directory.ts";
import { directoryActor } from "../../actors/directory/directory-actor.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { tokensOfUserKey } from "../../actors/directory/tokens.ts";
import type { CreateUser } from "../../actors/directory/users.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { put, tell } from "../../engine/actor.ts";
import { user as id, nowMs, view } from "./accounts.ts";

const { decide, dueAt } = directoryActor;
const user = {
  id,
  email: "a@example.org",
  displayName: "A",
  plan: "pro",
  status: "active",
  createdAtMs: nowMs,
} as const;
const credential = {
  id: "abcdefgh",
  name: "first",
  user: id,
  scopes: ["generate"],
  createdAtMs: nowMs,
  expiresAtMs: null,
  organization: null,
} as const;
const created = {
  kind: "created",
  account: { id, email: user.email, plan: "pro", balance_credits: 500 },
} as const;
const createUser: CreateUser = {
  kind: "create_user",
  user,
  emailDigest: "e".repeat(32),
  credential: { digest: "c".repeat(32), credential },
  credits: 500,
  reply: created,
};
const opening = tell(accountKey(id), {
  kind: "open",
  plan: "pro",
  credits: 500,
  replies: [{ to: 7, reply: created }],
});

t.test("a new user has rows for itself, its address and its credential", async (t) => {
  const turn = decide({ version: 4, users: 2 }, createUser, view(directoryKey));
  t.strictSame(turn, {
    head: { version: 5, users: 3 },
    rows: [
      put(userKey(id), user),
      put(userByEmailKey("e".repeat(32)), id),
      put(credentialKey("c".repeat(32)), credential),
      put(tokensOfUserKey(id), [{ id: "abcdefgh", digest: "63".repeat(32), expiresAtMs: null }]),
    ],
    replies: [],
    effects: [opening],
  });
});

t.test("the wallet answers, so whoever was answered can submit", async (t) => {
  const turn = decide(undefined, createUser, view(directoryKey));
  t.strictSame(turn.replies, []);
  t.strictSame(turn.effects, [opening]);
});

t.test("an account without a token has no credential", async (t) => {
  const turn = decide(undefined, { ...createUser, credential: undefined }, view(directoryKey));
  t.equal(turn.rows.length, 2);
});

t.test("an address is taken once", async (t) => {
  const head = { version: 4, users: 2 };
  const rows = { [userByEmailKey("e".repeat(32))]: id };
  const turn = decide(head, createUser, view(directoryKey, rows));
  t.equal(turn.head, head);
  t.strictSame(turn.rows, []);
  t.strictSame(turn.effects, []);
  t.match(turn.replies, [{ to: 7, reply: { kind: "refused", refusal: { code: "conflict" } } }]);
});

t.test("an empty store is bootstrapped once", async (t) => {
  const signingKeys = {
    urls: "u".repeat(43),
    cursors: "c".repeat(43),
    callbacks: "k",
    quotes: "q".repeat(43),
  };
  const message = { kind: "bootstrap", first: createUser, signingKeys } as const;
  const turn = decide(undefined, message, view(directoryKey));
  t.strictSame(turn.rows.slice(0, 3), [
    put(signingKeyKey("urls"), { current: "u".repeat(43), previous: null }),
    put(signingKeyKey("cursors"), { current: "c".repeat(43), previous: null }),
    put(signingKeyKey("quotes"), { current: "q".repeat(43), previous: null }),
  ]);
  t.strictSame(turn.head, { version: 1, users: 1 });
  t.strictSame(turn.effects, [opening]);
  const again = decide(turn.head, message, view(directoryKey));
  t.equal(again.head, turn.head);
  t.strictSame(again.rows, []);
  t.strictSame(again.replies, [{ to: 7, reply: created }]);
});

t.test("the directory waits for nothing", async (t) => {
  t.equal(dueAt({ version: 1, users: 1 }), undefined);
});
