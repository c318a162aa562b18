/** The faults of a round, drawn from the seed alone: the same seed gives the same faults. */
import type { Dice } from "../hostile/dice.ts";

export const kinds = ["engine", "nats", "farm"] as const;
export type Kind = (typeof kinds)[number];

/** `kill` is SIGKILL, `restart` SIGTERM; both start the process again. `pause` is SIGSTOP. */
export const harms = ["kill", "pause", "cut", "restart"] as const;
export type Harm = (typeof harms)[number];

/** Direction of the bytes that a cut holds back, as seen by the member that is cut off. */
export const directions = ["both", "out", "in"] as const;
export type Direction = (typeof directions)[number];

export interface Fault {
  readonly harm: Harm;
  readonly kind: Kind;
  /** Index of the member; `used` is the NATS server that the first fault's engine node talks to. */
  readonly member: number | "used";
  readonly direction: Direction;
  /** Delay in milliseconds from the start of the round's faults. */
  readonly afterMs: number;
  readonly forMs: number;
}

export interface FaultRound {
  /** Name of the round's kind; rounds of the same name share a line of the table. */
  readonly name: string;
  readonly faults: readonly Fault[];
}

export const memberCounts: Readonly<Record<Kind, number>> = { engine: 3, nats: 3, farm: 2 };

/** Durations of faults. An owner's lease is 2 s; a standby takes over after 3 s of silence. */
const lastsMs: Readonly<Record<Harm, readonly number[]>> = {
  kill: [0, 500, 2_000, 5_000],
  pause: [500, 1_500, 2_500, 4_000, 7_000],
  cut: [1_000, 3_000, 6_000, 10_000],
  restart: [0, 1_000, 3_000],
};
/** Time between the first and the second fault of a pair. */
const apartMs = [0, 0, 200, 1_000, 3_000];

export function drawRound(dice: Dice): FaultRound {
  const shape = dice.share();
  if (shape < 0.45) return drawOne(dice);
  if (shape < 0.6) return drawWithServer(dice);
  if (shape < 0.72) return drawTwo(dice, "engine");
  if (shape < 0.84) return drawTwo(dice, "nats");
  return drawAll(dice);
}

function drawOne(dice: Dice): FaultRound {
  const kind = dice.pick(["engine", "engine", "nats", "nats", "farm"] as const);
  const fault = drawFault(dice, kind, dice.number(memberCounts[kind]));
  return { name: `${describe(fault)}`, faults: [fault] };
}

function drawWithServer(dice: Dice): FaultRound {
  const node = drawFault(dice, "engine", dice.number(memberCounts.engine));
  const server = { ...drawFault(dice, "nats", "used"), afterMs: dice.pick(apartMs) };
  return { name: `${describe(node)} + ${server.harm} its nats`, faults: [node, server] };
}

function drawTwo(dice: Dice, kind: Kind): FaultRound {
  const spared = dice.number(memberCounts[kind]);
  const members = [...Array(memberCounts[kind]).keys()].filter((member) => member !== spared);
  const [one, two] = members.map((member) => drawFault(dice, kind, member)) as [Fault, Fault];
  const second = { ...two, afterMs: dice.pick(apartMs) };
  return { name: `${describe(one)} + ${describe(second)}`, faults: [one, second] };
}

/** Draws the same fault for all members of one kind. */
function drawAll(dice: Dice): FaultRound {
  const kind = dice.pick(kinds);
  const model = drawFault(dice, kind, 0);
  const members = [...Array(memberCounts[kind]).keys()];
  return {
    name: `${describe(model)}, all`,
    faults: members.map((member) => ({ ...model, member })),
  };
}

function drawFault(dice: Dice, kind: Kind, member: Fault["member"]): Fault {
  const harm = dice.pick(harms);
  return {
    harm,
    kind,
    member,
    direction: dice.pick(directions),
    afterMs: 0,
    forMs: dice.pick(lastsMs[harm]),
  };
}

function describe({ harm, kind, direction }: Fault): string {
  return harm === "cut" && direction !== "both" ? `cut ${direction} ${kind}` : `${harm} ${kind}`;
}

/** Describes a fault for a report: which member, when and for how long. */
export function describeFault(fault: Fault): string {
  const member = fault.member === "used" ? "that it uses" : fault.member;
  return `${describe(fault)} ${member} after ${fault.afterMs} ms for ${fault.forMs} ms`;
}
