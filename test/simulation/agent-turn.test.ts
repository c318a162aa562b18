/**
 * Random sessions of agents: one turn at a time, ended once, by its agent, its owner or its time;
 * what it committed is what its jobs hold and were charged, and never above what was approved.
 */

import fc from "fast-check";
import t from "tap";
import { domain as product } from "../../actors/domain.ts";
import { sessionKey } from "../../actors/protocol/session.ts";
import { codes } from "../../actors/table-codes.ts";
import type { Domain } from "../../engine/domain.ts";
import type { Id } from "../../engine/id.ts";
import { getCode } from "../../engine/key.ts";
import { withBug, withoutRows } from "./broken-domain.ts";
import { type Command, cancels, engine, sets, submits, time, told } from "./commands.ts";
import type { RunFact } from "./facts.ts";
import { checkSequences, find, type Subject, sequences } from "./sequences.ts";
import { callerAt, Stage } from "./stage.ts";

type AgentCommand =
  | Command
  | {
      readonly kind: "start_turn";
      readonly by: number;
      readonly ceiling: number | null;
      readonly seconds: number;
    }
  | { readonly kind: "finish"; readonly run: number; readonly status: "finished" | "failed" }
  | { readonly kind: "interrupt"; readonly by: number }
  | { readonly kind: "approve"; readonly run: number; readonly ceiling: number | null }
  | { readonly kind: "remove"; readonly by: number };

class AgentStage implements Subject<AgentCommand> {
  private readonly stage: Stage;
  /** Sessions by the caller's index; a caller that removed one gets another. */
  private readonly sessions = new Map<number, Id>();

  constructor(domain: Domain = product) {
    this.stage = new Stage(domain);
  }

  run(command: AgentCommand): Promise<void> | undefined {
    switch (command.kind) {
      case "start_turn":
        return this.start(command);
      case "finish":
        return this.finish(command.run, command.status);
      case "interrupt":
        return this.interrupt(command.by);
      case "approve":
        return this.approve(command.run, command.ceiling);
      case "remove":
        return this.remove(command.by);
      default:
        return this.stage.run(command);
    }
  }

  findBreak(): string | undefined {
    return this.stage.findBreak();
  }

  private start({
    by,
    ceiling,
    seconds,
  }: Extract<AgentCommand, { kind: "start_turn" }>): undefined {
    const { world, facts } = this.stage;
    const { scope, user } = callerAt(by);
    const session = this.sessions.get(by) ?? this.create(by);
    if (session === undefined) return undefined;
    const turn = world.id();
    const expiresAtMs = world.atMs + seconds * 1000;
    const credential = { session, turn, user, scope, scopes: [], expiresAtMs };
    const digest = turn.slice(-32).padStart(32, "c");
    const message = { turn, brief: "b", ceiling, expiresAtMs, digest, credential };
    const refusal = this.openRun(session) === undefined ? undefined : "conflict";
    const heard = world.ask(sessionKey(session), { kind: "start_turn", ...message });
    const run = { scope, session, ceiling, isEnded: false, expiresAtMs };
    if (this.stage.expect("a turn", heard, refusal)) world.set(facts.runs, turn, run);
    return undefined;
  }

  private create(by: number): Id | undefined {
    const { world } = this.stage;
    const id = world.id();
    const { scope, user } = callerAt(by);
    const times = { createdAtMs: world.atMs, updatedAtMs: world.atMs };
    const session = { id, scope, user, ...times, turns: 0, spent: 0 };
    const terms = { title: "", meta: {} };
    const heard = world.ask(sessionKey(id), { kind: "create", session, terms });
    if (heard === undefined) return undefined;
    world.set(this.sessions, by, id);
    return id;
  }

  private finish(number: number, status: "finished" | "failed"): undefined {
    const found = this.runAt(number);
    if (found === undefined) return undefined;
    const [turn, run] = found;
    const isGone = ![...this.sessions.values()].includes(run.session);
    const refusal = isGone ? "not_found" : run.isEnded ? "run_ended" : undefined;
    const message = { kind: "finish", turn, status, summary: undefined };
    const heard = this.stage.world.ask(sessionKey(run.session), message);
    if (this.stage.expect("a finish", heard, refusal)) this.close(turn);
    return undefined;
  }

  private interrupt(by: number): undefined {
    const session = this.sessions.get(by);
    if (session === undefined) return undefined;
    const { facts, world } = this.stage;
    const isNew = ![...facts.runs.values()].some((run) => run.session === session);
    const heard = world.ask(sessionKey(session), { kind: "interrupt" });
    if (this.stage.expect("an interrupt", heard, isNew ? "conflict" : undefined))
      this.close(this.openRun(session));
    return undefined;
  }

