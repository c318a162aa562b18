/**
 * What nodes of a simulated cluster tell each other: announcements of shards and of nodes, offers
 * of snapshots, questions. Each message travels by itself, so it may be late, come twice, or be
 * lost; a way may be cut in one direction.
 */
import type { Nodes } from "../../../engine/ports/nodes.ts";
import type { Peers } from "../../../engine/ports/peers.ts";
import type { LineAnswer, ShardLine } from "../../../engine/ports/shard-line.ts";
import type { Snapshot, Snapshots } from "../../../engine/ports/snapshots.ts";
import type { Dice } from "./dice.ts";
import type { Life, Timeline } from "./timeline.ts";

/** Who sends or hears: a node in one of its lives. */
export interface Station {
  readonly node: string;
  readonly life: Life;
}

interface Ear<Message> {
  readonly station: Station;
  readonly hear: (message: Message) => void;
}

/** A question to a shard by one line, and how it is answered. */
interface Answerer {
  readonly station: Station;
  readonly answer: (question: unknown) => Promise<object>;
}

export class SimNetwork {
  /** So many of a hundred messages are lost, late or come twice. */
  lost = 0;
  late = 0;
  doubled = 0;
  /** Ways that are cut, as `from>to`. */
  readonly cuts = new Set<string>();
  private readonly timeline: Timeline;
  private readonly dice: Dice;
  private readonly ears = new Map<string, Set<Ear<never>>>();
  private readonly answerers = new Map<string, Answerer>();

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

  /** `name` tells lines for different questions apart. */
  openLine(station: Station, name: string): ShardLine {
    return {
      ask: (shard, question, timeoutMs) =>
        this.ask(station, `${name} ${shard}`, question, timeoutMs),
      answer: (shard, answer) => this.answer(station, `${name} ${shard}`, answer),
    };
  }

  private tell(from: Station, subject: string, message: object): void {
    for (const ear of this.ears.get(subject) ?? []) {
      if (ear.station.life === from.life) continue;
      this.carry(from, ear.station, () => (ear.hear as (it: object) => void)(message));
    }
  }

  private listen<Message>(
    station: Station,
    subject: string,
    hear: (message: Message) => void,
  ): () => void {
    const ears = this.ears.get(subject) ?? new Set();
    this.ears.set(subject, ears);
    const ear: Ear<Message> = { station, hear };
    ears.add(ear as unknown as Ear<never>);
    return () => void ears.delete(ear as unknown as Ear<never>);
  }

  private answer(
    station: Station,
    subject: string,
    answer: (question: unknown) => Promise<object>,
  ): () => void {
    const answerer = { station, answer };
    this.answerers.set(subject, answerer);
    return () => {
      if (this.answerers.get(subject) === answerer) this.answerers.delete(subject);
    };
  }

  private ask(
    from: Station,
    subject: string,
    question: object,
    timeoutMs: number,
  ): Promise<LineAnswer> {
    const answerer = this.answerers.get(subject);
    return new Promise((resolve) => {
      if (answerer === undefined || answerer.station.life.isOver) {
        this.timeline.after(from.life, 2, () => resolve({ kind: "unowned" }));
        return;
      }
      this.timeline.after(from.life, timeoutMs, () => resolve({ kind: "silent" }));
      const { station, answer } = answerer;
      this.carry(from, station, () => {
        const back = (said: LineAnswer) => this.carry(station, from, () => resolve(said));
        answer(structuredClone(question)).then(
          (said) => back({ kind: "answer", answer: structuredClone(said) }),
          () => back({ kind: "silent" }),
        );
      });
    });
  }

  private carry(from: Station, to: Station, arrive: () => void): void {
    const { timeline, dice } = this;
    if (from.life.isOver) return;
    if (this.cuts.has(`${from.node}>${to.node}`) || dice.percent(this.lost)) return;
    for (let copies = dice.percent(this.doubled) ? 2 : 1; copies > 0; copies--) {
      const delayMs = dice.percent(this.late) ? dice.between(20, 4_000) : dice.between(1, 3);
      timeline.after(to.life, delayMs, arrive);
    }
  }
}
