/**
 * What nodes of a simulated cluster tell each other: announcements of shards and of nodes, offers
 * of snapshots, questions. Each message travels by itself, so it may be late, come twice, or be
 * lost, but overtakes none of the same way; a way may be cut in one direction.
 */
import type { Nodes } from "../../../engine/ports/nodes.ts";
import type { Peers } from "../../../engine/ports/peers.ts";
import type { LineAnswer, ShardLine } from "../../../engine/ports/shard-line.ts";
import type { Snapshot, Snapshots } from "../../../engine/ports/snapshots.ts";
import type { Dice } from "./dice.ts";
import type { Life, Timeline } from "./timeline.ts";

/** A sender or receiver: one process of a node. */
export interface Station {
  readonly node: string;
  readonly life: Life;
}

interface Ear {
  readonly station: Station;
  readonly hear: (message: object) => void;
}

/** A question that has no answer yet. */
interface Open {
  readonly subject: string;
  readonly life: Life;
  readonly atMs: number;
}

/** Answers the questions that reach a shard by one line. */
interface Answerer {
  readonly station: Station;
  readonly answer: (question: unknown) => Promise<object>;
}

export class SimNetwork {
  /** Percentages of messages that are lost, late or delivered twice. */
  lost = 0;
  late = 0;
  doubled = 0;
  /** Ways that are cut, as `from>to`. */
  readonly cuts = new Set<string>();
  private readonly timeline: Timeline;
  private readonly dice: Dice;
  private readonly ears = new Map<string, Set<Ear>>();
  /** Arrival of each way's last message: one connection carries all in their order. */
  private readonly arrivalMs = new Map<string, number>();
  /** Those that answer each subject, the newest last: a late owner leaves the next one to it. */
  private readonly answerers = new Map<string, readonly Answerer[]>();
  private readonly open = new Set<Open>();

  constructor(timeline: Timeline, dice: Dice) {
    this.timeline = timeline;
    this.dice = dice;
  }

  openPeers(station: Station, shard: number): Peers {
    const subject = `peers ${shard}`;
    return {
      announce: (announcement) => this.tell(station, subject, announcement),
      onAnnounced: (hear) => this.listen(station, subject, hear),
    };
  }

  openNodes(station: Station): Nodes {
    return {
      announce: (presence) => this.tell(station, "nodes", presence),
      onAnnounced: (hear) => this.listen(station, "nodes", hear),
      reply: (node, reply) => this.tell(station, `replies ${node}`, reply),
      onReply: (node, hear) => this.listen(station, `replies ${node}`, hear),
    };
  }

  openSnapshots(station: Station, shard: number): Snapshots {
    const subject = `snapshots ${shard}`;
    return {
      request: async () => {
        const said = await this.ask(station, subject, {}, 500);
        return said.kind === "answer"
          ? (said.answer as { snapshot: Snapshot | undefined }).snapshot
          : undefined;
      },
      answer: (offer) => this.answer(station, subject, async () => ({ snapshot: offer() })),
    };
  }

  /** Opens a line; `name` distinguishes lines for different questions. */
  openLine(station: Station, name: string): ShardLine {
    return {
      ask: (shard, question, timeoutMs) =>
        this.ask(station, `${name} ${shard}`, question, timeoutMs),
      answer: (shard, answer) => this.answer(station, `${name} ${shard}`, answer),
    };
  }

  /** Whether a living node has waited for longer than `ms` for the answer to some tells. */
  awaitsTells(ms: number): boolean {
    const sinceMs = this.timeline.nowMs - ms;
    return [...this.open].some(
      ({ subject, life, atMs }) => subject.startsWith("tell ") && !life.isOver && atMs < sinceMs,
    );
  }

  private tell(from: Station, subject: string, message: object): void {
    for (const ear of this.ears.get(subject) ?? []) {
      if (ear.station.life === from.life) continue;
      this.carry(from, ear.station, true, () => ear.hear(message));
    }
  }

  private listen<Message extends object>(
    station: Station,
    subject: string,
    hear: (message: Message) => void,
  ): () => void {
    const ears = this.ears.get(subject) ?? new Set<Ear>();
    this.ears.set(subject, ears);
    // All messages of a subject have the subject's type.
    const ear: Ear = { station, hear: (message) => hear(message as Message) };
    ears.add(ear);
    return () => void ears.delete(ear);
  }

  private answer(
    station: Station,
    subject: string,
    answer: (question: unknown) => Promise<object>,
  ): () => void {
    const answerer = { station, answer };
    this.answerers.set(subject, [...this.living(subject), answerer]);
    return () => {
      const others = this.living(subject).filter((other) => other !== answerer);
      this.answerers.set(subject, others);
    };
  }

  private living(subject: string): readonly Answerer[] {
    return (this.answerers.get(subject) ?? []).filter(({ station }) => !station.life.isOver);
  }

  private ask(
    from: Station,
    subject: string,
    question: object,
    timeoutMs: number,
  ): Promise<LineAnswer> {
    const answerer = this.living(subject).at(-1);
    return new Promise((resolve) => {
      if (answerer === undefined) {
        this.timeline.after(from.life, 2, () => resolve({ kind: "unowned" }));
        return;
      }
      const open = { subject, life: from.life, atMs: this.timeline.nowMs };
      this.open.add(open);
      const end = (said: LineAnswer) => {
        giveUp();
        this.open.delete(open);
        resolve(said);
      };
      const giveUp = this.timeline.after(from.life, timeoutMs, () => end({ kind: "silent" }));
      const { station, answer } = answerer;
      const isDoubled = this.canBeDoubled(subject);
      this.carry(from, station, isDoubled, () => {
        const back = (said: LineAnswer) => this.carry(station, from, true, () => end(said));
        answer(structuredClone(question)).then(
          (said) => back({ kind: "answer", answer: structuredClone(said) }),
          () => back({ kind: "silent" }),
        );
      });
    });
  }

  /** Whether a message may arrive twice: an ask is promised to arrive once at the most. */
  private canBeDoubled(subject: string): boolean {
    return !subject.startsWith("ask ");
  }

  private carry(from: Station, to: Station, canDouble: boolean, arrive: () => void): void {
    const { timeline, dice } = this;
    if (from.life.isOver) return;
    const way = `${from.node}>${to.node}`;
    if (this.cuts.has(way) || dice.percent(this.lost)) return;
    for (let copies = canDouble && dice.percent(this.doubled) ? 2 : 1; copies > 0; copies--) {
      const delayMs = dice.percent(this.late) ? dice.between(20, 3_000) : dice.between(1, 3);
      const atMs = Math.max(timeline.nowMs + delayMs, this.arrivalMs.get(way) ?? 0);
      this.arrivalMs.set(way, atMs);
      timeline.after(to.life, atMs - timeline.nowMs, arrive);
    }
  }
}
