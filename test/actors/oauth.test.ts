import t from "tap";
import { auditKey } from "../../actors/directory/audit.ts";
import {
  credentialKey,
  type Directory,
  type User,
  userKey,
} from "../../actors/directory/directory.ts";
import { directoryActor } from "../../actors/directory/directory-actor.ts";
import { directoryKey } from "../../actors/directory/directory-messages.ts";
import { expiryActor, expiryKey } from "../../actors/directory/expiry.ts";
import {
  type RefreshFamily,
  type RefreshToken,
  refreshFamilyKey,
  refreshTokenKey,
} from "../../actors/directory/oauth.ts";
import { tokenUseKey } from "../../actors/directory/tokens.ts";
import { limits } from "../../config/limits.ts";
import { put, tell } from "../../engine/actor.ts";
import type { Key } from "../../engine/key.ts";
import { user as id, nowMs, view } from "./accounts.ts";

const head: Directory = { version: 4, users: 2 };
const dayMs = 86_400_000;
const family = "01990000-0000-7000-8000-0000000000fa";
const [oldDigest, newDigest, accessDigest] = ["o".repeat(32), "n".repeat(32), "a".repeat(32)];
const user: User = {
  id,
  email: "a@example.org",
  displayName: "A",
  plan: "pro",
  status: "active",
  createdAtMs: nowMs,
};
const line: RefreshFamily = {
  client: "klieg-cli",
  clientName: "cli",
  user: id,
  organization: null,
  scopes: ["generate"],
  createdAtMs: nowMs,
  current: "6f".repeat(32),
};
const token: RefreshToken = { family, expiresAtMs: nowMs + 1 };
const pair = { accessId: "abcdefgh", accessDigest, refreshDigest: newDigest };
const refresh = {
  kind: "refresh",
  digest: oldDigest,
  client: "klieg-cli",
  scopes: undefined,
  pair,
} as const;

function rows(more: Readonly<Record<Key, unknown>> = {}): Readonly<Record<Key, unknown>> {
  return {
    [userKey(id)]: user,
    [refreshFamilyKey(family)]: line,
    [refreshTokenKey(oldDigest)]: token,
    ...more,
  };
}

t.test("a refresh rotates: a new token of 30 days, an access token of an hour", async (t) => {
  const turn = directoryActor.decide(head, refresh, view(directoryKey, rows()));
  const expiresAtMs = nowMs + 30 * dayMs;
  t.strictSame(turn.rows, [
    put(credentialKey(accessDigest), {
      id: "abcdefgh",
      name: "cli",
      user: id,
      scopes: ["generate"],
      createdAtMs: nowMs,
      expiresAtMs: nowMs + 3_600_000,
      organization: null,
      family,
    }),
    put(refreshFamilyKey(family), { ...line, current: "6e".repeat(32) }),
    put(refreshTokenKey(newDigest), { family, expiresAtMs }),
  ]);
  const timer = (first: Key, atMs: number, ...others: Key[]) =>
    tell(expiryKey(first), { kind: "expire", expiry: { atMs, rows: [first, ...others] } });
  t.strictSame(turn.effects, [
    timer(credentialKey(accessDigest), nowMs + 3_600_000, tokenUseKey(accessDigest)),
    timer(refreshTokenKey(newDigest), expiresAtMs),
    timer(refreshFamilyKey(family), expiresAtMs),
  ]);
  t.strictSame(turn.replies, [{ to: 7, reply: { kind: "granted", scopes: ["generate"] } }]);
});

t.test("a refresh token is worth nothing once its time is up", async (t) => {
  const late = view(directoryKey, rows(), nowMs + 1);
  const turn = directoryActor.decide(head, refresh, late);
  t.strictSame(turn.rows, []);
  t.match(turn.replies, [{ reply: { refusal: { code: "oauth", error: "invalid_grant" } } }]);
});

t.test("a rotated token that comes again ends its family", async (t) => {
  const rotated = { [refreshFamilyKey(family)]: { ...line, current: "00".repeat(32) } };
  const turn = directoryActor.decide(head, refresh, view(directoryKey, rows(rotated)));
  t.strictSame(turn.rows, [{ key: refreshFamilyKey(family), value: undefined }]);
  t.match(turn.replies, [{ reply: { refusal: { code: "oauth", error: "invalid_grant" } } }]);
});

t.test("a suspended user's family ends at its next refresh", async (t) => {
  const suspended = { [userKey(id)]: { ...user, status: "suspended" } };
  const turn = directoryActor.decide(head, refresh, view(directoryKey, rows(suspended)));
  t.strictSame(turn.rows, [{ key: refreshFamilyKey(family), value: undefined }]);
});

t.test("a timer takes its rows with it, and not before its time", async (t) => {
  const key = credentialKey(accessDigest);
  const self = expiryKey(key);
  const expiry = { atMs: nowMs + 5, rows: [key, tokenUseKey(accessDigest)] };
  const { decide, dueAt } = expiryActor;
  t.strictSame(decide(undefined, { kind: "expire", expiry }, view(self)).head, expiry);
  t.equal(dueAt(expiry), nowMs + 5);
  const moved = { ...expiry, atMs: nowMs + 9 };
  t.strictSame(decide(expiry, { kind: "expire", expiry: moved }, view(self)).head, moved);
  t.equal(decide(expiry, { kind: "due" }, view(self)).head, expiry, "too early");
  t.strictSame(decide(expiry, { kind: "due" }, view(self, {}, nowMs + 5)), {
    head: undefined,
    rows: [
      { key, value: undefined },
      { key: tokenUseKey(accessDigest), value: undefined },
    ],
    replies: [],
    effects: [],
  });
});

t.test("audit rows are kept for 400 days", async (t) => {
  const note = { actor: id, action: "x", target: "y", requestId: "r", address: "a" };
  const old = { ...note, atMs: nowMs - limits.admin.auditDays * dayMs - 1 };
  const full = { ...head, audit: { first: 3, next: 8 } };
  const stored = {
    [auditKey(3)]: old,
    [auditKey(4)]: { ...old, atMs: nowMs - limits.admin.auditDays * dayMs },
  };
  const turn = directoryActor.decide(
    full,
    { kind: "note", audit: note },
    view(directoryKey, stored),
  );
  t.equal(limits.admin.auditDays, 400);
  t.strictSame(turn.rows, [
    put(auditKey(8), { ...note, atMs: nowMs }),
    { key: auditKey(3), value: undefined },
  ]);
  t.match(turn.head, { version: 5, audit: { first: 4, next: 9 } });
});
