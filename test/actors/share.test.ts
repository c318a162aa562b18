import t from "tap";
import {
  type ShareLink,
  shareLinkKey,
  shareOfTokenKey,
  sharesKey,
} from "../../actors/protocol/share.ts";
import { shareActor } from "../../actors/share/share-actor.ts";
import { put } from "../../engine/actor.ts";
import { earlier, job, nowMs, scope, user, view } from "./accounts.ts";

const { decide, dueAt } = shareActor;
const target = job;
const self = sharesKey(target);
const digest = "d".repeat(32);
const link: ShareLink = {
  id: earlier,
  kind: "asset",
  target,
  asset: target,
  scope,
  user,
  tokenPrefix: "q83vEj",
  createdAtMs: nowMs,
  accessCount: 0,
};
const done = [{ to: 7, reply: { kind: "done" } }];

/** Makes numbered links to the target, and a context that has their rows. */
function makeLinks(count: number, more: Partial<ShareLink> = {}) {
  const links = Array.from({ length: count }, (_, at) => ({
    ...link,
    ...more,
    id: `01990000-0000-7021-8000-${String(at).padStart(12, "0")}`,
  }));
  const rows = Object.fromEntries(links.map((one) => [shareLinkKey(one.id), one]));
  return { head: { links: links.map(({ id }) => id) }, ctx: view(self, rows) };
}

t.test("a link is a row of its own, and its token's digest says which", async (t) => {
  t.strictSame(decide(undefined, { kind: "create", link, digest }, view(self)), {
    head: { links: [earlier] },
    rows: [put(shareLinkKey(earlier), link), put(shareOfTokenKey(0x21, digest), earlier)],
    replies: done,
    effects: [],
  });
  t.equal(dueAt({ links: [earlier] }), undefined, "expiry needs no timer");
});

t.test("50 links of a target may be active, and an expired one makes room", async (t) => {
  const full = makeLinks(50);
  const refused = decide(full.head, { kind: "create", link, digest }, full.ctx);
  t.match(refused.replies, [{ reply: { kind: "refused", refusal: { code: "conflict" } } }]);
  t.equal(refused.head, full.head, "nothing is written");
  t.strictSame(refused.rows, []);
  const expired = makeLinks(50, { expiresAtMs: nowMs });
  const made = decide(expired.head, { kind: "create", link, digest }, expired.ctx);
  t.strictSame(made.head, { links: [earlier] });
  t.strictSame(made.replies, done);
});

t.test("fifty links fit a head", async (t) => {
  t.ok(JSON.stringify(makeLinks(50).head).length < 4 * 1024);
});

t.test("a revoked link stays with the time of its end, and is listed no more", async (t) => {
  const ctx = view(self, { [shareLinkKey(earlier)]: link });
  t.strictSame(decide({ links: [earlier] }, { kind: "revoke", link: earlier }, ctx), {
    head: { links: [] },
    rows: [put(shareLinkKey(earlier), { ...link, revokedAtMs: nowMs })],
    replies: done,
    effects: [],
  });
});

t.test("revoking once more changes nothing", async (t) => {
  const revoked = { ...link, revokedAtMs: nowMs - 1 };
  const head = { links: [] };
  const ctx = view(self, { [shareLinkKey(earlier)]: revoked });
  t.strictSame(decide(head, { kind: "revoke", link: earlier }, ctx), {
    head,
    rows: [],
    replies: done,
    effects: [],
  });
});

t.test("a link of another target is not found", async (t) => {
  const other = { ...link, target: scope };
  const ctx = view(self, { [shareLinkKey(earlier)]: other });
  for (const seen of [ctx, view(self)])
    t.strictSame(decide(undefined, { kind: "revoke", link: earlier }, seen), {
      head: undefined,
      rows: [],
      replies: [{ to: 7, reply: { kind: "refused", refusal: { code: "not_found" } } }],
      effects: [],
    });
});

t.test("a visit is counted with its time, and the head stays as it is", async (t) => {
  const head = { links: [earlier] };
  const ctx = view(self, { [shareLinkKey(earlier)]: { ...link, accessCount: 4 } });
  const visited = { ...link, accessCount: 5, lastAccessedAtMs: nowMs };
  const turn = decide(head, { kind: "note_visit", link: earlier }, ctx);
  t.equal(turn.head, head);
  t.strictSame(turn.rows, [put(shareLinkKey(earlier), visited)]);
  t.strictSame(turn.replies, done);
});
