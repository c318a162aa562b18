/**
 * Random stream tickets, and marks of what was used or refused: a ticket opens one stream of its
 * own subject within its minute, a confirmation counts once, a refusal is remembered for a day.
 */

import fc from "fast-check";
import t from "tap";
import { domain as product } from "../../actors/domain.ts";
import { accountKey } from "../../actors/protocol/account-messages.ts";
import { ticketKey } from "../../actors/protocol/ticket.ts";
import { codes } from "../../actors/table-codes.ts";
import { limits } from "../../config/limits.ts";
import type { Domain } from "../../engine/domain.ts";
import type { Id } from "../../engine/id.ts";
import { sumFiles } from "./books.ts";
import { withBug } from "./broken-domain.ts";
import { type Command, engine, submits, time, told } from "./commands.ts";
import { checkSequences, find, type Subject, sequences } from "./sequences.ts";
import { callerAt, Stage } from "./stage.ts";

type TicketCommand =
  | Command
  | {
      readonly kind: "issue";
      readonly by: number;
      readonly subject: number;
      readonly count: number;
    }
  | { readonly kind: "redeem"; readonly ticket: number; readonly subject: number };

interface Issued {
  readonly scope: Id;
  readonly subject: Id;
  readonly expiresAtMs: number;
  readonly isUsed: boolean;
}

const partition = 0x21;

class TicketStage implements Subject<TicketCommand> {
  private readonly stage: Stage;
  private readonly issued = new Map<string, Issued>();
  private drawn = 0;

  constructor(domain: Domain = product) {
    this.stage = new Stage(domain);
  }

  run(command: TicketCommand): Promise<void> | undefined {
    if (command.kind === "issue") {
      for (let left = command.count; left > 0; left--) this.issue(command.by, command.subject);
      return undefined;
    }
    return command.kind === "redeem"
      ? this.redeem(command.ticket, command.subject)
      : this.stage.run(command);
  }

  findBreak(): string | undefined {
    return this.stage.findBreak();
  }

  private issue(by: number, subject: number): void {
    const { world, facts } = this.stage;
    const { scope } = callerAt(by);
    const expiresAtMs = world.atMs + limits.jobs.ticketMs;
    const ticket = { scope, subject: subjectAt(subject), expiresAtMs };
    const name = String(this.drawn++).padStart(32, "t");
    const unredeemed = sumFiles(world, facts).get(scope)?.tickets ?? 0;
    const heard = world.ask(accountKey(scope), { kind: "issue_ticket", digest: name, ticket });
    const refusal = unredeemed >= 100 ? "rate_limit" : undefined;
    if (this.stage.expect("a ticket", heard, refusal))
      world.set(this.issued, name, { ...ticket, isUsed: false });
  }

  /** Redeems a ticket; the same one may come again and again (I10). */
  private redeem(number: number, subject: number): undefined {
    const { world } = this.stage;
    const names = [...this.issued.keys()];
    const name = names[number % Math.max(1, names.length)] ?? "nobody's ticket".padEnd(32);
    const ticket = this.issued.get(name);
    const wanted = subjectAt(subject);
    const isGood = ticket !== undefined && !ticket.isUsed && world.atMs < ticket.expiresAtMs;
    const expected = !isGood ? "spent" : ticket.subject === wanted ? "redeemed" : "mismatched";
    const heard = world.ask(ticketKey(partition, name), { kind: "redeem", subject: wanted });
    if (heard === undefined) return undefined;
    if (heard.kind !== expected)
      world.wrong.push(`I10: a ticket is ${heard.kind}, not ${expected}`);
    if (ticket !== undefined) world.set(this.issued, name, { ...ticket, isUsed: true });
    return undefined;
  }
}

function subjectAt(subject: number): Id {
  return `01990000-0000-7021-8000-0000000001${String(subject).padStart(2, "0")}`;
}

const command: fc.Arbitrary<TicketCommand> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(2), fc.nat(1), fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 1, 60))
      .map(([by, subject, count]) => ({ kind: "issue", by, subject, count }) as const),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.nat(5), fc.nat(1))
      .map(([ticket, subject]) => ({ kind: "redeem", ticket, subject }) as const),
  },
  {
    weight: 3,
    arbitrary: submits({ by: fc.nat(1), body: fc.nat(1), modality: fc.constant("image") }),
  },
  { weight: 3, arbitrary: told },
  { weight: 2, arbitrary: time },
  { weight: 2, arbitrary: engine },
);

t.test("I10 and marks hold through random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new TicketStage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

const controls = {
  "a ticket that stays": withBug(codes.ticket, (turn, { kind }, head) =>
    kind === "redeem" ? { ...turn, head, effects: [] } : turn,
  ),
  "a ticket for every stream": withBug(codes.ticket, (turn, { kind }) => {
    const replies = turn.replies.map(({ to, reply }) => {
      const isOther = (reply as { kind: string }).kind === "mismatched";
      return { to, reply: isOther ? { kind: "redeemed" } : reply };
    });
    return kind === "redeem" ? { ...turn, replies } : turn;
  }),
  "a confirmation that is not marked": withBug(codes.tombstone, (turn, _, head) => ({
    ...turn,
    head,
  })),
} as const;

for (const [bug, domain] of Object.entries(controls))
  t.test(`${bug} is found`, async (t) => {
    t.ok(await find(command, () => new TicketStage(domain)));
  });