  private approve(number: number, ceiling: number | null): undefined {
    const found = this.runAt(number);
    if (found === undefined) return undefined;
    const [turn, run] = found;
    const { world, facts } = this.stage;
    const isGone = ![...this.sessions.values()].includes(run.session);
    const refusal = isGone ? "not_found" : run.isEnded ? "conflict" : undefined;
    const heard = world.ask(sessionKey(run.session), { kind: "approve", turn, ceiling });
    if (this.stage.expect("an approval", heard, refusal))
      world.set(facts.runs, turn, { ...run, ceiling });
    return undefined;
  }

  private remove(by: number): undefined {
    const session = this.sessions.get(by);
    if (session === undefined) return undefined;
    const { world } = this.stage;
    const heard = world.ask(sessionKey(session), { kind: "remove" });
    if (!this.stage.expect("a removal", heard, undefined)) return undefined;
    this.close(this.openRun(session));
    world.set(this.sessions, by, undefined);
    return undefined;
  }

  private runAt(number: number): [Id, RunFact] | undefined {
    const runs = [...this.stage.facts.runs];
    return runs[number % Math.max(1, runs.length)];
  }

  private openRun(session: Id): Id | undefined {
    const runs = [...this.stage.facts.runs];
    return runs.find(([, run]) => run.session === session && !run.isEnded)?.[0];
  }

  private close(turn: Id | undefined): void {
    const { facts, world } = this.stage;
    const run = turn === undefined ? undefined : facts.runs.get(turn);
    if (turn !== undefined && run !== undefined)
      world.set(facts.runs, turn, { ...run, isEnded: true });
  }
}

const by = fc.nat(2);
const run = fc.option(fc.nat(3), { nil: undefined, freq: 6 });
const ceiling = fc.option(fc.nat(80), { nil: null });

const command: fc.Arbitrary<AgentCommand> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(by, ceiling, fc.constantFrom(60, 3_600, 86_400))
      .map(([by, ceiling, seconds]) => ({ kind: "start_turn", by, ceiling, seconds }) as const),
  },
  { weight: 5, arbitrary: submits({ by, run, confirmation: fc.constant(undefined) }) },
  { weight: 1, arbitrary: sets({ by, run, confirmation: fc.constant(undefined) }) },
  {
    weight: 1,
    arbitrary: fc.tuple(by, fc.nat(20), run).map(([by, credits, run]) => {
      return { kind: "pay", by, credits, isTooFast: false, run } as const;
    }),
  },
  { weight: 4, arbitrary: told },
  { weight: 1, arbitrary: cancels },
  { weight: 2, arbitrary: time },
  { weight: 1, arbitrary: engine },
  fc
    .tuple(fc.nat(3), fc.constantFrom("finished", "failed"))
    .map(([run, status]) => ({ kind: "finish", run, status }) as const),
  fc
    .tuple(fc.nat(3), ceiling)
    .map(([run, ceiling]) => ({ kind: "approve", run, ceiling }) as const),
  by.map((by) => ({ kind: "interrupt", by }) as const),
  by.map((by) => ({ kind: "remove", by }) as const),
);

t.test("turns of agents keep to their price through random sequences of commands", async (t) => {
  const { commands } = await checkSequences(command, () => new AgentStage());
  t.ok(commands > 8 * sequences, `${commands} commands ran`);
});

const controls = {
  "an account that does not count for runs": withBug(codes.account, (turn, { kind }) =>
    kind === "submit" ? withoutRows(turn, ({ key }) => getCode(key) === codes.run) : turn,
  ),
  "an account that gives nothing back to a run": withBug(codes.account, (turn, { kind }) =>
    kind === "job_changed" ? withoutRows(turn, ({ key }) => getCode(key) === codes.run) : turn,
  ),
  "a turn that its time does not end": withBug(codes.session, (turn, { kind }, head) =>
    kind === "due" ? { ...turn, head, rows: [], effects: [] } : turn,
  ),
  "a turn that goes on to spend": withBug(codes.session, (turn, { kind }) =>
    kind === "finish" ? { ...turn, effects: [] } : turn,
  ),
} as const;

for (const [bug, domain] of Object.entries(controls))
  t.test(`${bug} is found`, async (t) => {
    t.ok(await find(command, () => new AgentStage(domain)));
  });
