/**
 * Random commands to accounts and their jobs: whatever is sent, however late or often, through
 * crashes and dropped turns, every answer is the specification's and every sum holds.
 */
import fc from "fast-check";
import t from "tap";
import type { Account } from "../../actors/protocol/account.ts";
import { codes } from "../../actors/table-codes.ts";
import { getCode } from "../../engine/key.ts";
import { onChange, withBug, withoutRows } from "./broken-domain.ts";
import { type Command, cancels, engine, money, submits, terms, time, told } from "./commands.ts";
import { checkSequences, find, sequences } from "./sequences.ts";
import { Stage } from "./stage.ts";

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: submits() },
  { weight: 5, arbitrary: told },
  { weight: 1, arbitrary: cancels },
  { weight: 4, arbitrary: money },
  { weight: 1, arbitrary: terms },
  { weight: 2, arbitrary: time },
  { weight: 2, arbitrary: engine },
);

t.test("accounts keep I5, I6, I7 and I9 through random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new Stage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

const controls = {
  "an account that keeps a hold too long": withBug(codes.account, (turn, { kind }, head) =>
    kind === "job_changed" && turn.rows.length > 0
      ? onChange<Account>(turn, () => ({ held: (head as Account).held }))
      : turn,
  ),
  "an account that keeps a slot": withBug(codes.account, (turn, { kind }, head) =>
    kind === "job_discarded"
      ? onChange<Account>(turn, () => ({ active: (head as Account).active }))
      : turn,
  ),
  "an account that forgets fingerprints": withBug(codes.account, (turn) =>
    withoutRows(turn, ({ key }) => getCode(key) === codes.fingerprint),
  ),
  "an account that loses a ledger row": withBug(codes.account, (turn, { kind }) =>
    kind === "grant" ? withoutRows(turn, ({ key }) => getCode(key) === codes.ledger) : turn,
  ),
  "an account that does not count for budgets": withBug(codes.account, (turn, { kind }) =>
    kind === "pay" ? withoutRows(turn, ({ key }) => getCode(key) === codes.memberSpending) : turn,
  ),
  "an account that forgets to wait for its next renewal": withBug(
    codes.account,
    (turn, { kind }) =>
      kind === "open" ? turn : withoutRows(turn, ({ key }) => getCode(key) === codes.renewal),
  ),
  "an account that counts a day's jobs for ever": withBug(codes.account, (turn, { kind }, head) =>
    kind === "submit" && turn.head !== head
      ? onChange<Account>(turn, ({ quota }) => ({
          quota: { ...quota, used: (head as Account).quota.used + 1 },
        }))
      : turn,
  ),
} as const;

for (const [bug, domain] of Object.entries(controls))
  t.test(`${bug} is found`, async (t) => {
    t.ok(await find(command, () => new Stage(domain)));
  });
