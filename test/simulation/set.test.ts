/**
 * Random sets beside single jobs: members keep their order, a refusal ends the submitting, and a
 * job that waits for a slot gets the next one that is free, never more than there are.
 */
import fc from "fast-check";
import t from "tap";
import type { Account } from "../../actors/protocol/account.ts";
import { codes } from "../../actors/table-codes.ts";
import { put } from "../../engine/actor.ts";
import { getCode } from "../../engine/key.ts";
import { onChange, withBug } from "./broken-domain.ts";
import { type Command, cancels, engine, sets, submits, terms, time, told } from "./commands.ts";
import { checkSequences, find, sequences } from "./sequences.ts";
import { Stage } from "./stage.ts";

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: sets({ by: fc.nat(2) }) },
  { weight: 2, arbitrary: submits({ by: fc.nat(2), modality: fc.constant("image") }) },
  { weight: 6, arbitrary: told },
  { weight: 3, arbitrary: cancels },
  { weight: 2, arbitrary: terms },
  { weight: 1, arbitrary: time },
  { weight: 1, arbitrary: engine },
);

t.test("sets keep their order and the ceiling through random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new Stage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

const controls = {
  "an account that starts the youngest first": withBug(codes.account, (turn) => {
    const rows = turn.rows.map(({ key, value }) =>
      getCode(key) === codes.waiting
        ? put(key, [...(value as string[])].reverse())
        : { key, value },
    );
    return { ...turn, rows };
  }),
  "an account that starts one too many": withBug(codes.account, (turn, { kind }, head) =>
    kind === "submit_set" && turn.head !== head
      ? onChange<Account>(turn, ({ active }) => ({
          active: { ...active, media: active.media - 1 },
        }))
      : turn,
  ),
  "a job that does not hear of its slot": withBug(codes.job, (turn, { kind }, head) =>
    kind === "slot" ? { ...turn, head, effects: [] } : turn,
  ),
} as const;

for (const [bug, domain] of Object.entries(controls))
  t.test(`${bug} is found`, async (t) => {
    t.ok(await find(command, () => new Stage(domain)));
  });
