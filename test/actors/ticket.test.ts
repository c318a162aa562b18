import t from "tap";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { ticketKey } from "../../actors/protocol/ticket.ts";
import { ticketActor } from "../../actors/ticket/ticket-actor.ts";
import { tell } from "../../engine/actor.ts";
import { earlier, job, nowMs, scope, view } from "./accounts.ts";

const { decide, dueAt } = ticketActor;
const self = ticketKey(0x21, "d".repeat(32));
const ticket = { scope, subject: job, expiresAtMs: nowMs + 60_000 };
const spent = tell(accountKey(scope), { kind: "ticket_spent" });

t.test("a ticket stands until its minute is over", async (t) => {
  const turn = decide(undefined, { kind: "issue", ticket }, view(self));
  t.strictSame(turn, { head: ticket, rows: [], replies: [], effects: [] });
  t.equal(dueAt(ticket), nowMs + 60_000);
});

t.test("I10: redeeming a ticket ends it", async (t) => {
  const turn = decide(ticket, { kind: "redeem", subject: job }, view(self, {}, nowMs + 59_999));
  t.strictSame(turn, {
    head: undefined,
    rows: [],
    replies: [{ to: 7, reply: { kind: "redeemed" } }],
    effects: [spent],
  });
  const again = decide(turn.head, { kind: "redeem", subject: job }, view(self));
  t.strictSame(again, {
    head: undefined,
    rows: [],
    replies: [{ to: 7, reply: { kind: "spent" } }],
    effects: [],
  });
});

t.test("a ticket of another job is consumed and opens nothing", async (t) => {
  const turn = decide(ticket, { kind: "redeem", subject: earlier }, view(self));
  t.equal(turn.head, undefined);
  t.strictSame(turn.replies, [{ to: 7, reply: { kind: "mismatched" } }]);
  t.strictSame(turn.effects, [spent]);
});

t.test("an expired ticket is spent, whether or not anybody comes", async (t) => {
  const late = decide(ticket, { kind: "redeem", subject: job }, view(self, {}, nowMs + 60_000));
  t.strictSame(late.replies, [{ to: 7, reply: { kind: "spent" } }]);
  t.equal(late.head, undefined);
  const due = decide(ticket, { kind: "due" }, view(self, {}, nowMs + 60_000));
  t.strictSame(due, { head: undefined, rows: [], replies: [], effects: [spent] });
  t.strictSame(decide(undefined, { kind: "due" }, view(self)).effects, []);
});
